// SPDX-License-Identifier: GPL-2.0-only
// What a host receives, and what it says of that.
#include <algorithm>

#include "tests/world/host.h"

namespace penstock::world {

namespace {

constexpr u64 kDelayedAckNs = 40 * kMs;

}  // namespace

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
  const u32 field = offered_field(shift);
  s.window = static_cast<u16>(field);
  if (after(received_ + (field << shift), edge_)) edge_ = received_ + (field << shift);
  if (flags & kSyn) return s;
  if (echo_) s.flags |= kEce;
  if (!sack_ok_) return s;
  for (const auto& range : held_.newest(kMostSacks)) s.sack[s.sacks++] = range;
  return s;
}

// The edge stays where it is until there is room for a segment (RFC 9293 section 3.8.6.2.2).
u32 Host::offered_field(u32 shift) {
  const u32 unread = stalled_ ? received_ - read_ : 0;
  const u32 room = plan_.buffer_bytes > unread ? plan_.buffer_bytes - unread : 0;
  const u32 least = std::min(mss_, plan_.buffer_bytes / 2);
  if (stalled_ && before(received_ + room, edge_ + least))
    return std::min((window_bytes() + (1U << shift) - 1) >> shift, 65535U);
  return std::min(room >> shift, 65535U);
}

// Of the highest number: what goes back for a retransmission is no SND.NXT.
void Host::send_ack() { out_.push_back(segment(most_, kAck)); }

bool Host::is_acceptable(const Segment& s) const {
  const u32 bytes = s.payload_bytes + (s.flags & kFin ? 1 : 0);
  const u32 window = window_bytes();
  if (!bytes) return s.seq == received_ || s.seq - received_ < window;
  return after(s.seq + bytes, received_) && !after(s.seq, received_ + window);
}

void Host::take_data(const Segment& s, u64 now_ns) {
  const u32 bytes = s.payload_bytes;
  if (!bytes && !(s.flags & kFin)) return;
  if (s.flags & kCwr) echo_ = false;
  if (ecn_ok_ && s.ecn == kCe) echo_ = true;
  if (s.flags & kFin) {
    knows_fin_ = true;
    fin_at_ = s.seq + bytes;
  }
  const u32 before_it = received_;
  const u32 from = before(s.seq, received_) ? received_ : s.seq;
  if (after(s.seq + bytes, from)) held_.add(from, s.seq + bytes);
  received_ = held_.gap(received_);
  held_.forget(received_);
  if (knows_fin_ && received_ == fin_at_) {
    received_ = fin_at_ + 1;
    fin_received_ = true;
  }
  unacked_ += received_ - before_it;
  if (plan_.stall_ns && received_ - first_ >= plan_.stall_bytes) {
    stalled_ = true;
    read_ = received_;
    wake_ns_ = now_ns + plan_.stall_ns;
    plan_.stall_ns = 0;
  }
  const bool at_once = received_ == before_it || !held_.empty() || fin_received_;
  if (at_once || unacked_ >= 2 * mss_)
    send_ack();
  else if (ack_ns_ == kNever)
    ack_ns_ = now_ns + kDelayedAckNs;
}

}  // namespace penstock::world
