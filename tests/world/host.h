// SPDX-License-Identifier: GPL-2.0-only
// An honest end of a connection: RFC 9293 with NewReno (RFC 6582) or SACK (RFC 2018), ECN
// (RFC 3168), window scale, delayed ACKs, windows that close while the application does not read,
// zero-window probes and RFC 5961's answers to segments out of order. It knows no gateway.
#pragma once

#include <vector>

#include "tests/world/ranges.h"

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
  bool sack = false;
  u8 ecn = kNotEct;  // what its data carries if both ends agree
  bool deaf = false;  // it ignores ECE
  u64 stall_bytes = 0;  // when it has so many, the application stops reading
  u64 stall_ns = 0;     // for so long
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
  // The bytes of the other end's that are here.
  u32 received_bytes() const { return received_ - first_; }
  // Its application has written more than is sent.
  bool wants_more(u64 now_ns) const;
  bool stalls() const { return stalled_; }

 private:
  enum class State { kClosed, kSynSent, kSynReceived, kEstablished };

  Segment segment(u32 seq, u16 flags, u32 bytes = 0);
  void send_syn(u64 now_ns);
  void send_ack();
  void take_reset(const Segment& s);
  void take_syn(const Segment& s, u64 now_ns);
  void establish(const Segment& s);
  bool is_acceptable(const Segment& s) const;
  u32 offered_field(u32 shift);
  bool take_ack(const Segment& s, u64 now_ns);
  bool take_sacks(const Segment& s);
  void take_echo(const Segment& s);
  bool repair(u64 now_ns);
  void take_new_ack(const Segment& s, u64 now_ns);
  void take_duplicate(u64 now_ns);
  void take_data(const Segment& s, u64 now_ns);
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
  bool sack_ok_ = false, ecn_ok_ = false, cwr_due_ = false;
  u32 repaired_ = 0, reduced_ = 0;
  Ranges sacked_;
  u64 resume_ns_ = 0;
  u64 timer_ns_ = kNever, rto_ns_ = kSecond, srtt_ns_ = 0, variance_ns_ = 0;
  u32 backoff_ = 0, timed_ = 0;
  u64 timed_ns_ = kNever;
  // Receiving.
  u32 first_ = 0, received_ = 0, edge_ = 0, unacked_ = 0, fin_at_ = 0;
  bool knows_fin_ = false, fin_received_ = false;
  bool echo_ = false, stalled_ = false;
  u32 read_ = 0;  // what the application has read, until it stalls
  u64 ack_ns_ = kNever, wake_ns_ = kNever;
  Ranges held_;
};

}  // namespace penstock::world
