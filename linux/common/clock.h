// SPDX-License-Identifier: GPL-2.0-only
// The kernel's clocks in nanoseconds.
#pragma once

#include <time.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <string>

namespace penstock {

inline constexpr std::uint64_t kNsPerS = 1'000'000'000;
inline constexpr std::uint64_t kMinuteNs = 60 * kNsPerS;

inline std::uint64_t clock_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kNsPerS + static_cast<std::uint64_t>(now.tv_nsec);
}

// A time since 1970 on this machine's clock, as strftime(3) forms it.
inline std::string local_time_text(std::uint64_t time_ns, const char* format) {
  const auto time_s = static_cast<time_t>(time_ns / kNsPerS);
  std::tm parts{};
  localtime_r(&time_s, &parts);
  std::array<char, 40> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

inline timespec to_timespec(std::uint64_t span_ns) {
  timespec span{};
  span.tv_sec = static_cast<time_t>(span_ns / kNsPerS);
  span.tv_nsec = static_cast<long>(span_ns % kNsPerS);
  return span;
}

// From now to `time_ns` of CLOCK_MONOTONIC; zero if that is past.
inline timespec left_until(std::uint64_t time_ns) {
  const std::uint64_t now_ns = clock_ns();
  return to_timespec(time_ns > now_ns ? time_ns - now_ns : 0);
}

}  // namespace penstock
