// SPDX-License-Identifier: GPL-2.0-only
#include "tests/world/host.h"

#include <algorithm>

namespace penstock::world {

namespace {

constexpr u64 kLeastRtoNs = 200 * kMs;
constexpr u64 kMostRtoNs = 20 * kSecond;
constexpr u64 kDelayedAckNs = 40 * kMs;
constexpr u32 kFirstSegments = 10;
constexpr u32 kMostBackoff = 7;

}  // namespace

Host::Host(const HostPlan& plan) : plan_(plan) {
  una_ = next_ = most_ = plan.isn;
  end_ = plan.isn + 1 + static_cast<u32>(plan.bytes);
  half_ = plan.isn + 1 + static_cast<u32>(plan.bytes / 2);
}

u32 Host::window_bytes() const { return before(received_, edge_) ? edge_ - received_ : 0; }

Segment Host::segment(u32 seq, u16 flags, u32 bytes) {
  Segment s{};
  s.flow = plan_.flow;
  s.ipv6 = plan_.ipv6;
  s.from_near = plan_.near;
  s.seq = seq;
  s.flags = flags;
  s.payload_bytes = bytes;
  if (!(flags & kAck)) return s;
  s.ack = received_;
  unacked_ = 0;
  ack_ns_ = kNever;
  const u32 shift = flags & kSyn ? 0 : receive_shift();
  const u32 field = std::min(plan_.buffer_bytes >> shift, 65535U);
  s.window = static_cast<u16>(field);
  if (after(received_ + (field << shift), edge_)) edge_ = received_ + (field << shift);
  return s;
}

void Host::send_syn(u64 now_ns) {
  const bool answers = state_ == State::kSynReceived;
  Segment s = segment(plan_.isn, answers ? kSyn | kAck : kSyn);
  s.window = static_cast<u16>(std::min(plan_.buffer_bytes, 65535U));
  s.mss = plan_.mss;
  s.scale = answers && !scaled_ ? kNoScale : plan_.scale;
  out_.push_back(s);
  next_ = most_ = plan_.isn + 1;
  timer_ns_ = now_ns + std::min(rto_ns_ << backoff_, kMostRtoNs);
}

void Host::open(u64 now_ns) {
  state_ = State::kSynSent;
  send_syn(now_ns);
}

// Of the highest number: what goes back for a retransmission is no SND.NXT.
void Host::send_ack() { out_.push_back(segment(most_, kAck)); }

void Host::establish(const Segment& s) {
  state_ = State::kEstablished;
  una_ = s.ack;
  window_ = static_cast<u32>(s.window) << (s.flags & kSyn ? 0 : peer_shift_);
  most_window_ = std::max(most_window_, window_);
  wl1_ = s.seq;
  wl2_ = s.ack;
  cwnd_ = kFirstSegments * mss_;
  backoff_ = 0;
  timer_ns_ = kNever;
}

void Host::take_syn(const Segment& s, u64 now_ns) {
  if (state_ == State::kEstablished) {
    send_ack();  // RFC 5961 section 4
    return;
  }
  const bool answers = s.flags & kAck;
  if (state_ == State::kSynReceived) {
    if (!answers && s.seq + 1 == received_) send_syn(now_ns);
    return;
  }
  if (answers != (state_ == State::kSynSent) || answers != plan_.opens) return;
  received_ = edge_ = s.seq + 1;
  mss_ = std::min(plan_.mss, s.mss ? s.mss : 536U);
  scaled_ = s.scale != kNoScale && plan_.scale != kNoScale;
  peer_shift_ = scaled_ ? s.scale : 0;
  if (answers) {
    establish(s);
    send_ack();
    send_data(now_ns);
  } else {
    state_ = State::kSynReceived;
    send_syn(now_ns);
  }
}

// Back to listening, if somebody else has opened what the other end knows nothing of.
void Host::take_reset(const Segment& s) {
  if (state_ != State::kSynReceived || s.seq != received_) return;
  state_ = State::kClosed;
  timer_ns_ = kNever;
  backoff_ = 0;
}

bool Host::is_acceptable(const Segment& s) const {
  const u32 bytes = s.payload_bytes + (s.flags & kFin ? 1 : 0);
  const u32 window = window_bytes();
  if (!bytes) return s.seq == received_ || s.seq - received_ < window;
  return after(s.seq + bytes, received_) && !after(s.seq, received_ + window);
}

void Host::on_segment(const Segment& s, u64 now_ns) {
  if (s.flags & kRst) {
    take_reset(s);
    return;
  }
  if (state_ == State::kSynSent && s.flags & kAck && s.ack != plan_.isn + 1) {
    // Not of this connection (RFC 9293 section 3.10.7.3).
    out_.push_back(segment(s.ack, kRst));
    return;
  }
  if (s.flags & kSyn) {
    take_syn(s, now_ns);
    return;
  }
  if (!(s.flags & kAck) || state_ == State::kClosed || state_ == State::kSynSent) return;
  if (state_ == State::kSynReceived) {
    if (s.ack != plan_.isn + 1 || s.seq - received_ > plan_.buffer_bytes) return;
    establish(s);
  }
  if (!is_acceptable(s)) {
    send_ack();
    return;
  }
  if (!take_ack(s, now_ns)) return;
  take_data(s, now_ns);
  send_data(now_ns);
}

bool Host::take_ack(const Segment& s, u64 now_ns) {
  if (after(s.ack, most_) || before(s.ack, una_ - most_window_)) {
    send_ack();  // RFC 5961 section 5
    return false;
  }
  const u32 window = static_cast<u32>(s.window) << peer_shift_;
  const bool moves = after(s.ack, una_);
  const bool same = window == window_;
  if (moves || after(s.seq, wl1_) ||
      (s.seq == wl1_ && !before(s.ack, una_) && (window > window_ || !window))) {
    if (!before(s.ack, una_)) {
      window_ = window;
      most_window_ = std::max(most_window_, window);
      wl1_ = s.seq;
      wl2_ = s.ack;
    }
  }
  if (moves)
    take_new_ack(s, now_ns);
  else if (s.ack == una_ && same && !s.payload_bytes && !(s.flags & kFin) && flight())
    take_duplicate(now_ns);
  return true;
}

void Host::measure(u64 rtt_ns) {
  if (!srtt_ns_) {
    srtt_ns_ = rtt_ns;
    variance_ns_ = rtt_ns / 2;
  } else {
    const u64 apart = rtt_ns > srtt_ns_ ? rtt_ns - srtt_ns_ : srtt_ns_ - rtt_ns;
    variance_ns_ = (3 * variance_ns_ + apart) / 4;
    srtt_ns_ = (7 * srtt_ns_ + rtt_ns) / 8;
  }
  rto_ns_ = std::clamp(srtt_ns_ + 4 * variance_ns_, kLeastRtoNs, kMostRtoNs);
}

void Host::take_new_ack(const Segment& s, u64 now_ns) {
  const u32 acked = s.ack - una_;
  const bool fills_cwnd = flight() + mss_ > cwnd_;
  una_ = s.ack;
  if (before(next_, una_)) next_ = una_;
  if (timed_ns_ != kNever && !before(una_, timed_)) {
    measure(now_ns - timed_ns_);
    timed_ns_ = kNever;
  }
  backoff_ = 0;
  duplicates_ = 0;
  if (una_ == end_ + 1) fin_acked_ = true;
  if (recovering_ && before(una_, recover_)) {
    send_at(una_, std::min(mss_, end_ - una_), now_ns);
    cwnd_ = std::max(cwnd_ - std::min(cwnd_, acked) + mss_, mss_);
    return;  // the timer of the first ends a recovery that takes long (RFC 6582 section 4)
  } else if (recovering_) {
    recovering_ = false;
    cwnd_ = ssthresh_;
  } else if (!fills_cwnd) {
    // What the window withholds opens no cwnd (RFC 7661).
  } else if (cwnd_ < ssthresh_) {
    cwnd_ += std::min(acked, 2 * mss_);
  } else {
    cwnd_ += std::max(1U, static_cast<u32>(static_cast<u64>(mss_) * mss_ / cwnd_));
  }
  cwnd_ = std::min(cwnd_, 1U << 28);
  timer_ns_ = kNever;
  arm(now_ns);
}

void Host::take_duplicate(u64 now_ns) {
  if (recovering_) {
    cwnd_ += mss_;
    return;
  }
  if (++duplicates_ < 3) return;
  recovering_ = true;
  recover_ = most_;
  ssthresh_ = std::max(flight() / 2, 2 * mss_);
  cwnd_ = ssthresh_ + 3 * mss_;
  send_at(una_, std::min(mss_, end_ - una_), now_ns);
}

void Host::keep_range(u32 from, u32 to) {
  if (before(from, received_)) from = received_;
  if (!after(to, from)) return;
  std::vector<std::pair<u32, u32>> kept;
  for (const auto& [low, high] : ranges_) {
    if (before(to, low) || after(from, high)) {
      kept.emplace_back(low, high);
      continue;
    }
    if (before(low, from)) from = low;
    if (after(high, to)) to = high;
  }
  kept.emplace_back(from, to);
  ranges_ = std::move(kept);
}

void Host::take_data(const Segment& s, u64 now_ns) {
  const u32 bytes = s.payload_bytes;
  if (!bytes && !(s.flags & kFin)) return;
  if (s.flags & kFin) {
    knows_fin_ = true;
    fin_at_ = s.seq + bytes;
  }
  const u32 before_it = received_;
  if (bytes) keep_range(s.seq, s.seq + bytes);
  for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
    if (range->first != received_) continue;
    received_ = range->second;
    ranges_.erase(range);
    break;
  }
  if (knows_fin_ && received_ == fin_at_) {
    received_ = fin_at_ + 1;
    fin_received_ = true;
  }
  unacked_ += received_ - before_it;
  const bool at_once = received_ == before_it || !ranges_.empty() || fin_received_;
  if (at_once || unacked_ >= 2 * mss_)
    send_ack();
  else if (ack_ns_ == kNever)
    ack_ns_ = now_ns + kDelayedAckNs;
}

