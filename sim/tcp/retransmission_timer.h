// SPDX-License-Identifier: GPL-2.0-only
// The one timer of an established sender: it retransmits while data is
// outstanding (RFC 6298 section 5), and persists while the window blocks the
// rest (RFC 9293 section 3.8.6.1). Owns the round-trip estimate, the RTO with
// its backoff, and when the timer expires. Is told of samples, of what is
// outstanding, and of expiries. Answers the RTO, and for what the timer runs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base.h"
#include "sim/tcp/config.h"
#include "sim/tcp/rtt.h"

namespace penstock::tcp {

class RetransmissionTimer {
 public:
  explicit RetransmissionTimer(const SenderConfig& config)
      : config_(&config), initial_rto_ns_(config.initial_rto_ns) {}

  const RttEstimator& rtt() const { return rtt_; }
  RttEstimator& rtt() { return rtt_; }
  void take_sample(std::uint64_t rtt_ns) {
    rtt_.sample(rtt_ns);
    backoff_ = 0;
  }
  // The SYN was lost: before a sample the RTO of data is 3 s, RFC 6298 (5.7).
  void fall_back() { initial_rto_ns_ = std::max(initial_rto_ns_, kFallbackRtoNs); }
  std::uint64_t rto_ns() const { return rto_ns(backoff_); }

  std::uint64_t at_ns() const { return at_ns_; } // kNever if it does not run
  bool expired(std::uint64_t now_ns) const { return now_ns >= at_ns_; }
  bool persists() const { return persists_; }

  void start(std::uint64_t now_ns) {
    at_ns_ = now_ns + rto_ns();
    PST_ENSURE(at_ns_ > now_ns && at_ns_ != kNever);
  }
  // It has expired. True for the first time since the last progress.
  bool expire() {
    if (backoff_ < kMostBackoff) ++backoff_;
    const bool first = !repeats_;
    repeats_ = true;
    return first;
  }
  void on_progress() { repeats_ = false; }  // new data is acknowledged
  // The handshake is over.
  void reset() {
    backoff_ = 0;
    repeats_ = false;
    at_ns_ = kNever;
  }
  // Data is outstanding; `restart` after an ACK of new data.
  void guard(bool restart, std::uint64_t now_ns) {
    if (restart || persists_ || at_ns_ == kNever) start(now_ns);
    persists_ = false;
    PST_ENSURE(at_ns_ != kNever);
  }
  // Nothing is outstanding; `blocked`: the peer's window is why.
  void persist(bool blocked, std::uint64_t now_ns) {
    if (blocked && !persists_) {
      probe_backoff_ = 0;
      start(now_ns);
    } else if (!blocked) {
      at_ns_ = kNever;
    }
    persists_ = blocked;
    PST_ENSURE(blocked == (at_ns_ != kNever));
  }
  // A probe leaves: the next one waits longer.
  void probe_again(std::uint64_t now_ns) {
    PST_REQUIRE(persists_);
    if (probe_backoff_ < kMostBackoff) ++probe_backoff_;
    at_ns_ = now_ns + rto_ns(backoff_ + probe_backoff_);
    PST_ENSURE(at_ns_ > now_ns);
  }

 private:
  static constexpr std::uint64_t kFallbackRtoNs = 3'000'000'000;
  static constexpr std::uint8_t kMostBackoff = 63;

  std::uint64_t rto_ns(unsigned backoff) const {
    return rtt_.rto_ns(*config_, initial_rto_ns_, backoff);
  }

  const SenderConfig* config_;
  RttEstimator rtt_;
  std::uint64_t initial_rto_ns_;
  std::uint64_t at_ns_ = kNever;
  std::uint8_t backoff_ = 0;
  std::uint8_t probe_backoff_ = 0;
  bool persists_ = false;
  bool repeats_ = false;  // the first segment has been sent again by a timeout
};

} // namespace penstock::tcp
