// SPDX-License-Identifier: GPL-2.0-only
// An honest end of a connection: RFC 9293 with NewReno (RFC 6582), window scale, delayed ACKs,
// zero-window probes and RFC 5961's answers to segments out of order. It knows no gateway.
#pragma once

#include <utility>
#include <vector>

#include "tests/world/segment.h"

namespace penstock::world {

inline constexpr u64 kUs = 1000;  // ns
inline constexpr u64 kMs = 1000 * kUs;
inline constexpr u64 kSecond = 1000 * kMs;
inline constexpr u64 kNever = ~0ULL;

struct HostPlan {
  u32 flow = 0;
  bool ipv6 = false;
  bool near = false;
  bool opens = false;
  u64 bytes = 0;
  u64 pause_ns = 0;  // after half of them
  u32 mss = 1460;
  u32 scale = 0;  // kNoScale: without the option
  u32 buffer_bytes = 65535;
  u32 isn = 0;
};

class Host {
 public:
  explicit Host(const HostPlan& plan);
  void open(u64 now_ns);
  void on_segment(const Segment& s, u64 now_ns);
  void on_time(u64 now_ns);
  u64 due_ns() const;
  // All is sent and acknowledged, and all of the other end's is here.
  bool done() const { return fin_acked_ && fin_received_; }
  std::vector<Segment>& out() { return out_; }
  const HostPlan& plan() const { return plan_; }
  // The shift of this end's own windows, once it is agreed.
  u32 receive_shift() const { return scaled_ ? plan_.scale : 0; }
  u32 mss() const { return mss_; }
  bool established() const { return state_ == State::kEstablished; }

 private:
  enum class State { kClosed, kSynSent, kSynReceived, kEstablished };

  Segment segment(u32 seq, u16 flags, u32 bytes = 0);
  void send_syn(u64 now_ns);
  void send_ack();
  void take_reset(const Segment& s);
  void take_syn(const Segment& s, u64 now_ns);
  void establish(const Segment& s);
  bool is_acceptable(const Segment& s) const;
  bool take_ack(const Segment& s, u64 now_ns);
  void take_new_ack(const Segment& s, u64 now_ns);
  void take_duplicate(u64 now_ns);
  void take_data(const Segment& s, u64 now_ns);
  void keep_range(u32 from, u32 to);
  void send_data(u64 now_ns);
  bool send_one(u64 now_ns, bool forced);
  void send_at(u32 seq, u32 bytes, u64 now_ns);
  void time_out(u64 now_ns);
  void probe(u64 now_ns);
  void measure(u64 rtt_ns);
  void arm(u64 now_ns);
  u32 window_bytes() const;
  u32 written(u64 now_ns) const;
  u32 flight() const { return next_ - una_; }

  HostPlan plan_;
  std::vector<Segment> out_;
  State state_ = State::kClosed;
  bool scaled_ = false;
  u32 mss_ = 536, peer_shift_ = 0;
  // Sending. `end_` is the number of the FIN.
  u32 una_ = 0, next_ = 0, most_ = 0, end_ = 0, half_ = 0;
  u32 window_ = 0, most_window_ = 0, wl1_ = 0, wl2_ = 0;
  u32 cwnd_ = 0, ssthresh_ = 0x7fffffff, recover_ = 0, duplicates_ = 0;
  bool recovering_ = false, fin_acked_ = false;
  u64 resume_ns_ = 0;
  u64 timer_ns_ = kNever, rto_ns_ = kSecond, srtt_ns_ = 0, variance_ns_ = 0;
  u32 backoff_ = 0, timed_ = 0;
  u64 timed_ns_ = kNever;
  // Receiving.
  u32 received_ = 0, edge_ = 0, unacked_ = 0, fin_at_ = 0;
  bool knows_fin_ = false, fin_received_ = false;
  u64 ack_ns_ = kNever;
  std::vector<std::pair<u32, u32>> ranges_;
};

}  // namespace penstock::world