// The end of what the application has written by now.
u32 Host::written(u64 now_ns) const {
  return plan_.pause_ns && (!resume_ns_ || now_ns < resume_ns_) ? half_ : end_;
}

void Host::send_at(u32 seq, u32 bytes, u64 now_ns) {
  const bool fin = seq + bytes == end_ && written(now_ns) == end_;
  const auto flags = static_cast<u16>(kAck | (fin ? kFin : 0));
  out_.push_back(segment(seq, flags, bytes));
  const u32 to = seq + bytes + (fin ? 1 : 0);
  if (after(to, most_)) {
    most_ = to;
    if (timed_ns_ == kNever) {
      timed_ = to;
      timed_ns_ = now_ns;
    }
  } else if (timed_ns_ != kNever && before(seq, timed_)) {
    timed_ns_ = kNever;  // Karn
  }
  if (after(to, next_)) next_ = to;
  arm(now_ns);
}

bool Host::send_one(u64 now_ns, bool forced) {
  const u32 limit = written(now_ns);
  if (!before(next_, limit)) {
    if (next_ != end_ || limit != end_) return false;
    send_at(next_, 0, now_ns);  // the FIN alone
    return true;
  }
  const u32 left = limit - next_;
  const u32 edge = una_ + std::min(cwnd_, window_);
  const u32 room = after(edge, next_) ? edge - next_ : 0;
  const u32 bytes = std::min({mss_, left, room});
  const bool all = bytes == mss_ || bytes == left || (!flight() && bytes >= most_window_ / 2);
  if (!bytes || !(all || forced)) return false;
  send_at(next_, bytes, now_ns);
  return true;
}

