// SPDX-License-Identifier: GPL-2.0-only
// Transmission opportunities of a link that follows a trace, of 1,500 bytes each. The trace
// contains times in milliseconds, in mahimahi's format, and repeats at its end. Winstein et al.,
// "Mahimahi: Accurate Record-and-Replay for HTTP", USENIX ATC 2015.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base.h"

namespace penstock::net {

using TraceMs = std::shared_ptr<const std::vector<std::uint32_t>>;

class Opportunities {
 public:
  static constexpr std::uint32_t kBytes = 1500;

  // Ascending; the last is above 0, and the trace's length.
  explicit Opportunities(TraceMs trace_ms) : trace_ms_(std::move(trace_ms)) {
    PST_REQUIRE(!trace_ms_->empty() && trace_ms_->back() > 0);
    PST_REQUIRE(std::is_sorted(trace_ms_->begin(), trace_ms_->end()));
  }

  std::uint64_t next_ns() const { return (base_ms_ + (*trace_ms_)[at_]) * kNsPerMs; }
  std::uint64_t passed() const { return passed_; }

  void pass() {
    ++passed_;
    if (++at_ < trace_ms_->size()) return;
    at_ = 0;
    base_ms_ += trace_ms_->back();
  }

  // Passes all up to `now_ns`.
  void pass_until(std::uint64_t now_ns) {
    const std::uint64_t now_ms = now_ns / kNsPerMs;
    const std::uint64_t period_ms = trace_ms_->back();
    if (now_ms >= base_ms_ + 2 * period_ms) {
      const std::uint64_t whole = (now_ms - base_ms_) / period_ms - 1;
      base_ms_ += whole * period_ms;
      passed_ += whole * trace_ms_->size();
    }
    while (next_ns() <= now_ns) pass();
    PST_ENSURE(next_ns() > now_ns);
  }

 private:
  static constexpr std::uint64_t kNsPerMs = 1'000'000;

  TraceMs trace_ms_;
  std::size_t at_ = 0;
  std::uint64_t base_ms_ = 0;
  std::uint64_t passed_ = 0;
};

}  // namespace penstock::net
