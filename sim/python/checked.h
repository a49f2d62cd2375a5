// SPDX-License-Identifier: GPL-2.0-only
// Range checks on integers from Python.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace penstock::python {

inline constexpr std::uint64_t kMaxClockNs = 1ULL << 62;

// `value` if it is in low .. high, else an invalid_argument that says so.
inline std::uint64_t checked(const char* name, std::int64_t value, std::uint64_t low,
                             std::uint64_t high) {
  const auto v = static_cast<std::uint64_t>(value);
  if (value >= 0 && v >= low && v <= high) return v;
  throw std::invalid_argument(std::string(name) + " must be " + std::to_string(low) + " to " +
                              std::to_string(high) + ", not " + std::to_string(value));
}

inline std::uint32_t checked32(const char* name, std::int64_t value, std::uint32_t low,
                               std::uint32_t high) {
  return static_cast<std::uint32_t>(checked(name, value, low, high));
}

}  // namespace penstock::python
