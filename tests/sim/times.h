// SPDX-License-Identifier: GPL-2.0-only
// Times in nanoseconds, for the tests of every room of the simulator.
#pragma once

#include <cstdint>

namespace penstock {

inline constexpr std::uint64_t kUs = 1'000;
inline constexpr std::uint64_t kMs = 1'000 * kUs;
inline constexpr std::uint64_t kSecond = 1'000 * kMs;

}  // namespace penstock
