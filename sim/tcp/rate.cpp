// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/rate.h"

#include <algorithm>

#include "core/base.h"
#include "sim/tcp/output.h"

namespace penstock::tcp {
namespace {

// RFC 6675's edge has moved: what is missing below it counts once.
void count_losses(Tcb& t) {
  if (t.losses.rack() || !t.losses.sack()) return;
  const std::uint64_t from = std::max(t.data.una(), t.rate->lost_until);
  const std::uint64_t edge = t.losses.lost_edge();
  if (edge <= from) return;
  PST_ENSURE(edge <= t.data.max());
  t.rate->lose(t.losses.board().unreported_bytes({from, edge}));
  t.rate->on_lost({from, edge});
  t.rate->lost_until = edge;
}

}  // namespace

void note_sent(Tcb& t, std::uint64_t start, std::uint64_t end, std::uint64_t now_ns) {
  PST_REQUIRE(t.rate && start < end);
  const std::uint64_t in_flight = t.rate->hears_losses() ? t.pipe_bytes() + (end - start) : 0;
  t.rate->on_send(start, end, t.data.una() == t.data.max(), in_flight, now_ns);
}

std::uint64_t total_lost_bytes(const Tcb& t) {
  PST_REQUIRE(t.rate);
  return t.losses.rack() ? t.losses.rack()->marked_bytes() : t.rate->lost_bytes();
}

// A timeout takes all that is in the network for lost.
void lose_all(Tcb& t) {
  PST_REQUIRE(t.rate && t.data.flight_bytes() > 0);
  t.rate->lose(t.pipe_bytes());
  t.rate->on_lost({t.data.una(), t.data.max()});
  t.rate->lost_until = t.data.max();
  t.rate->forget_duplicates();
}

void lose_first(Tcb& t) {
  PST_REQUIRE(t.rate && !t.losses.sack() && t.data.flight_bytes() > 0);
  t.rate->lose(t.mss_bytes());
  t.rate->on_lost({t.data.una(), t.data.una() + 1});
}

// The end of an ACK's processing, after losses were found and before anything is sent.
void steer(Tcb& t, std::uint64_t now_ns) {
  PST_REQUIRE(t.rate);
  count_losses(t);
  if (Rack* rack = t.losses.rack())
    for (const Interval& lost : rack->take_newly_lost()) t.rate->on_lost(lost);
  struct pst_delivery d = t.rate->sample(total_lost_bytes(t), now_ns);
  d.in_flight_bytes = t.pipe_bytes();
  d.wait_ns = t.pacer.wait_ns(now_ns);
  d.recovery = static_cast<enum pst_recovery>(t.losses.state());
  d.cwnd_limited = t.congestion.use().limited();
  d.selective = t.losses.sack();
  PST_ENSURE(d.in_flight_bytes <= t.data.flight_bytes() + t.losses.sacked_bytes());
  struct pst_sender_view v = t.view(0, t.data.flight_bytes(), 0, now_ns);
  v.delivery = &d;
  t.congestion.steer(v, t.rate->take_lost());
  if (t.congestion.pacing(t.view(0, 0, 0, now_ns)).restrained) t.rate->limit(d.in_flight_bytes);
}

// The application writes again: it was the limit if it left room for more.
void note_application_limit(Tcb& t) {
  if (pst_sub_floor(t.data.data_end(), t.data.max()) < t.mss_bytes() &&
      t.pipe_bytes() < t.congestion.bytes() && !t.losses.active()) {
    t.rate->limit(t.pipe_bytes());
  }
}

void restart_at_rate(Tcb& t, std::uint64_t now_ns) {
  PST_REQUIRE(t.rate && t.data.flight_bytes() == 0);
  if (!t.rate->limited() || new_segment_end(t) == t.data.max()) return;
  t.congestion.restart(t.view(0, 0, 0, now_ns));
}

}  // namespace penstock::tcp
