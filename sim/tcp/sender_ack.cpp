// SPDX-License-Identifier: GPL-2.0-only
// ACK processing at the sender: RFC 9293 section 3.10.7.4 (windows), RFC 5681 section 2
// (duplicates), RFC 6675 section 5 (SACK), RFC 6298 section 3 and RFC 7323 section 4 (round-trip
// samples), RFC 7661 section 4.3 (growth).
#include "sim/tcp/sender.h"
#include "sim/tcp/seq.h"

namespace penstock::tcp {

void Sender::on_ack(const Segment& s, std::uint64_t now_ns, Output& out) {
  const std::uint64_t ack = headers_.offset(s.ack, buffer_.una());
  if (ack > buffer_.max()) return;  // acknowledges what was never sent
  const std::uint64_t una_before = buffer_.una();
  if (rate_) rate_->begin(pipe_bytes(), total_lost_bytes());
  if (congestion_.feedback().used()) congestion_.feedback().take(s);
  if (member_ && losses_.state() != LossRecovery::State::kFast) member_->pull(shared(now_ns));
  const bool window_changed = window_.differs(s);
  const std::uint64_t delivered_before = config_->prr ? losses_.delivered_bytes(buffer_) : 0;
  if (ack >= buffer_.una()) window_.update(s, ack > buffer_.una());
  headers_.take_timestamp(s);

  const bool has_blocks = losses_.sack() && (s.options & kSackCountMask);
  const std::uint64_t reported = has_blocks ? take_sack(s, ack, now_ns) : 0;
  if (ecn_.echoed(s)) on_ecn_echo(ack, now_ns);
  if (ack > buffer_.una()) advance(s, ack, now_ns, out);
  // RFC 5681: same ACK, same window, data outstanding, none in it; with SACK, RFC 6675: new SACK
  // information, regardless of the window.
  const bool duplicate = losses_.sack() ? reported > 0
                                        : ack == una_before && !window_changed &&
                                              buffer_.una() < buffer_.max() && s.payload_bytes == 0;
  if (duplicate) {
    congestion_.use().tell_early(losses_.sack() ? reported : handshake_.mss_bytes());
    on_duplicate(now_ns, out);
  }
  if (losses_.rack()) {
    const bool bare = ack == una_before && !window_changed && !has_blocks;
    on_rack_ack(s, ack, bare, now_ns, out);
  }
  if (reduces_in_proportion())
    reduce_in_proportion(losses_.delivered_bytes(buffer_) - delivered_before);
  if (rate_) steer(now_ns);
  // nis-2004 eq. 2.8. A closed window says nothing of the load: Freeze-TCP's keeps cwnd.
  if (config_->hold_cwnd && window_.bytes())
    congestion_.limit(window_.bytes(), handshake_.mss_bytes());
  send(now_ns, out);
  set_timer(now_ns, false);
  if (!member_) return;
  member_->ask(shared(now_ns));
  if (!buffer_.done()) return;
  member_->leave(shared(now_ns));
  member_.reset();
}

// Returns the bytes reported for the first time.
std::uint64_t Sender::take_sack(const Segment& s, std::uint64_t ack, std::uint64_t now_ns) {
  const std::uint64_t una = buffer_.una();
  if (losses_.rack() && ack > una) losses_.take_ack_by_time(ack, echo_of(s), timer_.rtt(), now_ns);
  const SackBlocks blocks = headers_.blocks(s, std::max(ack, una), buffer_.max(), una);
  for (const Interval& block : blocks)
    if (rate_) rate_->on_sack(block, now_ns);
  return losses_.take_blocks(blocks, timer_.rtt(), now_ns);
}

void Sender::advance(const Segment& s, std::uint64_t ack, std::uint64_t now_ns, Output& out) {
  const std::uint64_t acked = ack - buffer_.una();
  const std::uint64_t flight = buffer_.flight_bytes();
  const std::uint64_t rtt_ns = take_rtt(s, ack, now_ns);
  losses_.take_ack(buffer_.una(), ack);
  if (losses_.rack()) losses_.take_ack_by_time(ack, echo_of(s), timer_.rtt(), now_ns);
  if (rate_) rate_->on_ack(ack, handshake_.mss_bytes(), now_ns);
  buffer_.acknowledge(ack);
  timer_.on_progress();
  if (congestion_.samples()) sample(acked, flight, rtt_ns, now_ns);
  if (!losses_.active()) {
    // RFC 3168 section 6.1.2: no growth on an ACK that echoes congestion.
    if (!ecn_.echoed(s)) grow_window(acked, flight, rtt_ns, now_ns);
    set_timer(now_ns, true);
    return;
  }
  if (losses_.state() == LossRecovery::State::kTimeout) {
    // RFC 3465 section 2.3: one segment per ACK while slow start refills holes.
    const bool slow_start = congestion_.slow_start();
    grow_window(slow_start ? std::min<std::uint64_t>(acked, handshake_.mss_bytes()) : acked, flight,
                rtt_ns, now_ns);
    if (losses_.ends(buffer_.una())) leave_recovery(now_ns);
    set_timer(now_ns, true);
    return;
  }
  on_recovery_ack(acked, now_ns, out);
}

// One RTT sample from the echoed timestamp of each ACK of new data, or from one segment at a time
// that was sent only once (Karn). Returns 0 without a sample.
std::uint64_t Sender::take_rtt(const Segment& s, std::uint64_t ack, std::uint64_t now_ns) {
  std::uint64_t rtt_ns;
  if (headers_.timestamps()) {
    rtt_ns = headers_.echoed_rtt_ns(s, now_ns);
  } else if (!stopwatch_.on_ack(ack, now_ns, rtt_ns)) {
    return 0;
  }
  timer_.take_sample(rtt_ns);
  return rtt_ns;
}

void Sender::grow_window(std::uint64_t acked, std::uint64_t flight, std::uint64_t rtt_ns,
                         std::uint64_t now_ns) {
  if (rate_) return;
  struct pst_sender_view v = view(acked, flight, rtt_ns, now_ns);
  acked = congestion_.grow(v);
  if (member_) member_->push(shared(now_ns), Membership::Event::kAck, acked);
}

void Sender::sample(std::uint64_t acked, std::uint64_t flight, std::uint64_t rtt_ns,
                    std::uint64_t now_ns) {
  struct pst_sender_view v = view(acked, flight, rtt_ns, now_ns);
  v.delivered_bytes = losses_.delivered_bytes(buffer_);
  congestion_.sample(v);
}

struct pst_sender_view Sender::view(std::uint64_t acked, std::uint64_t flight, std::uint64_t rtt_ns,
                                    std::uint64_t now_ns) const {
  const RouterFeedback& feedback = congestion_.feedback();
  return {
      .now_ns = now_ns,
      .acked_bytes = acked,
      .delivered_bytes = 0,  // on_sample alone has it
      .flight_bytes = flight,
      .window_bytes = window_.bytes(),
      .rtt_ns = rtt_ns,
      .srtt_ns = timer_.rtt().srtt_ns(),
      .min_rtt_ns = timer_.rtt().min_rtt_ns(),
      .una = buffer_.una(),
      .sent = buffer_.max(),
      .delivery = nullptr,  // steer() alone has it
      .mss_bytes = handshake_.mss_bytes(),
      .feedback_bytes = feedback.bytes(),
      .feedback_label = feedback.label(),
      .secret = headers_.secret(),
      .cwnd_limited = congestion_.permits_growth(),
      .has_feedback = feedback.used(),
  };
}

}  // namespace penstock::tcp
