// SPDX-License-Identifier: GPL-2.0-only
#include "tests/world/host.h"

#include <algorithm>
#include <utility>

namespace penstock::world {

namespace {

constexpr u64 kLeastRtoNs = 200 * kMs;
constexpr u64 kMostRtoNs = 20 * kSecond;
constexpr u32 kFirstSegments = 10;
constexpr u32 kMostBackoff = 7;

}  // namespace

Host::Host(const HostPlan& plan) : plan_(plan) {
  una_ = next_ = most_ = reduced_ = plan.isn;
  end_ = plan.isn + 1 + static_cast<u32>(plan.bytes);
  half_ = plan.isn + 1 + static_cast<u32>(plan.bytes / 2);
}

void Host::send_syn(u64 now_ns) {
  const bool answers = state_ == State::kSynReceived;
  Segment s = segment(plan_.isn, answers ? kSyn | kAck : kSyn);
  s.window = static_cast<u16>(std::min(plan_.buffer_bytes, 65535U));
  s.mss = plan_.mss;
  s.may_sack = answers ? sack_ok_ : plan_.sack;
  if (answers && ecn_ok_) s.flags |= kEce;
  if (!answers && plan_.ecn) s.flags |= kEce | kCwr;
  s.scale = answers && !scaled_ ? kNoScale : plan_.scale;
  out_.push_back(s);
  next_ = most_ = plan_.isn + 1;
  timer_ns_ = now_ns + std::min(rto_ns_ << backoff_, kMostRtoNs);
}

void Host::open(u64 now_ns) {
  state_ = State::kSynSent;
  send_syn(now_ns);
}

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
  first_ = received_ = edge_ = s.seq + 1;
  sack_ok_ = plan_.sack && s.may_sack;
  ecn_ok_ = plan_.ecn && (s.flags & (kEce | kCwr)) == (answers ? kEce : kEce | kCwr);
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
  const bool news = take_sacks(s);
  if (moves)
    take_new_ack(s, now_ns);
  else if (s.ack == una_ && (same || news) && !s.payload_bytes && !(s.flags & kFin) && flight())
    take_duplicate(now_ns);
  take_echo(s);
  return true;
}

// True if a block says what was not known.
bool Host::take_sacks(const Segment& s) {
  bool news = false;
  for (u8 i = 0; sack_ok_ && i < s.sacks; ++i) {
    const auto& [from, to] = s.sack[i];
    if (before(from, una_) || after(to, most_) || !before(from, to)) continue;
    news = news || before(sacked_.gap(from), to);
    sacked_.add(from, to);
  }
  return news;
}

// Once for each window of data (RFC 3168 section 6.1.2).
void Host::take_echo(const Segment& s) {
  if (!ecn_ok_ || plan_.deaf || !(s.flags & kEce) || recovering_ || before(una_, reduced_)) return;
  ssthresh_ = cwnd_ = std::max(flight() / 2, 2 * mss_);
  reduced_ = most_;
  cwr_due_ = true;
}

// The next gap that the receiver reports. False if all of them have been sent again.
bool Host::repair(u64 now_ns) {
  const u32 from = sacked_.gap(before(repaired_, una_) ? una_ : repaired_);
  const u32 bytes = std::min({mss_, sacked_.gap_end(from) - from, end_ - from});
  if (!bytes) return false;
  send_at(from, bytes, now_ns);
  repaired_ = from + bytes;
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
  sacked_.forget(una_);
  if (before(next_, una_)) next_ = una_;
  if (timed_ns_ != kNever && !before(una_, timed_)) {
    measure(now_ns - timed_ns_);
    timed_ns_ = kNever;
  }
  backoff_ = 0;
  duplicates_ = 0;
  if (una_ == end_ + 1) fin_acked_ = true;
  if (recovering_ && before(una_, recover_)) {
    if (sacked_.empty())
      send_at(una_, std::min(mss_, end_ - una_), now_ns);
    else
      repair(now_ns);
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
    if (sacked_.empty() || !repair(now_ns)) cwnd_ += mss_;
    return;
  }
  if (++duplicates_ < 3) return;
  recovering_ = true;
  recover_ = most_;
  ssthresh_ = std::max(flight() / 2, 2 * mss_);
  cwnd_ = ssthresh_ + 3 * mss_;
  repaired_ = una_;
  if (sacked_.empty() || !repair(now_ns)) send_at(una_, std::min(mss_, end_ - una_), now_ns);
}

// The end of what the application has written by now.
u32 Host::written(u64 now_ns) const {
  return plan_.pause_ns && (!resume_ns_ || now_ns < resume_ns_) ? half_ : end_;
}

void Host::send_at(u32 seq, u32 bytes, u64 now_ns) {
  const bool fin = seq + bytes == end_ && written(now_ns) == end_;
  const auto flags = static_cast<u16>(kAck | (fin ? kFin : 0));
  Segment s = segment(seq, flags, bytes);
  if (ecn_ok_ && bytes && !before(seq, most_)) {
    s.ecn = plan_.ecn;
    if (std::exchange(cwr_due_, false)) s.flags |= kCwr;
  }
  out_.push_back(s);
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

bool Host::wants_more(u64 now_ns) const {
  return state_ == State::kEstablished && before(next_, written(now_ns));
}

bool Host::send_one(u64 now_ns, bool forced) {
  const u32 limit = written(now_ns);
  next_ = sacked_.gap(next_);
  if (!before(next_, limit)) {
    if (next_ != end_ || limit != end_) return false;
    send_at(next_, 0, now_ns);  // the FIN alone
    return true;
  }
  const u32 hole = sacked_.gap_end(next_);
  const u32 left = (hole == next_ ? limit : hole) - next_;
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
  u64 due = std::min({timer_ns_, ack_ns_, wake_ns_});
  if (resume_ns_) due = std::min(due, resume_ns_);
  return due;
}

void Host::on_time(u64 now_ns) {
  if (now_ns >= ack_ns_) send_ack();
  if (now_ns >= wake_ns_) {
    wake_ns_ = kNever;
    stalled_ = false;
    send_ack();
  }
  if (resume_ns_ && now_ns >= resume_ns_) {
    resume_ns_ = 0;
    plan_.pause_ns = 0;
    send_data(now_ns);
  }
  if (now_ns >= timer_ns_) time_out(now_ns);
}

}  // namespace penstock::world
