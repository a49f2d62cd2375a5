// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/reactions.h"

#include <algorithm>

#include "core/base.h"
#include "sim/tcp/output.h"
#include "sim/tcp/rate.h"

namespace penstock::tcp {
namespace {

void reduce(Tcb& t, enum pst_congestion why, std::uint64_t now_ns) {
  PST_REQUIRE(why != PST_TIMEOUT || t.data.flight_bytes() > 0);
  const std::uint64_t own =
      t.config->ssthresh_of_cwnd ? t.congestion.bytes() : t.data.flight_bytes();
  const std::uint64_t used = t.member ? t.member->reduced_bytes(own) : own;
  PST_REQUIRE(t.is_sound());
  t.congestion.reduce(why, t.view(0, used, 0, now_ns));
  t.ecn.on_reduction();
  PST_ENSURE(t.congestion.ssthresh_bytes() > 0);
}

// One reduction per window, whether by ECE or by loss of what ends at `lost_end` (RFC 3168). Where
// a mark is less than a loss, the loss counts too (RFC 8257 section 3.5).
void react_to_loss(Tcb& t, std::uint64_t lost_end, std::uint64_t now_ns) {
  if (t.ecn.covers(lost_end) && !pst_sender_hears_marks(t.config->method)) return;
  reduce(t, PST_LOSS, now_ns);
  if (t.rate) return;
  PST_REQUIRE(t.congestion.ssthresh_bytes() <= PST_MAX_BYTES);
  t.congestion.set(std::max<std::uint64_t>(t.congestion.ssthresh_bytes(), t.mss_bytes()));
  if (t.member) t.member->push(t.shared(now_ns), Membership::Event::kCongestion);
}

void enter_fast_recovery(Tcb& t, std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(t.data.flight_bytes() > 0);
  react_to_loss(t, t.data.una() + 1, now_ns);
  ++t.counters.fast_recoveries;
  t.losses.begin(t.data);
  PST_ENSURE(t.losses.state() == LossRecovery::State::kFast);
  if (!t.losses.sack() && !t.rate)
    t.congestion.inflate(std::uint64_t{t.config->dupack_threshold} * t.mss_bytes());
  if (t.rate && !t.losses.sack()) lose_first(t);
  // With a rate, as send() finds room; and where the proportion says so from the first ACK on.
  if (!t.losses.sack() || !(t.rate || t.config->prr_safe_ack)) resend_first(t, now_ns, out);
  t.losses.allow_rescue();
  if (t.config->recovery_timer == PST_RECOVERY_TIMER_STANDARD) set_timer(t, now_ns, true);
}

void detect_losses(Tcb& t, std::uint64_t now_ns, Output& out) {
  if (t.losses.finds_loss_by_time(t.timer.rtt(), now_ns)) enter_fast_recovery(t, now_ns, out);
}

}  // namespace

void sample(Tcb& t, std::uint64_t acked, std::uint64_t flight, std::uint64_t rtt_ns, bool echoes,
            std::uint64_t now_ns) {
  PST_REQUIRE(acked <= flight);
  struct pst_sender_view v = t.view(acked, flight, rtt_ns, now_ns);
  v.echoes = echoes;
  v.delivered_bytes = t.losses.delivered_bytes(t.data);
  if (!t.accecn) return t.congestion.sample(v);
  const EcnResponse::Share share = t.ecn.take_share();
  sample(t.congestion, v, share.marked_bytes, share.delivered_bytes);
}

void on_duplicate(Tcb& t, bool echoes, std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(t.losses.sack() || t.data.flight_bytes() > 0);
  t.losses.take_duplicate();
  if (t.rate && !t.losses.sack()) t.rate->on_duplicate(t.mss_bytes());
  if (t.congestion.samples()) sample(t, 0, t.data.flight_bytes(), 0, echoes, now_ns);
  if (t.losses.state() == LossRecovery::State::kFast) {
    // RFC 6582 step 3: one has left the network.
    if (!t.losses.sack() && !t.rate) t.congestion.inflate(t.mss_bytes());
    return;
  }
  if (t.losses.finds_loss(t.data, t.congestion.recovers_one())) enter_fast_recovery(t, now_ns, out);
  PST_ENSURE(t.is_sound());
}

void reduce_in_proportion(Tcb& t, std::uint64_t delivered) {
  const bool fast = t.losses.state() == LossRecovery::State::kFast;
  if (!t.config->prr || !t.losses.sack() || !fast || t.rate) return;
  t.congestion.set(t.losses.window_in_proportion(delivered, t.pipe_bytes(),
                                                 t.congestion.ssthresh_bytes(), t.data.una()));
  PST_ENSURE(t.congestion.bytes() >= t.pipe_bytes());
}

void leave_recovery(Tcb& t, std::uint64_t now_ns) {
  PST_REQUIRE(t.losses.active());
  PST_REQUIRE(t.losses.ends(t.data.una()) || t.congestion.recovers_one());
  t.losses.end();
  t.congestion.use().forget_early();
  t.congestion.recovered(t.view(0, t.data.flight_bytes(), 0, now_ns));
  if (t.member) t.member->pull(t.shared(now_ns));
  PST_ENSURE(!t.losses.active() && t.congestion.bytes() > 0);
}

void on_recovery_ack(Tcb& t, std::uint64_t acked, std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(t.losses.state() == LossRecovery::State::kFast && acked > 0);
  const bool one = t.congestion.recovers_one();
  if (t.losses.ends(t.data.una()) || one) {
    if (t.rate) {
      // The method restores its window.
    } else if (one ||
               (t.config->prr && t.losses.sack())) {  // RFC 2581 section 3.2 step 5; RFC 6937
      t.congestion.set(t.congestion.ssthresh_bytes());
    } else if (!t.losses.sack()) {  // RFC 6582 step 3, full acknowledgment, option 1
      const std::uint64_t flight = std::max<std::uint64_t>(t.data.flight_bytes(), t.mss_bytes());
      t.congestion.set(pst_min(t.congestion.ssthresh_bytes(), flight + t.mss_bytes()));
    }
    leave_recovery(t, now_ns);
    set_timer(t, now_ns, true);
    return;
  }
  const bool each = t.losses.sack() && t.config->recovery_timer == PST_RECOVERY_TIMER_STANDARD;
  const bool first = t.losses.take_partial();
  if (each || first) set_timer(t, now_ns, true);
  if (t.losses.sack()) return;
  // Partial acknowledgment: the next segment is lost too. Deflate and retransmit it.
  if (t.rate) {
    lose_first(t);
  } else {
    t.congestion.deflate(acked, t.mss_bytes());
  }
  t.losses.board().restart(t.data.una());
  resend_first(t, now_ns, out);
}

// Steps 4 and 5, and what the ACK says of a probe. `bare_duplicate`: without any block.
void on_rack_ack(Tcb& t, const Segment& s, std::uint64_t ack, bool bare_duplicate,
                 std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(t.losses.rack());
  Rack& rack = *t.losses.rack();
  const std::uint64_t duplicate_end = t.headers.duplicate_end(s, ack);
  if (duplicate_end) pst_rack_on_dsack(&rack.state, t.data.una(), t.data.max());
  const std::uint64_t probe_end = rack.probe.end();
  const bool repaired = rack.probe.on_ack(ack, duplicate_end, bare_duplicate);
  detect_losses(t, now_ns, out);
  if (repaired && !t.losses.active()) react_to_loss(t, probe_end, now_ns);
}

void on_reorder_timer(Tcb& t, std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(t.is_sound() && now_ns >= t.losses.rack()->reorder_at_ns);
  detect_losses(t, now_ns, out);
  reduce_in_proportion(t, 0);
  send(t, now_ns, out);
  set_timer(t, now_ns, false);
}

void on_ecn_echo(Tcb& t, std::uint64_t ack, std::uint64_t now_ns) {
  if (t.ecn.covers(ack) || t.losses.active()) return;
  ++t.counters.ecn_reductions;
  reduce(t, PST_ECN, now_ns);
  t.congestion.limit(t.congestion.ssthresh_bytes(), t.mss_bytes());
  if (t.member) t.member->push(t.shared(now_ns), Membership::Event::kCongestion);
  t.ecn.on_echo(t.data.max());
  PST_ENSURE(t.ecn.covers(t.data.max()) && t.congestion.bytes() >= t.mss_bytes());
}

void on_timeout(Tcb& t, std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(t.is_sound() && t.data.flight_bytes() > 0);
  PST_REQUIRE(!t.timer.persists());
  ++t.counters.timeouts;
  // RFC 5681 section 3.1: ssthresh is kept while the same segment times out again.
  if (t.rate && !t.losses.rack()) lose_all(t);
  if (t.timer.expire()) reduce(t, PST_TIMEOUT, now_ns);
  t.congestion.set(t.mss_bytes());
  t.losses.on_timeout(t.data, t.timer.rtt(), now_ns);
  PST_ENSURE(t.losses.state() == LossRecovery::State::kTimeout);
  if (t.member) t.member->push(t.shared(now_ns), Membership::Event::kCongestion);
  t.congestion.use().forget_early();
  resend_first(t, now_ns, out);
  set_timer(t, now_ns, true);
  PST_ENSURE(t.is_sound() && t.timer.at_ns() > now_ns);
}

}  // namespace penstock::tcp
