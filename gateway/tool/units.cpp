// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/tool/units.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <stdexcept>

namespace penstock::gw {

namespace {

struct Unit {
  const char* name;
  double factor;
};

constexpr Unit kRates[] = {{"bit", 1.0 / 8},  {"kbit", 1e3 / 8}, {"mbit", 1e6 / 8},
                           {"gbit", 1e9 / 8}, {"bps", 1},        {"kbps", 1e3},
                           {"mbps", 1e6},     {"gbps", 1e9},     {"", 1.0 / 8}};
constexpr Unit kSizes[] = {{"b", 1},      {"k", 1e3},       {"m", 1e6},          {"g", 1e9},
                           {"kib", 1024}, {"mib", 1048576}, {"gib", 1073741824}, {"", 1}};
constexpr Unit kTimes[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
constexpr double kLargest = 1e15;

std::uint64_t parse(const std::string& text, std::span<const Unit> units, const char* right) {
  std::size_t used = 0;
  double number = -1;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  std::string suffix = text.substr(used);
  for (char& c : suffix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const Unit& unit : units) {
    if (!used || suffix != unit.name) continue;
    const double value = number * unit.factor;
    if (!(value >= 0 && value <= kLargest)) break;
    return static_cast<std::uint64_t>(std::llround(value));
  }
  throw std::invalid_argument("'" + text + "' is not " + right);
}

std::string with_unit(double value, double step, std::span<const char* const> units) {
  std::size_t i = 0;
  while (value >= step && i + 1 < units.size()) {
    value /= step;
    ++i;
  }
  std::array<char, 48> out{};
  std::snprintf(out.data(), out.size(),
                value < 10 && i    ? "%.2f%s"
                : value < 100 && i ? "%.1f%s"
                                   : "%.0f%s",
                value, units[i]);
  return out.data();
}

}  // namespace

std::uint64_t parse_rate_bytes_per_s(const std::string& text) {
  return parse(text, kRates, "a rate such as 20mbit");
}

std::uint64_t parse_bytes(const std::string& text) {
  return parse(text, kSizes, "a size such as 97k");
}

std::uint64_t parse_ns(const std::string& text) {
  return parse(text, kTimes, "a time such as 5ms");
}

std::string format_rate(std::uint64_t bytes_per_s) {
  constexpr const char* kUnits[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s"};
  std::string text = with_unit(static_cast<double>(bytes_per_s) * 8, 1000, kUnits);
  return text.insert(text.find_first_not_of("0123456789."), " ");
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  std::string text = with_unit(static_cast<double>(bytes), 1000, kUnits);
  return text.insert(text.find_first_not_of("0123456789."), " ");
}

}  // namespace penstock::gw
