// SPDX-License-Identifier: GPL-2.0-only
// The transmission control block of a sender, RFC 9293 section 3.3.1: its components, each with its
// duty in its header, and what only several of them know together. The events of RFC 9293 section
// 3.10 work on it: acks.h, reactions.h, output.h, rate.h and, for the opening, sender.h.
#pragma once

#include <memory>

#include "sim/tcp/accecn.h"
#include "sim/tcp/config.h"
#include "sim/tcp/congestion_control.h"
#include "sim/tcp/delivery.h"
#include "sim/tcp/ecn_response.h"
#include "sim/tcp/handshake.h"
#include "sim/tcp/loss_recovery.h"
#include "sim/tcp/membership.h"
#include "sim/tcp/pacer.h"
#include "sim/tcp/peer_window.h"
#include "sim/tcp/retransmission_timer.h"
#include "sim/tcp/segment_headers.h"
#include "sim/tcp/send_buffer.h"
#include "sim/tcp/stopwatch.h"

namespace penstock::tcp {

struct Tcb {
  Tcb(const SenderConfig& c, std::uint32_t initial_seq, std::uint64_t size_bytes,
      SendBuffer::After after);

  std::uint32_t mss_bytes() const { return handshake.mss_bytes(); }
  std::uint64_t right_edge() const { return data.una() + window.bytes(); }
  bool paces() const { return rate || congestion.burst_segments() > 0; }
  Rack::Echo echo_of(const Segment& ack) const {
    return {headers.has_timestamp(ack), ack.ts_ecr, headers.clock()};
  }
  // Estimated to be in the network: pipe of RFC 6675.
  std::uint64_t pipe_bytes() const {
    PST_REQUIRE(data.una() <= data.max());
    return losses.pipe_bytes(data, rate ? rate->duplicate_bytes() : 0);
  }
  // What the method sees at an event.
  struct pst_sender_view view(std::uint64_t acked, std::uint64_t flight, std::uint64_t rtt_ns,
                              std::uint64_t now_ns) const {
    PST_REQUIRE(acked <= flight || flight == 0);
    const RouterFeedback& feedback = congestion.feedback();
    return {
        .now_ns = now_ns,
        .acked_bytes = acked,
        .delivered_bytes = 0,  // on_sample alone has it
        .flight_bytes = flight,
        .window_bytes = window.bytes(),
        .rtt_ns = rtt_ns,
        .srtt_ns = timer.rtt().srtt_ns(),
        .min_rtt_ns = timer.rtt().min_rtt_ns(),
        .una = data.una(),
        .sent = data.max(),
        .delivery = nullptr,  // steer() alone has it
        .mss_bytes = handshake.mss_bytes(),
        .feedback_bytes = feedback.bytes(),
        .feedback_label = feedback.label(),
        .secret = headers.secret(),
        .cwnd_limited = congestion.permits_growth(),
        .has_feedback = feedback.used(),
        .echoes = false,  // on_sample alone has it
    };
  }
  // At both ends of each event, once the handshake is over.
  bool is_sound() const {
    return handshake.established() && data.is_ordered() && congestion.bytes() > 0 &&
           congestion.bytes() <= PST_MAX_BYTES && mss_bytes() > 0 &&
           losses.sacked_bytes() <= data.flight_bytes() &&
           (!losses.active() || data.flight_bytes() > 0);
  }
  // What an ensemble sees and sets.
  Membership::State shared(std::uint64_t now_ns);

  const SenderConfig* config;
  SendBuffer data;
  SegmentHeaders headers;
  Handshake handshake;
  RetransmissionTimer timer;
  Stopwatch stopwatch;
  PeerWindow window;
  CongestionControl congestion;
  LossRecovery losses;
  EcnResponse ecn;
  Pacer pacer;
  std::unique_ptr<AccEcn> accecn;  // once both ends agreed on it
  std::unique_ptr<Membership> member;  // of an ensemble, if any
  std::unique_ptr<Delivery> rate;  // only for methods that send at a rate
  std::uint64_t last_sent_ns = 0;
  std::uint64_t small_end = 0;  // of the last segment that was not full
  SenderCounters counters;
};

}  // namespace penstock::tcp
