// SPDX-License-Identifier: GPL-2.0-only
// Quantities as people write them: "20ms", "97kB", "20mbit", "0.1%". Prefixes of
// sizes and rates are decimal, a unit is always needed and, unlike in the lab, case counts.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace penstock {

// A mistake on the command line; what() is the whole message. Exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Each throws UsageError, with what would be right, for text that is no such quantity.
std::uint64_t parse_time_ns(std::string_view text);     // up to 1,000,000 s
std::uint64_t parse_size_bytes(std::string_view text);  // up to 1 TB
std::uint64_t parse_rate_bps(std::string_view text);    // up to 10 Tbit/s
double parse_ratio(std::string_view text);              // "0.1%" or "0.001"; 0 <= ratio < 1
std::uint64_t parse_count(std::string_view text);       // decimal digits

}  // namespace penstock