void Host::send_data(u64 now_ns) {
  if (state_ != State::kEstablished) return;
  if (plan_.pause_ns && !resume_ns_ && !before(una_, half_)) resume_ns_ = now_ns + plan_.pause_ns;
  while (send_one(now_ns, false)) {
  }
  arm(now_ns);
}

void Host::arm(u64 now_ns) {
  if (timer_ns_ != kNever || state_ != State::kEstablished) return;
  if (flight() || before(next_, written(now_ns)))
    timer_ns_ = now_ns + std::min(rto_ns_ << backoff_, kMostRtoNs);
}

// Data waits, none is in flight, and the window admits no whole segment.
void Host::probe(u64 now_ns) {
  if (!send_one(now_ns, true)) out_.push_back(segment(una_ - 1, kAck));
}

void Host::time_out(u64 now_ns) {
  backoff_ = std::min(backoff_ + 1, kMostBackoff);
  timed_ns_ = kNever;
  if (state_ != State::kEstablished) {
    send_syn(now_ns);
    return;
  }
  timer_ns_ = kNever;
  if (!flight()) {
    probe(now_ns);
  } else {
    if (!recovering_ || backoff_ > 1) ssthresh_ = std::max(flight() / 2, 2 * mss_);
    recovering_ = false;
    duplicates_ = 0;
    cwnd_ = mss_;
    next_ = una_;
    if (!send_one(now_ns, true)) out_.push_back(segment(una_ - 1, kAck));
  }
  timer_ns_ = kNever;
  arm(now_ns);
}

u64 Host::due_ns() const {
  u64 due = std::min(timer_ns_, ack_ns_);
  if (resume_ns_) due = std::min(due, resume_ns_);
  return due;
}

void Host::on_time(u64 now_ns) {
  if (now_ns >= ack_ns_) send_ack();
  if (resume_ns_ && now_ns >= resume_ns_) {
    resume_ns_ = 0;
    plan_.pause_ns = 0;
    send_data(now_ns);
  }
  if (now_ns >= timer_ns_) time_out(now_ns);
}

}  // namespace penstock::world
