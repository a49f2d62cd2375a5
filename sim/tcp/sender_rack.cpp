// SPDX-License-Identifier: GPL-2.0-only
// Loss detection by time and tail loss probes at the sender, RFC 8985 sections 6 and 7, in place
// of RFC 6675's counting; only with SACK.
#include "sim/tcp/sender.h"
#include "sim/tcp/seq.h"

namespace penstock::tcp {

struct pst_rack_ack Sender::rack_ack(std::uint64_t now_ns) const {
  return {.now_ns = now_ns,
          .min_rtt_ns = timer_.rtt().min_rtt_ns(),
          .srtt_ns = timer_.rtt().srtt_ns(),
          .sacked_segments = rack_->sacked_segments(),
          .in_recovery = recovery_ != Recovery::kNone};
}

// The end of the duplicate that the ACK reports, 0 for none: a first block that is acknowledged
// already, or lies within the second (RFC 2883 section 4).
std::uint64_t Sender::dsack_end(const Segment& s, std::uint64_t ack) const {
  const unsigned blocks = s.options & kSackCountMask;
  if (blocks == 0) return 0;
  const std::uint64_t end = headers_.offset(s.sack[0].end, buffer_.una());
  if (end <= ack) return end;
  const bool within = blocks > 1 &&
                      s.sack[0].start - s.sack[1].start <= s.sack[1].end - s.sack[1].start &&
                      s.sack[1].end - s.sack[0].end <= s.sack[1].end - s.sack[1].start;
  return within ? end : 0;
}

// Steps 4 and 5, and what the ACK says of a probe. `bare_duplicate`: without any block.
void Sender::on_rack_ack(const Segment& s, std::uint64_t ack, bool bare_duplicate,
                         std::uint64_t now_ns, Output& out) {
  const std::uint64_t duplicate_end = dsack_end(s, ack);
  if (duplicate_end) pst_rack_on_dsack(&rack_->state, buffer_.una(), buffer_.max());
  const bool repaired = pst_tlp_on_ack(&rack_->probe, ack, duplicate_end, bare_duplicate);
  detect_losses(now_ns, out);
  if (repaired && recovery_ == Recovery::kNone) react_to_loss(now_ns);
}

void Sender::detect_losses(std::uint64_t now_ns, Output& out) {
  const struct pst_rack_ack a = rack_ack(now_ns);
  rack_->reorder_at_ns = rack_->detect(a);
  if (rack_->any_lost() && recovery_ == Recovery::kNone) enter_fast_recovery(now_ns, out);
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
  while (const SentSegment* s = rack_->next_lost()) {
    const std::uint64_t start = s->start;
    const std::uint64_t end = std::min(s->end, limit);
    if (start >= limit || !may_send(*pipe, end - start, now_ns)) return;
    *pipe += end - start;
    transmit(start, end, now_ns, out);
  }
}

// Section 7.2: outside of recovery, nothing SACKed, no probe outstanding.
bool Sender::may_probe() const {
  return recovery_ == Recovery::kNone && buffer_.una() < buffer_.max() &&
         rack_->sacked_bytes() == 0 && rack_->probe.end == 0;
}

void Sender::schedule_probe(std::uint64_t now_ns) {
  if (!may_probe()) {
    rack_->probe_at_ns = kNever;
  } else if (rack_->probe_due) {
    const std::uint64_t pto_ns = pst_tlp_pto_ns(timer_.rtt().srtt_ns(), rack_->single());
    rack_->probe_at_ns = std::min(now_ns + pto_ns, timer_.at_ns());
  }
  rack_->probe_due = false;
}

// Section 7.3: new data regardless of cwnd, or the last segment.
void Sender::send_probe(std::uint64_t now_ns, Output& out) {
  rack_->probe_at_ns = kNever;
  if (!may_probe()) return;
  const std::uint64_t end = new_segment_end();
  const bool again = end == buffer_.max();
  if (again) {
    const SentSegment last = rack_->last();
    transmit(last.start, last.end, now_ns, out);
  } else {
    transmit(buffer_.max(), end, now_ns, out);
  }
  rack_->probe = {buffer_.max(), again};
  set_timer(now_ns, true);
}

}  // namespace penstock::tcp
