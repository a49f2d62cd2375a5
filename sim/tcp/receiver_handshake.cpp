// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/receiver_handshake.h"

#include "sim/tcp/syn.h"

namespace penstock::tcp {

void ReceiverHandshake::agree_on_options(const Segment& s) {
  PST_REQUIRE(s.flags & kSyn);
  PST_REQUIRE(!established_);
  syn_seen_ = true;
  peer_initial_seq_ = s.seq;
  timestamps_ = config_->timestamps && (s.options & kTimestamps);
  sack_ = config_->sack && (s.options & kSackPermitted);
  scaled_ = config_->window_scale && (s.options & kWindowScale);
  if (s.flags & kAck) ecn_.hear_syn_ack(s);
  PST_ENSURE(s.flags & kAck || !config_->opens);  // a SYN answers ours, or opens
}

Segment ReceiverHandshake::syn(std::uint8_t scale, std::uint64_t now_ns) const {
  Segment s = make_syn({.seq = initial_seq_,
                        .mss_bytes = config_->mss_bytes,
                        .scale = scale,
                        .timestamps = config_->timestamps,
                        .sack = config_->sack,
                        .scaled = config_->window_scale},
                       clock_of(*config_), now_ns);
  ecn_.ask(s);
  return s;
}

Segment ReceiverHandshake::syn_ack(std::uint8_t scale, std::uint32_t ts_recent,
                                   std::uint64_t now_ns) const {
  Segment s = make_syn({.seq = initial_seq_,
                        .mss_bytes = config_->mss_bytes,
                        .scale = scale,
                        .timestamps = timestamps_,
                        .sack = sack_,
                        .scaled = scaled_},
                       clock_of(*config_), now_ns);
  PST_REQUIRE(syn_seen_ && scale <= 14);
  answer_syn(s, wrap(1, peer_initial_seq_), ts_recent);
  ecn_.answer(s);
  return s;
}

}  // namespace penstock::tcp
