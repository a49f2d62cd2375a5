// SPDX-License-Identifier: GPL-2.0-only
// A SYN with its options: RFC 9293 section 3.7.1, RFC 7323 sections 2 and 3, RFC 2018 section 2.
#pragma once

#include "sim/tcp/segment.h"
#include "sim/tcp/seq.h"

namespace penstock::tcp {

// What an end offers; in an answer, only what the other end offers as well.
struct SynOffer {
  std::uint32_t seq;
  std::uint32_t mss_bytes;  // payload of a full segment
  std::uint8_t scale;
  bool timestamps;
  bool sack;
  bool scaled;
};

inline Segment make_syn(const SynOffer& o, TimestampClock clock, std::uint64_t now_ns) {
  Segment s{};
  s.seq = o.seq;
  s.flags = kSyn;
  s.options = kMss;
  s.syn.mss_bytes = static_cast<std::uint16_t>(o.mss_bytes);
  if (o.timestamps) {  // the MSS option does not count other options, RFC 6691
    s.options |= kTimestamps;
    s.ts_val = clock.at(now_ns);
    s.syn.mss_bytes = static_cast<std::uint16_t>(s.syn.mss_bytes + PST_TIMESTAMPS_BYTES);
  }
  if (o.sack) s.options |= kSackPermitted;
  if (o.scaled) {
    s.options |= kWindowScale;
    s.syn.scale = o.scale;
  }
  return s;
}

// RFC 3168 section 6.1.1: of a SYN both flags ask for ECN, of its answer ECE alone agrees to it.
inline bool asks_for_ecn(const Segment& s) {
  return (s.flags & (kEce | kCwr)) == (s.flags & kAck ? kEce : kEce | kCwr);
}

inline void answer_syn(Segment& s, std::uint32_t ack, std::uint32_t ts_recent) {
  s.flags |= kAck;
  s.ack = ack;
  if (s.options & kTimestamps) s.ts_ecr = ts_recent;
}

}  // namespace penstock::tcp
