// SPDX-License-Identifier: GPL-2.0-only
#include "linux/common/quantity.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <optional>
#include <span>
#include <stdexcept>
#include <system_error>

namespace penstock {
namespace {

struct Unit {
  std::string_view name;  // as form_...() writes it; parsing ignores case
  std::uint64_t factor;
};

struct Kind {
  std::string_view name;
  std::span<const Unit> units;      // those that are preferred first
  std::size_t preferred;            // so many of them form_...() uses
  std::uint64_t largest;
  std::string_view example;
  std::string_view bare;            // unit for the hint if there is none
  std::string_view part;            // and that of which a part is meant
  std::uint64_t most_bare;          // in it; more is meant in the smallest unit
};

constexpr std::uint64_t kKilo = 1000, kMega = 1'000'000, kGiga = 1'000'000'000;
constexpr std::uint64_t kTera = 1000 * kGiga;

constexpr Unit kSizes[] = {
    {"GB", kGiga},       {"MB", kMega},       {"kB", kKilo},       {"TiB", 1ull << 40},
    {"GiB", 1ull << 30}, {"MiB", 1ull << 20}, {"KiB", 1ull << 10}, {"B", 1},
    {"TB", kTera},       {"t", kTera},        {"g", kGiga},        {"m", kMega},
    {"k", kKilo},        {"byte", 1},         {"bytes", 1}};
constexpr Unit kRates[] = {
    {"gbit", kGiga},    {"mbit", kMega},    {"kbit", kKilo},    {"bit", 1},         {"tbit", kTera},
    {"tbit/s", kTera},  {"gbit/s", kGiga},  {"mbit/s", kMega},  {"kbit/s", kKilo},  {"bit/s", 1},
    {"tbits/s", kTera}, {"gbits/s", kGiga}, {"mbits/s", kMega}, {"kbits/s", kKilo}, {"bits/s", 1}};
constexpr Unit kTimes[] = {{"s", kGiga}, {"ms", kMega},       {"us", kKilo},
                           {"ns", 1},    {"min", 60 * kGiga}, {"h", 3600 * kGiga}};

constexpr Kind kSize{"size", kSizes, 8, 1ull << 40, "97kB", "B", "kB", 1ull << 40};
constexpr Kind kRate{"rate", kRates, 4, 10'000 * kGiga, "4mbit", "mbit", "mbit", 9999};
constexpr Kind kTime{"time", kTimes, 4, kMega * kGiga, "5ms", "ms", "s", 99'999};

constexpr std::size_t kMostDigits = 24;  // on each side of the point

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

bool is_space(char c) { return std::string_view(" \t\n\r\f\v").find(c) != std::string_view::npos; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_unit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/'; }
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// The start of `text` for which `holds`, which is cut off.
template <typename Holds>
std::string_view take(std::string_view& text, Holds holds) {
  std::size_t length = 0;
  while (length < text.size() && holds(text[length])) ++length;
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(length);
  return taken;
}

struct Parts {
  bool negative = false;
  std::string_view number;  // with its sign
  std::string_view whole, fraction;
  std::string_view unit;
};

// [+-]digits[.digits], white space, letters.
std::optional<Parts> split(std::string_view text) {
  Parts parts;
  take(text, is_space);
  const std::string_view begin = text;
  parts.negative = text.starts_with('-');
  if (parts.negative || text.starts_with('+')) text.remove_prefix(1);
  parts.whole = take(text, is_digit);
  if (parts.whole.empty() || parts.whole.size() > kMostDigits) return std::nullopt;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = take(text, is_digit);
    if (parts.fraction.empty() || parts.fraction.size() > kMostDigits) return std::nullopt;
  }
  parts.number = begin.substr(0, begin.size() - text.size());
  take(text, is_space);
  parts.unit = take(text, is_unit);
  take(text, is_space);
  if (!text.empty()) return std::nullopt;
  return parts;
}

const Unit* find_unit(const Kind& kind, std::string_view name) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  for (const Unit& unit : kind.units)
    if (std::ranges::equal(unit.name, name, same)) return &unit;
  return nullptr;
}

std::string form(const Kind& kind, std::uint64_t value) {
  for (const Unit& unit : kind.units.first(kind.preferred)) {
    const bool binary = unit.name.ends_with("iB");
    const std::uint64_t hundredth = value * 100 / unit.factor;
    if (value < unit.factor || value * (binary ? 1 : 100) % unit.factor != 0) continue;
    std::string text = std::to_string(hundredth / 100);
    if (const auto rest = static_cast<int>(hundredth % 100); rest != 0) {
      text += {'.', static_cast<char>('0' + rest / 10), static_cast<char>('0' + rest % 10)};
      if (text.ends_with('0')) text.pop_back();
    }
    return text + std::string(unit.name);
  }
  return std::to_string(value) + std::string(kind.units[kind.preferred - 1].name);
}

[[noreturn]] void refuse_large(const Kind& kind, std::string_view text) {
  refuse(quoted(text) + " is too large; at most " + form(kind, kind.largest));
}

// The digits after the point times `factor`, which must be a whole number: multiplied by hand,
// from the last digit on.
std::optional<std::uint64_t> times_fraction(std::string_view digits, std::uint64_t factor) {
  std::uint64_t carry = 0;
  for (std::size_t i = digits.size(); i-- > 0;) {
    carry += static_cast<std::uint64_t>(digits[i] - '0') * factor;
    if (carry % 10 != 0) return std::nullopt;
    carry /= 10;
  }
  return carry;
}

[[noreturn]] void refuse_unit(const Kind& kind, std::string_view name) {
  std::string known;
  for (const Unit& each : kind.units.first(kind.preferred))
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  refuse(quoted(name) + " is not a unit of " + std::string(kind.name) + "; use one of " + known);
}

// "Kb" as "kB", "mb" as "MB", "gib" as "GiB".
std::string in_bytes(std::string_view unit) {
  std::string text(unit);
  const bool kilo = text.size() == 2 && lower(text[0]) == 'k';
  const int first = static_cast<unsigned char>(text[0]);
  text.front() = static_cast<char>(kilo ? std::tolower(first) : std::toupper(first));
  text.back() = 'B';
  return text;
}

bool is_zero(std::string_view digits) {
  return digits.find_first_not_of('0') == std::string_view::npos;
}

// Of digits; nothing if it is more than `most`.
std::optional<std::uint64_t> whole_number(std::string_view digits, std::uint64_t most) {
  std::uint64_t value = 0;
  for (const char digit : digits) {
    const auto next = static_cast<std::uint64_t>(digit - '0');
    if (next > most || value > (most - next) / 10) return std::nullopt;
    value = value * 10 + next;
  }
  return value;
}

// What a number without a unit may stand for.
std::string hint(const Kind& kind, const Parts& parts) {
  const std::string_view fraction =
      parts.fraction.substr(0, parts.fraction.find_last_not_of('0') + 1);
  const bool part = !fraction.empty() && (is_zero(parts.whole) || &kind == &kSize);
  if (!fraction.empty() || whole_number(parts.whole, kind.most_bare)) {
    const std::string number =
        std::string(parts.whole) + (fraction.empty() ? "" : "." + std::string(fraction));
    return "for instance '" + number + std::string(part ? kind.part : kind.bare) + "'";
  }
  const auto value = whole_number(parts.whole, kind.largest);
  if (!value) return "it as '" + std::string(kind.example) + "'";
  const std::string smallest =
      std::to_string(*value) + std::string(kind.units[kind.preferred - 1].name);
  const std::string brief = form(kind, *value);
  return brief == smallest ? smallest : smallest + " or " + brief;
}

std::uint64_t parse(const Kind& kind, std::string_view text) {
  const auto parts = split(text);
  if (!parts)
    refuse(quoted(text) + " is not a " + std::string(kind.name) + "; write it as '" +
           std::string(kind.example) + "'");
  const auto [negative, number, whole, fraction, unit_name] = *parts;
  if (negative && !(is_zero(whole) && is_zero(fraction)))
    refuse(quoted(text) + " is negative; a " + std::string(kind.name) + " is 0 or more");
  if (unit_name.empty())
    refuse("a unit is missing in " + quoted(text) + "; write " + hint(kind, *parts));
  const Unit* unit = find_unit(kind, unit_name);
  if (unit == nullptr) refuse_unit(kind, unit_name);
  if (&kind == &kSize && unit_name.size() > 1 && unit_name.ends_with('b'))
    refuse(quoted(unit_name) + " may mean bits; write '" + std::string(number) +
           in_bytes(unit_name) + "' for bytes");
  const auto part = times_fraction(fraction, unit->factor);
  if (!part)
    refuse(quoted(text) + " is finer than one " + std::string(kind.units[kind.preferred - 1].name));
  const auto units = whole_number(whole, kind.largest / unit->factor);
  if (!units) refuse_large(kind, text);
  const std::uint64_t value = *units * unit->factor + *part;
  if (value > kind.largest) refuse_large(kind, text);
  return value;
}

std::string rounded(std::uint64_t value, std::span<const char* const> units) {
  constexpr double kStep = 1000;
  double number = static_cast<double>(value);
  std::size_t i = 0;
  // What rounds to a fourth digit has one digit less behind the point.
  for (; number >= kStep - 0.5 && i + 1 < units.size(); ++i) number /= kStep;
  const int places = i == 0 || number >= 99.95 ? 0 : number < 9.995 ? 2 : 1;
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", places, number, units[i]);
  return text.data();
}

}  // namespace

std::uint64_t parse_size_bytes(std::string_view text) { return parse(kSize, text); }
std::uint64_t parse_rate_bps(std::string_view text) { return parse(kRate, text); }
std::uint64_t parse_time_ns(std::string_view text) { return parse(kTime, text); }

double parse_ratio(std::string_view text) {
  double ratio = -1;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, ratio);
  const std::string_view rest(end, static_cast<std::size_t>(last - end));
  if (rest == "%") ratio /= 100;
  if (error != std::errc() || !(rest.empty() || rest == "%") || !(ratio >= 0 && ratio < 1))
    refuse(quoted(text) + " is not a ratio below 1; write it as '0.1%'");
  return ratio;
}

std::uint64_t parse_count(std::string_view text) {
  std::uint64_t count = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, count);
  if (error != std::errc() || end != last)
    refuse(quoted(text) + " is not a whole number; write it as '8'");
  return count;
}

std::string form_size(std::uint64_t bytes) { return form(kSize, bytes); }
std::string form_rate(std::uint64_t bps) { return form(kRate, bps); }
std::string form_time(std::uint64_t ns) { return form(kTime, ns); }

std::string round_size(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  return rounded(bytes, kUnits);
}

std::string round_time(std::uint64_t ns) {
  constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  return rounded(ns, kUnits);
}

std::string round_rate(std::uint64_t bps) {
  constexpr const char* kUnits[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s"};
  return rounded(bps, kUnits);
}

}  // namespace penstock
