// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/link/units.h"

#include <charconv>
#include <cmath>
#include <span>

namespace penstock {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit kTimes[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}};
constexpr Unit kSizes[] = {{"B", 1},      {"kB", 1e3},      {"MB", 1e6},     {"GB", 1e9},
                           {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
constexpr Unit kRates[] = {{"bit", 1}, {"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}};

[[noreturn]] void complain(std::string_view text, const char* what, const char* example) {
  throw UsageError("'" + std::string(text) + "' is not a " + what + "; write it as '" + example +
                   "'");
}

// The number at the start of `text`, which is cut off; negative if there is none.
double take_number(std::string_view& text) {
  double number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::uint64_t parse(std::string_view text, std::span<const Unit> units, double largest,
                    const char* what, const char* example) {
  std::string_view rest = text;
  const double number = take_number(rest);
  for (const Unit& unit : units) {
    if (number < 0 || rest != unit.name) continue;
    const double value = std::round(number * unit.factor);
    if (value > largest) throw UsageError("'" + std::string(text) + "' is too large");
    return static_cast<std::uint64_t>(value);
  }
  complain(text, what, example);
}

}  // namespace

std::uint64_t parse_time_ns(std::string_view text) {
  return parse(text, kTimes, 1e15, "time", "20ms");
}

std::uint64_t parse_size_bytes(std::string_view text) {
  return parse(text, kSizes, 1e12, "size", "97kB");
}

std::uint64_t parse_rate_bps(std::string_view text) {
  return parse(text, kRates, 1e13, "rate", "20mbit");
}

double parse_ratio(std::string_view text) {
  std::string_view rest = text;
  double ratio = take_number(rest);
  if (rest == "%") {
    ratio /= 100;
    rest.remove_prefix(1);
  }
  if (!rest.empty() || ratio < 0 || ratio >= 1) complain(text, "ratio below 1", "0.1%");
  return ratio;
}

std::uint64_t parse_count(std::string_view text) {
  std::uint64_t count = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, count);
  if (error != std::errc() || end != last) complain(text, "whole number", "8");
  return count;
}

}  // namespace penstock
