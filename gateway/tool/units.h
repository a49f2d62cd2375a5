// SPDX-License-Identifier: GPL-2.0-only
// Numbers with units as tc(8) writes them: 20mbit, 97k, 5ms.
#pragma once

#include <cstdint>
#include <string>

namespace penstock::gw {

// Each throws std::invalid_argument with what would be right.
std::uint64_t parse_rate_bytes_per_s(const std::string& text);  // bit, kbit, mbit, gbit, bps..gbps
std::uint64_t parse_bytes(const std::string& text);  // b, k, m, g: powers of 1000; kib..
std::uint64_t parse_ns(const std::string& text);  // ns, us, ms, s

std::string format_rate(std::uint64_t bytes_per_s);
std::string format_bytes(std::uint64_t bytes);

}  // namespace penstock::gw
