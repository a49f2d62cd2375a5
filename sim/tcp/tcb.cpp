// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/tcb.h"

#include "core/base.h"

namespace penstock::tcp {

Tcb::Tcb(const SenderConfig& c, std::uint32_t initial_seq, std::uint64_t size_bytes,
         SendBuffer::After after)
    : config(&c),
      data(size_bytes, after),
      headers(initial_seq),
      handshake(c),
      timer(c),
      congestion(c),
      losses(c) {
  if (pst_sender_has_rate(c.method))
    rate = std::make_unique<Delivery>(pst_sender_hears_losses(c.method));
}

std::uint64_t Tcb::pipe_bytes() const {
  PST_REQUIRE(data.una() <= data.max());
  return losses.pipe_bytes(data, rate ? rate->duplicate_bytes() : 0);
}

struct pst_sender_view Tcb::view(std::uint64_t acked, std::uint64_t flight, std::uint64_t rtt_ns,
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

// In fast recovery the window is that of the recovery; the share is applied afterwards.
Membership::State Tcb::shared(std::uint64_t now_ns) {
  return {.cwnd = congestion.cwnd(),
          .rtt = timer.rtt(),
          .now_ns = now_ns,
          .mss_bytes = handshake.mss_bytes(),
          .timed_out = losses.state() == LossRecovery::State::kTimeout,
          .idle = data.idle()};
}

}  // namespace penstock::tcp
