// SPDX-License-Identifier: GPL-2.0-only
// The host of a method of core/sender. Owns cwnd, ssthresh and the method's state, what was used of
// cwnd, and what routers say to the method. Is told of ACKs, of congestion and of recovery. Answers
// the window, the pacing, and the header for routers.
#pragma once

#include <vector>

#include "core/sender/control.h"
#include "core/sender/hystart.h"
#include "sim/tcp/config.h"
#include "sim/tcp/router_feedback.h"
#include "sim/tcp/window_use.h"

namespace penstock::tcp {

class CongestionControl {
 public:
  using View = struct pst_sender_view;  // the connection at an event

  explicit CongestionControl(const SenderConfig& config);

  std::uint64_t bytes() const { return cwnd_.bytes; }
  std::uint64_t ssthresh_bytes() const { return cwnd_.ssthresh_bytes; }
  bool slow_start() const { return cwnd_.bytes < cwnd_.ssthresh_bytes; }
  struct pst_cwnd& cwnd() { return cwnd_; }  // for an ensemble, or whoever sets it
  WindowUse& use() { return use_; }
  bool permits_growth() const { return use_.permits_growth(cwnd_); }
  RouterFeedback& feedback() { return feedback_; }
  const RouterFeedback& feedback() const { return feedback_; }

  // The handshake is over: the first window, and then the method.
  void open(std::uint32_t mss_bytes, bool syn_resent);
  void begin(const View& v);
  void restart_after_idle(std::uint32_t mss_bytes);

  bool samples() const { return samples_; }  // the method takes every ACK
  void sample(const View& v);
  // New data is acknowledged outside of fast recovery. Returns the bytes that count.
  std::uint64_t grow(View& v);
  // Congestion: sets ssthresh.
  void reduce(enum pst_congestion why, View v);
  void recovered(const View& v);
  // Its recovery ends at the first ACK of new data.
  bool recovers_one() const { return pst_sender_recovers_one(config_->method); }

  // What recovery makes of cwnd.
  void set(std::uint64_t bytes) {
    PST_REQUIRE(bytes <= PST_MAX_BYTES);
    cwnd_.bytes = bytes;
  }
  void inflate(std::uint64_t bytes) {
    PST_REQUIRE(cwnd_.bytes <= PST_MAX_BYTES - bytes);
    cwnd_.bytes += bytes;
  }
  void deflate(std::uint64_t acked, std::uint32_t mss_bytes);
  void limit(std::uint64_t bytes, std::uint32_t mss_bytes) {  // but to one segment at least
    PST_REQUIRE(mss_bytes > 0);
    cwnd_.bytes = std::max<std::uint64_t>(pst_min(cwnd_.bytes, bytes), mss_bytes);
  }

  // Of methods that send at a rate: every ACK, after what it shows to be lost; data after a pause.
  void steer(const View& v, const std::vector<struct pst_lost_segment>& lost);
  void restart(const View& v);
  struct pst_pacing pacing(const View& v) const;

  // The segments of a burst, if it paces.
  std::uint32_t burst_segments() const {
    if (config_->pacing) return config_->pacing_burst_segments;
    return may_pace_ ? pst_sender_paces(config_->method, &state_) : 0;
  }
  std::uint64_t pacing_gain_percent() const;
  // The header for routers of a segment that carries one.
  void stamp(Segment& s, const View& v) const;
  void stamp_syn(Segment& s, bool resent, const View& v);

 private:
  std::uint64_t initial_window_bytes(std::uint32_t mss_bytes) const;

  const SenderConfig* config_;
  union pst_sender_state state_{};
  struct pst_cwnd cwnd_;
  struct pst_hystart hystart_{};
  WindowUse use_;
  RouterFeedback feedback_;
  bool samples_;
  bool may_pace_;
};

// Of an ACK that delivers `newly` bytes, of which `marked` arrived marked: the others count as an
// ACK before it, which ends no window.
void sample(CongestionControl& congestion, CongestionControl::View v, std::uint64_t marked,
            std::uint64_t newly);

}  // namespace penstock::tcp
