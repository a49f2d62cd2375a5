// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/tcb.h"

#include "core/base.h"

namespace penstock::tcp {

Tcb::Tcb(const SenderConfig& c, std::uint32_t initial_seq, std::uint64_t size_bytes,
         SendBuffer::After after)
    : config(&c),
      data(size_bytes, after),
      headers(initial_seq, clock_of(c)),
      handshake(c),
      timer(c),
      congestion(c),
      losses(c) {
  if (pst_sender_has_rate(c.method))
    rate = std::make_unique<Delivery>(pst_sender_hears_losses(c.method));
}

Membership::State Tcb::shared(std::uint64_t now_ns) {
  return {.cwnd = congestion.cwnd(),
          .rtt = timer.rtt(),
          .now_ns = now_ns,
          .mss_bytes = handshake.mss_bytes(),
          .timed_out = losses.state() == LossRecovery::State::kTimeout,
          .idle = data.idle()};
}

}  // namespace penstock::tcp
