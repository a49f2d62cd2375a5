// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/record/why.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <stdexcept>

#include "linux/common/clock.h"
#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

namespace {

constexpr std::uint64_t kRecentNs = 10 * kMinuteNs;
constexpr std::uint64_t kAfterNs = 2 * kMinuteNs;

std::uint64_t time_of(const Line& line) { return line.value("time_ns", std::uint64_t{0}); }

// A line that was cut off, as by a full disk, is left out.
void read_lines(const std::string& path, std::vector<Line>& lines) {
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    Line line = Line::parse(text, nullptr, false);
    if (!line.is_object()) continue;
    if (line.value("kind", "") == "head" && line.value("schema_version", 0) != kLinesVersion)
      throw Error(kFailed, path + " is of another version of penstock-gw");
    lines.push_back(std::move(line));
  }
}

std::vector<Line> read_log(const std::string& path) {
  if (!std::ifstream(path))
    throw Error(kFailed,
                path + ": cannot be read: " + std::strerror(errno) + "; penstock-gw log writes it");
  std::uint64_t oldest = 0;
  while (std::ifstream(path + "." + std::to_string(oldest + 1))) ++oldest;
  std::vector<Line> lines;
  for (std::uint64_t n = oldest; n > 0; --n) read_lines(path + "." + std::to_string(n), lines);
  read_lines(path, lines);
  return lines;
}

std::string moment_text(std::uint64_t time_ns) { return local_time_text(time_ns, "%F %T"); }

bool is_minute(const Line& line) { return line.value("kind", "") == "minute"; }

// A minute is written at its end, and shown where it begins.
std::uint64_t shown_ns(const Line& line) {
  return is_minute(line) ? line.value("begin_ns", time_of(line)) : time_of(line);
}

void print_line(const Line& line) {
  const std::string what =
      is_minute(line) ? line.value("state", "") : "-> " + line.value("event", "");
  std::printf("%s  %-8s  %s\n", moment_text(shown_ns(line)).c_str(), what.c_str(),
              line.value("reason", "").c_str());
}

}  // namespace

std::uint64_t parse_moment_ns(const std::string& text, std::uint64_t now_ns) {
  const auto now_s = static_cast<std::time_t>(now_ns / kNsPerS);
  std::tm parts{};
  localtime_r(&now_s, &parts);
  parts.tm_sec = 0;
  parts.tm_isdst = -1;
  std::tm whole = parts;
  const char* end = strptime(text.c_str(), "%Y-%m-%d %H:%M", &whole);
  const bool dated = end && !*end;
  if (!dated) {
    whole = parts;
    end = strptime(text.c_str(), "%H:%M", &whole);
  }
  if (!end || *end)
    throw std::invalid_argument("'" + text +
                                "' is not a time, such as 20:15 or '2026-11-23 20:15'");
  std::time_t found_s = std::mktime(&whole);
  if (!dated && found_s > now_s) {  // of yesterday, whose day may have 23 or 25 hours
    parts.tm_hour = whole.tm_hour;
    parts.tm_min = whole.tm_min;
    --parts.tm_mday;
    found_s = std::mktime(&parts);
  }
  return static_cast<std::uint64_t>(found_s) * kNsPerS;
}

std::vector<Line> lines_about(const std::vector<Line>& log, std::optional<std::uint64_t> at_ns) {
  std::uint64_t newest_ns = 0;
  for (const Line& line : log) newest_ns = std::max(newest_ns, time_of(line));
  const std::uint64_t middle_ns = at_ns.value_or(newest_ns);
  const std::uint64_t minutes_ns = at_ns ? kMinuteNs : kRecentNs;
  std::vector<Line> found;
  for (const Line& line : log) {
    if (!is_minute(line) && line.value("kind", "") != "event") continue;
    const std::uint64_t before_ns = is_minute(line) ? minutes_ns : kRecentNs;
    if (time_of(line) + before_ns >= middle_ns && time_of(line) <= middle_ns + kAfterNs)
      found.push_back(line);
  }
  std::ranges::stable_sort(found, {}, shown_ns);
  return found;
}

int run_why(const WhyOptions& options) {
  std::optional<std::uint64_t> at_ns;
  try {
    if (!options.at.empty()) at_ns = parse_moment_ns(options.at, clock_ns(CLOCK_REALTIME));
  } catch (const std::invalid_argument& error) {
    throw Error(kUsage, std::string("--at: ") + error.what());
  }
  const auto found = lines_about(read_log(options.path), at_ns);
  if (found.empty())
    throw Error(kFailed, options.path + " has nothing of " +
                             (at_ns ? moment_text(*at_ns) : "the last ten minutes"));
  for (const Line& line : found)
    if (options.json)
      std::fputs(text_of(line).c_str(), stdout);
    else
      print_line(line);
  return kOk;
}

}  // namespace penstock::gw
