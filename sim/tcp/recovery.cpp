// SPDX-License-Identifier: GPL-2.0-only
// Loss and congestion at the sender: RFC 5681 section 3.2, RFC 6582 section 3
// (no SACK), RFC 6675 section 5 (SACK), RFC 6298 section 5 (timeout), RFC 3168
// section 6.1.2 (ECN). The method in core/sender decides ssthresh.
#include "sim/tcp/sender.h"
#include "sim/tcp/seq.h"

namespace penstock::tcp {

// Unreported data below the edge counts as lost: by SACK above it, or, after a timeout, all data
// sent before.
std::uint64_t Sender::lost_edge() const {
  const std::uint64_t reported =
      board_.lost_edge(config_->dupack_threshold, handshake_.mss_bytes());
  return recovery_ == Recovery::kTimeout ? std::max(reported, recover_) : reported;
}

void Sender::on_duplicate(std::uint64_t now_ns, Output& out) {
  ++dup_acks_;
  if (rate_ && !handshake_.sack()) rate_->on_duplicate(handshake_.mss_bytes());
  if (congestion_.samples()) sample(0, buffer_.flight_bytes(), 0, now_ns);
  if (recovery_ == Recovery::kFast) {
    // RFC 6582 step 3: one has left the network.
    if (!handshake_.sack() && !rate_) congestion_.inflate(handshake_.mss_bytes());
    return;
  }
  // RFC 6675 section 5.1, RFC 6582 step 2: only after the data outstanding at the last loss is
  // acknowledged (without SACK: and more). RFC 2581 does not remember losses.
  if (recovery_ == Recovery::kTimeout || rack_) return;
  if (!handshake_.sack() && buffer_.una() <= recover_ && !congestion_.recovers_one()) return;
  const bool enough = dup_acks_ >= config_->dupack_threshold;
  if (enough || (handshake_.sack() && lost_edge() > buffer_.una()))
    enter_fast_recovery(now_ns, out);
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
  recovery_ = Recovery::kFast;
  recover_ = buffer_.max();
  partial_seen_ = false;
  if (!handshake_.sack() && !rate_)
    congestion_.inflate(std::uint64_t{config_->dupack_threshold} * handshake_.mss_bytes());
  board_.restart(buffer_.una());
  pst_prr_begin(&prr_, buffer_.flight_bytes());
  if (rate_ && !handshake_.sack()) rate_->lose(handshake_.mss_bytes());
  // With a rate, as send() finds room; and where the proportion says so from the first ACK on.
  if (!handshake_.sack() || !(rate_ || config_->prr_safe_ack)) resend_first(now_ns, out);
  rescue_rxt_ = board_.high_rxt();
  if (config_->recovery_timer == RecoveryTimer::kStandard) set_timer(now_ns, true);
}

// The amount that recovery may send, RFC 6937; it ends at ssthresh.
void Sender::reduce_in_proportion(std::uint64_t delivered) {
  const std::uint64_t pipe = pipe_bytes();
  const std::uint64_t ssthresh = congestion_.ssthresh_bytes();
  if (config_->prr_safe_ack) {
    const bool safe =
        pst_prr_safe(&prr_, buffer_.una(), rack_ ? rack_->marked_bytes() : lost_edge());
    congestion_.set(pipe + pst_prr_on_ack_safely(&prr_, delivered, pipe, ssthresh,
                                                 handshake_.mss_bytes(), safe));
  } else {
    congestion_.set(pipe +
                    pst_prr_on_ack(&prr_, delivered, pipe, ssthresh, handshake_.mss_bytes()));
  }
}

void Sender::leave_recovery(std::uint64_t now_ns) {
  recovery_ = Recovery::kNone;
  congestion_.use().forget_early();
  congestion_.recovered(view(0, buffer_.flight_bytes(), 0, now_ns));
  if (rack_) pst_rack_recovered(&rack_->state);
  if (member_) member_->pull(shared(now_ns));
}

void Sender::on_recovery_ack(std::uint64_t acked, std::uint64_t now_ns, Output& out) {
  const bool one = congestion_.recovers_one();
  if (buffer_.una() >= recover_ || one) {
    if (rate_) {
      // The method restores its window.
    } else if (one ||
               (config_->prr && handshake_.sack())) {  // RFC 2581 section 3.2 step 5; RFC 6937
      congestion_.set(congestion_.ssthresh_bytes());
    } else if (!handshake_.sack()) {  // RFC 6582 step 3, full acknowledgment, option 1
      const std::uint64_t flight =
          std::max<std::uint64_t>(buffer_.flight_bytes(), handshake_.mss_bytes());
      congestion_.set(pst_min(congestion_.ssthresh_bytes(), flight + handshake_.mss_bytes()));
    }
    leave_recovery(now_ns);
    set_timer(now_ns, true);
    return;
  }
  const bool each = handshake_.sack() && config_->recovery_timer == RecoveryTimer::kStandard;
  if (each || !partial_seen_) set_timer(now_ns, true);
  partial_seen_ = true;
  if (handshake_.sack()) return;
  // Partial acknowledgment: the next segment is lost too. Deflate and retransmit it.
  if (rate_) {
    rate_->lose(handshake_.mss_bytes());
  } else {
    congestion_.deflate(acked, handshake_.mss_bytes());
  }
  board_.restart(buffer_.una());
  resend_first(now_ns, out);
}

void Sender::on_ecn_echo(std::uint64_t ack, std::uint64_t now_ns) {
  if (ecn_.covers(ack) || recovery_ != Recovery::kNone) return;
  ++counters_.ecn_reductions;
  reduce(PST_ECN, now_ns);
  congestion_.limit(congestion_.ssthresh_bytes(), handshake_.mss_bytes());
  if (member_) member_->push(shared(now_ns), Membership::Event::kCongestion);
  ecn_.on_echo(buffer_.max());
}

void Sender::on_timeout(std::uint64_t now_ns, Output& out) {
  ++counters_.timeouts;
  // RFC 5681 section 3.1: ssthresh is kept while the same segment times out again.
  if (rate_ && !rack_) lose_all();
  if (timer_.expire()) reduce(PST_TIMEOUT, now_ns);
  congestion_.set(handshake_.mss_bytes());
  recovery_ = Recovery::kTimeout;
  if (member_) member_->push(shared(now_ns), Membership::Event::kCongestion);
  recover_ = buffer_.max();
  dup_acks_ = 0;
  congestion_.use().forget_early();
  const bool reneged = board_.reneged(buffer_.una());
  if (reneged) board_.clear();
  board_.restart(buffer_.una());
  if (rack_) {
    if (reneged) rack_->forget_sacks();
    rack_->on_timeout(rack_ack(now_ns));
  }
  resend_first(now_ns, out);
  set_timer(now_ns, true);
}

// The first unacknowledged segment, or the first that RACK found lost, regardless of cwnd and
// window: beyond the right edge it serves as a probe, as in Linux.
void Sender::resend_first(std::uint64_t now_ns, Output& out) {
  if (rack_) {
    const SentSegment s = *rack_->next_lost();
    transmit(s.start, right_edge() > s.start ? std::min(s.end, right_edge()) : s.end, now_ns, out);
    return;
  }
  std::uint64_t end = buffer_.segment_end(
      buffer_.una(), std::min(buffer_.max(), board_.next_hole(buffer_.una()).end),
      handshake_.mss_bytes());
  if (right_edge() > buffer_.una()) end = std::min(end, right_edge());
  board_.retransmitted(buffer_.una(), end);
  transmit(buffer_.una(), end, now_ns, out);
}

}  // namespace penstock::tcp
