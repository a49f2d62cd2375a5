// SPDX-License-Identifier: GPL-2.0-only
// Congestion controls that send at a rate: what they learn from an ACK, and their pacing, as in
// Linux. The window is theirs alone: recovery, PRR and idle periods leave it as it is.
#include "sim/tcp/sender.h"

namespace penstock::tcp {

std::uint64_t Sender::total_lost_bytes() const {
  return losses_.rack() ? losses_.rack()->marked_bytes() : rate_->lost_bytes();
}

// RFC 6675's edge has moved: what is missing below it counts once.
void Sender::count_losses() {
  if (losses_.rack() || !losses_.sack()) return;
  const std::uint64_t from = std::max(buffer_.una(), rate_->lost_until);
  const std::uint64_t edge = losses_.lost_edge();
  if (edge <= from) return;
  rate_->lose(losses_.board().unreported_bytes({from, edge}));
  rate_->lost_until = edge;
}

// A timeout takes all that is in the network for lost.
void Sender::lose_all() {
  rate_->lose(pipe_bytes());
  rate_->lost_until = buffer_.max();
  rate_->forget_duplicates();
}

// The end of an ACK's processing, after losses were found and before anything is sent.
void Sender::steer(std::uint64_t now_ns) {
  count_losses();
  struct pst_delivery d = rate_->sample(total_lost_bytes(), now_ns);
  d.in_flight_bytes = pipe_bytes();
  d.wait_ns = pacer_.wait_ns(now_ns);
  d.recovery = static_cast<enum pst_recovery>(losses_.state());
  struct pst_sender_view v = view(0, buffer_.flight_bytes(), 0, now_ns);
  v.delivery = &d;
  congestion_.steer(v);
  if (congestion_.pacing(view(0, 0, 0, now_ns)).restrained) rate_->limit(d.in_flight_bytes);
}

// The application writes again: it was the limit if it left room for more.
void Sender::note_application_limit() {
  if (pst_sub_floor(buffer_.data_end(), buffer_.max()) < handshake_.mss_bytes() &&
      pipe_bytes() < congestion_.bytes() && !losses_.active()) {
    rate_->limit(pipe_bytes());
  }
}

void Sender::restart_at_rate(std::uint64_t now_ns) {
  if (!rate_->limited() || new_segment_end() == buffer_.max()) return;
  congestion_.restart(view(0, 0, 0, now_ns));
}

}  // namespace penstock::tcp
