// SPDX-License-Identifier: GPL-2.0-only
// Loss detection by time and tail loss probes at the sender, RFC 8985 sections 6 and 7, in place
// of RFC 6675's counting; only with SACK.
#include "sim/tcp/sender.h"
#include "sim/tcp/seq.h"

namespace penstock::tcp {

// Steps 4 and 5, and what the ACK says of a probe. `bare_duplicate`: without any block.
void Sender::on_rack_ack(const Segment& s, std::uint64_t ack, bool bare_duplicate,
                         std::uint64_t now_ns, Output& out) {
  Rack& rack = *losses_.rack();
  const std::uint64_t duplicate_end = headers_.duplicate_end(s, ack);
  if (duplicate_end) pst_rack_on_dsack(&rack.state, buffer_.una(), buffer_.max());
  const bool repaired = rack.probe.on_ack(ack, duplicate_end, bare_duplicate);
  detect_losses(now_ns, out);
  if (repaired && !losses_.active()) react_to_loss(now_ns);
}

void Sender::detect_losses(std::uint64_t now_ns, Output& out) {
  if (losses_.finds_loss_by_time(timer_.rtt(), now_ns)) enter_fast_recovery(now_ns, out);
}

void Sender::on_reorder_timer(std::uint64_t now_ns, Output& out) {
  detect_losses(now_ns, out);
  if (reduces_in_proportion()) reduce_in_proportion(0);
  send(now_ns, out);
  set_timer(now_ns, false);
}

// As send_holes(): withheld beyond the right edge.
void Sender::send_lost(std::uint64_t* pipe, std::uint64_t now_ns, Output& out) {
  const std::uint64_t limit = std::max(right_edge(), buffer_.una());
  while (const SentSegment* s = losses_.rack()->next_lost()) {
    const std::uint64_t start = s->start;
    const std::uint64_t end = std::min(s->end, limit);
    if (start >= limit || !may_send(*pipe, end - start, now_ns)) return;
    *pipe += end - start;
    transmit(start, end, now_ns, out);
  }
}

// Section 7.2: outside of recovery, nothing SACKed, no probe outstanding.
bool Sender::may_probe() const {
  return !losses_.active() && buffer_.flight_bytes() > 0 && losses_.sacked_bytes() == 0 &&
         !losses_.rack()->probe.outstanding();
}

void Sender::schedule_probe(std::uint64_t now_ns) {
  Rack& rack = *losses_.rack();
  if (may_probe())
    rack.probe.schedule(timer_.rtt().srtt_ns(), rack.single(), timer_.at_ns(), now_ns);
  else
    rack.probe.cancel();
}

// Section 7.3: new data regardless of cwnd, or the last segment.
void Sender::send_probe(std::uint64_t now_ns, Output& out) {
  Rack& rack = *losses_.rack();
  rack.probe.stop();
  if (!may_probe()) return;
  const std::uint64_t end = new_segment_end();
  const bool again = end == buffer_.max();
  if (again) {
    const SentSegment last = rack.last();
    transmit(last.start, last.end, now_ns, out);
  } else {
    transmit(buffer_.max(), end, now_ns, out);
  }
  rack.probe.on_send(buffer_.max(), again);
  set_timer(now_ns, true);
}

}  // namespace penstock::tcp
