// SPDX-License-Identifier: GPL-2.0-only
// Loss and congestion at the sender: RFC 5681 section 3.2, RFC 6582 section 3
// (no SACK), RFC 6675 section 5 (SACK), RFC 6298 section 5 (timeout), RFC 3168
// section 6.1.2 (ECN). The method in core/sender decides ssthresh.
#include "sim/tcp/sender.h"
#include "sim/tcp/seq.h"

namespace penstock::tcp {

void Sender::on_duplicate(std::uint64_t now_ns, Output& out) {
  losses_.take_duplicate();
  if (rate_ && !losses_.sack()) rate_->on_duplicate(handshake_.mss_bytes());
  if (congestion_.samples()) sample(0, buffer_.flight_bytes(), 0, now_ns);
  if (losses_.state() == LossRecovery::State::kFast) {
    // RFC 6582 step 3: one has left the network.
    if (!losses_.sack() && !rate_) congestion_.inflate(handshake_.mss_bytes());
    return;
  }
  if (losses_.finds_loss(buffer_, congestion_.recovers_one())) enter_fast_recovery(now_ns, out);
}

void Sender::reduce(enum pst_congestion why, std::uint64_t now_ns) {
  const std::uint64_t used =
      config_->ssthresh_of_cwnd ? congestion_.bytes() : buffer_.flight_bytes();
  congestion_.reduce(why, view(0, used, 0, now_ns));
  ecn_.on_reduction();
}

// One reduction per window, whether by ECE or by loss (RFC 3168).
void Sender::react_to_loss(std::uint64_t now_ns) {
  if (ecn_.covers(buffer_.una() + 1)) return;
  reduce(PST_LOSS, now_ns);
  if (rate_) return;
  congestion_.set(std::max<std::uint64_t>(congestion_.ssthresh_bytes(), handshake_.mss_bytes()));
  if (member_) member_->push(shared(now_ns), Membership::Event::kCongestion);
}

void Sender::enter_fast_recovery(std::uint64_t now_ns, Output& out) {
  react_to_loss(now_ns);
  ++counters_.fast_recoveries;
  losses_.begin(buffer_);
  if (!losses_.sack() && !rate_)
    congestion_.inflate(std::uint64_t{config_->dupack_threshold} * handshake_.mss_bytes());
  if (rate_ && !losses_.sack()) rate_->lose(handshake_.mss_bytes());
  // With a rate, as send() finds room; and where the proportion says so from the first ACK on.
  if (!losses_.sack() || !(rate_ || config_->prr_safe_ack)) resend_first(now_ns, out);
  losses_.allow_rescue();
  if (config_->recovery_timer == RecoveryTimer::kStandard) set_timer(now_ns, true);
}

void Sender::reduce_in_proportion(std::uint64_t delivered) {
  congestion_.set(losses_.window_in_proportion(delivered, pipe_bytes(),
                                               congestion_.ssthresh_bytes(), buffer_.una()));
}

void Sender::leave_recovery(std::uint64_t now_ns) {
  losses_.end();
  congestion_.use().forget_early();
  congestion_.recovered(view(0, buffer_.flight_bytes(), 0, now_ns));
  if (member_) member_->pull(shared(now_ns));
}

void Sender::on_recovery_ack(std::uint64_t acked, std::uint64_t now_ns, Output& out) {
  const bool one = congestion_.recovers_one();
  if (losses_.ends(buffer_.una()) || one) {
    if (rate_) {
      // The method restores its window.
    } else if (one || (config_->prr && losses_.sack())) {  // RFC 2581 section 3.2 step 5; RFC 6937
      congestion_.set(congestion_.ssthresh_bytes());
    } else if (!losses_.sack()) {  // RFC 6582 step 3, full acknowledgment, option 1
      const std::uint64_t flight =
          std::max<std::uint64_t>(buffer_.flight_bytes(), handshake_.mss_bytes());
      congestion_.set(pst_min(congestion_.ssthresh_bytes(), flight + handshake_.mss_bytes()));
    }
    leave_recovery(now_ns);
    set_timer(now_ns, true);
    return;
  }
  const bool each = losses_.sack() && config_->recovery_timer == RecoveryTimer::kStandard;
  const bool first = losses_.take_partial();
  if (each || first) set_timer(now_ns, true);
  if (losses_.sack()) return;
  // Partial acknowledgment: the next segment is lost too. Deflate and retransmit it.
  if (rate_) {
    rate_->lose(handshake_.mss_bytes());
  } else {
    congestion_.deflate(acked, handshake_.mss_bytes());
  }
  losses_.board().restart(buffer_.una());
  resend_first(now_ns, out);
}

void Sender::on_ecn_echo(std::uint64_t ack, std::uint64_t now_ns) {
  if (ecn_.covers(ack) || losses_.active()) return;
  ++counters_.ecn_reductions;
  reduce(PST_ECN, now_ns);
  congestion_.limit(congestion_.ssthresh_bytes(), handshake_.mss_bytes());
  if (member_) member_->push(shared(now_ns), Membership::Event::kCongestion);
  ecn_.on_echo(buffer_.max());
}

void Sender::on_timeout(std::uint64_t now_ns, Output& out) {
  ++counters_.timeouts;
  // RFC 5681 section 3.1: ssthresh is kept while the same segment times out again.
  if (rate_ && !losses_.rack()) lose_all();
  if (timer_.expire()) reduce(PST_TIMEOUT, now_ns);
  congestion_.set(handshake_.mss_bytes());
  losses_.on_timeout(buffer_, timer_.rtt(), now_ns);
  if (member_) member_->push(shared(now_ns), Membership::Event::kCongestion);
  congestion_.use().forget_early();
  resend_first(now_ns, out);
  set_timer(now_ns, true);
}

// The first unacknowledged segment, or the first that RACK found lost, regardless of cwnd and
// window: beyond the right edge it serves as a probe, as in Linux.
void Sender::resend_first(std::uint64_t now_ns, Output& out) {
  Interval first = losses_.first_lost(buffer_);
  if (right_edge() > first.start) first.end = std::min(first.end, right_edge());
  if (!losses_.rack()) losses_.board().retransmitted(first.start, first.end);
  transmit(first.start, first.end, now_ns, out);
}

}  // namespace penstock::tcp
