// SPDX-License-Identifier: GPL-2.0-only
// Quantities as people write them: "97kB", "20mbit", "5ms", "0.1%". The grammar of sizes, rates
// and times is the lab's (penstock/scenario/units.py); tests/quantities.toml holds both to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace penstock {

// Each throws std::invalid_argument, which says what would be right.
std::uint64_t parse_size_bytes(std::string_view text);  // up to 1 TiB
std::uint64_t parse_rate_bps(std::string_view text);    // up to 10 Tbit/s
std::uint64_t parse_time_ns(std::string_view text);     // up to 1,000,000 s
double parse_ratio(std::string_view text);              // "0.1%" or "0.001"; 0 <= ratio < 1
std::uint64_t parse_count(std::string_view text);       // decimal digits

// The shortest exact text, which the function above reads as the same value.
std::string form_size(std::uint64_t bytes);
std::string form_rate(std::uint64_t bps);
std::string form_time(std::uint64_t ns);

// Three digits for people: "1.25 MB", "19.9 Mbit/s".
std::string round_size(std::uint64_t bytes);
std::string round_rate(std::uint64_t bps);
std::string round_time(std::uint64_t ns);

}  // namespace penstock
