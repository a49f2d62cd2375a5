// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/auto/day.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "linux/common/clock.h"
#include "linux/common/shell.h"
#include "linux/gateway/tool/attach/device.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/new_file.h"
#include "linux/gateway/tool/view/report.h"

namespace penstock::gw {

using nlohmann::ordered_json;

namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "auto-";
constexpr const char* kSuffix = ".json";
constexpr std::size_t kMost = 200;
constexpr std::size_t kRows = 15;
constexpr std::uint64_t kDayNs = 86400 * kNsPerS;

std::string path_of(const std::string& interface) {
  return runtime_path(kPrefix + interface) + kSuffix;
}

// Held by whoever runs, and by its guard until that has cleaned up.
Descriptor lock_of(const std::string& path, int flags) {
  return Descriptor(open((path + ".lock").c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600));
}

// A lock of the open file, which can be asked for without taking it for an instant.
struct flock whole_file() {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

bool is_held(const std::string& path) {
  const Descriptor file = lock_of(path, O_RDONLY);
  struct flock lock = whole_file();
  return file && !fcntl(file.fd(), F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

std::string clock_text(std::uint64_t time_ns) { return local_time_text(time_ns, "%H:%M:%S"); }

ordered_json evidence_json(const AutoEvidence& e) {
  return {{"pairs", e.pairs},
          {"delay_observing_s", e.delay_observing_s},
          {"delay_live_s", e.delay_live_s},
          {"delay_half_width_s", e.delay_half_width_s},
          {"goodput_observing_bps", e.goodput_observing_bps},
          {"goodput_live_bps", e.goodput_live_bps},
          {"goodput_half_width_bps", e.goodput_half_width_bps}};
}

AutoEvidence evidence_of(const ordered_json& j) {
  const auto value = [&j](const char* key) { return j.value(key, 0.0); };
  return {
      j.value("pairs", std::size_t{0}), value("delay_observing_s"),     value("delay_live_s"),
      value("delay_half_width_s"),      value("goodput_observing_bps"), value("goodput_live_bps"),
      value("goodput_half_width_bps")};
}

std::string decision_text(const ordered_json& d) {
  return clock_text(d.value("time_ns", std::uint64_t{0})) + " " + d.value("way", "") + ": " +
         d.value("from", "") + " -> " + d.value("to", "") + ": " + d.value("reason", "") +
         (d.contains("evidence") ? " (" + evidence_text(evidence_of(d["evidence"])) + ")" : "");
}

bool is_pause(const AutoDecision& d) {
  const auto holds = [](AutoState s) { return s == AutoState::kLive || s == AutoState::kIdle; };
  return holds(d.from) && holds(d.to);
}

}  // namespace

Day::Day(const std::string& interface)
    : interface_(interface), path_(path_of(interface)), since_ns_(clock_ns(CLOCK_REALTIME)) {
  make_runtime_folder();
  lock_ = lock_of(path_, O_RDWR | O_CREAT);
  if (!lock_) throw system_error("cannot write " + path_, errno);
  struct flock own = whole_file();
  if (fcntl(lock_.fd(), F_OFD_SETLK, &own))
    throw Error(kFailed, "another penstock-gw auto runs on " + interface +
                             ": penstock-gw auto status " + shell_word(interface) + " shows it");
}

Day::~Day() {
  for (const std::string& file : files()) unlink(file.c_str());
}

void Day::add(const AutoDecision& decision) {
  // Pages between pauses are no news of a day.
  if (!is_pause(decision)) decisions_.push_back(decision);
  const std::uint64_t now_ns = decision.time_ns;
  while (decisions_.size() > kMost ||
         (!decisions_.empty() && now_ns - decisions_.front().time_ns > kDayNs))
    decisions_.pop_front();
}

void Day::write(const AutoMachine& machine, const Reading& seen) const {
  ordered_json j{{"schema_version", kSchemaVersion},
                 {"device", interface_},
                 {"pid", getpid()},
                 {"since_ns", since_ns_}};
  for (const Way way : kBothWays) {
    ordered_json& side = j[way_name(way)];
    side = {{"state", auto_state_name(machine.state(way))},
            {"since_ns", machine.since_ns(way) ? machine.since_ns(way) : since_ns_},
            {"reason", machine.reason(way)}};
    if (machine.state(way) == AutoState::kWithdrawn) side["retry_ns"] = machine.retry_ns(way);
  }
  for (const Way way : kBothWays) j["path"][way_name(way)] = passed_json(seen.ways[way]);
  ordered_json& decisions = j["decisions"] = ordered_json::array();
  for (const AutoDecision& d : decisions_) decisions.push_back(decision_json(d));
  NewFile(path_).put(json_text(j, 1));
}

ordered_json decision_json(const AutoDecision& d) {
  ordered_json j{{"time_ns", d.time_ns},
                 {"way", way_name(d.way)},
                 {"from", auto_state_name(d.from)},
                 {"to", auto_state_name(d.to)},
                 {"reason", d.reason}};
  if (d.evidence) j["evidence"] = evidence_json(*d.evidence);
  return j;
}

std::string decision_text(const AutoDecision& d) { return decision_text(decision_json(d)); }

ordered_json day_json(const std::string& interface) {
  const std::string path = path_of(interface);
  if (!is_held(path)) return nullptr;
  std::ifstream file(path);
  return file ? ordered_json::parse(file, nullptr, false) : ordered_json();
}

std::vector<std::string> auto_interfaces() {
  std::vector<std::string> found;
  std::error_code none;
  const std::string begin(kPrefix),
      end = fs::path(path_of("")).filename().native().substr(begin.size());
  for (const auto& entry : fs::directory_iterator(kRuntimeFolder, none)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(begin) || !name.ends_with(end) || !is_held(entry.path())) continue;
    found.push_back(name.substr(begin.size(), name.size() - begin.size() - end.size()));
  }
  std::ranges::sort(found);
  return found;
}

std::string day_text(const ordered_json& day) {
  const auto time = [](const ordered_json& j, const char* key) {
    return clock_text(j.value(key, std::uint64_t{0}));
  };
  std::string text = day.value("device", "") + ": auto since " + time(day, "since_ns") + "\n";
  for (const char* way : {"down", "up"}) {
    const ordered_json& side = day.at(way);
    text += "  " + std::string(way) + ": " + side.value("state", "") + " since " +
            time(side, "since_ns") + ". " + side.value("reason", "") + "\n";
  }
  const ordered_json& decisions = day.at("decisions");
  if (!decisions.empty()) text += "  decisions of the last day, the newest last:\n";
  for (std::size_t i = decisions.size() > kRows ? decisions.size() - kRows : 0;
       i < decisions.size(); ++i)
    text += "    " + decision_text(decisions[i]) + "\n";
  return text;
}

}  // namespace penstock::gw
