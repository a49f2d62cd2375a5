// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/acks.h"

#include <algorithm>

#include "core/base.h"
#include "sim/tcp/output.h"
#include "sim/tcp/rate.h"
#include "sim/tcp/reactions.h"

namespace penstock::tcp {
namespace {

// Returns the bytes reported for the first time.
std::uint64_t take_sack(Tcb& t, const Segment& s, std::uint64_t ack, std::uint64_t now_ns) {
  PST_REQUIRE(t.losses.sack() && ack <= t.data.max());
  const std::uint64_t una = t.data.una();
  if (t.losses.rack() && ack > una)
    t.losses.take_ack_by_time(ack, t.echo_of(s), t.timer.rtt(), now_ns);
  const SackBlocks blocks = t.headers.blocks(s, std::max(ack, una), t.data.max(), una);
  for (const Interval& block : blocks)
    if (t.rate) t.rate->on_sack(block, now_ns);
  const std::uint64_t reported = t.losses.take_blocks(blocks, t.timer.rtt(), now_ns);
  PST_ENSURE(reported <= t.data.flight_bytes() && (blocks.count > 0 || reported == 0));
  return reported;
}

// One RTT sample from the echoed timestamp of each ACK of new data, or from one segment at a time
// that was sent only once (Karn). Returns 0 without a sample.
std::uint64_t take_rtt(Tcb& t, const Segment& s, std::uint64_t ack, std::uint64_t now_ns) {
  std::uint64_t rtt_ns;
  if (t.headers.has_timestamp(s)) {
    rtt_ns = t.headers.echoed_rtt_ns(s, now_ns);
  } else if (!t.stopwatch.on_ack(ack, now_ns, rtt_ns)) {
    return 0;
  }
  t.timer.take_sample(rtt_ns);
  PST_ENSURE(t.timer.rtt().min_rtt_ns() <= std::max<std::uint64_t>(rtt_ns, 1));
  return rtt_ns;
}

void grow_window(Tcb& t, std::uint64_t acked, std::uint64_t flight, std::uint64_t rtt_ns,
                 std::uint64_t now_ns) {
  PST_REQUIRE(acked > 0 && acked <= flight);
  if (t.rate) return;
  struct pst_sender_view v = t.view(acked, flight, rtt_ns, now_ns);
  acked = t.congestion.grow(v);
  PST_ENSURE(t.congestion.bytes() > 0);
  if (t.member) t.member->push(t.shared(now_ns), Membership::Event::kAck, acked);
}

// Accurate ECN. An ACK that reports nothing new may be older than the last one.
void take_counters(Tcb& t, const Segment& s, std::uint64_t delivered, bool newer) {
  PST_REQUIRE(t.accecn);
  t.handshake.ecn().hear_feedback(s);
  if (!t.handshake.ecn().capable()) t.ecn.stop();
  t.accecn->echo.take(s);
  const bool progress = delivered > 0 || newer;
  t.ecn.hear({progress ? t.accecn->feedback.take(s, delivered, t.mss_bytes()) : 0, delivered});
}

void advance(Tcb& t, const Segment& s, std::uint64_t ack, std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(ack > t.data.una() && ack <= t.data.max());
  const std::uint64_t acked = ack - t.data.una();
  const std::uint64_t flight = t.data.flight_bytes();
  const std::uint64_t rtt_ns = take_rtt(t, s, ack, now_ns);
  t.losses.take_ack(t.data.una(), ack);
  if (t.losses.rack()) t.losses.take_ack_by_time(ack, t.echo_of(s), t.timer.rtt(), now_ns);
  if (t.rate) t.rate->on_ack(ack, t.mss_bytes(), now_ns);
  t.data.acknowledge(ack);
  PST_ENSURE(t.data.flight_bytes() + acked == flight);
  t.timer.on_progress();
  if (t.congestion.samples()) sample(t, acked, flight, rtt_ns, t.ecn.echoed(s), now_ns);
  if (!t.losses.active()) {
    // RFC 3168 section 6.1.2: no growth on an ACK that echoes congestion.
    if (!t.ecn.echoed(s)) grow_window(t, acked, flight, rtt_ns, now_ns);
    set_timer(t, now_ns, true);
    return;
  }
  if (t.losses.state() == LossRecovery::State::kTimeout) {
    // RFC 3465 section 2.3: one segment per ACK while slow start refills holes.
    const bool slow_start = t.congestion.slow_start();
    grow_window(t, slow_start ? std::min<std::uint64_t>(acked, t.mss_bytes()) : acked, flight,
                rtt_ns, now_ns);
    if (t.losses.ends(t.data.una())) leave_recovery(t, now_ns);
    set_timer(t, now_ns, true);
    return;
  }
  on_recovery_ack(t, acked, now_ns, out);
}

}  // namespace

void on_ack(Tcb& t, const Segment& s, std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(t.is_sound() && !t.data.done());
  PST_REQUIRE(s.flags & kAck);
  const std::uint64_t ack = t.headers.offset(s.ack, t.data.una());
  if (ack > t.data.max()) return;  // acknowledges what was never sent
  const std::uint64_t una_before = t.data.una();
  if (t.rate) t.rate->begin(t.pipe_bytes(), total_lost_bytes(t));
  if (t.congestion.feedback().used()) t.congestion.feedback().take(s);
  if (t.member && t.losses.state() != LossRecovery::State::kFast) t.member->pull(t.shared(now_ns));
  const bool window_changed = t.window.differs(s);
  const std::uint64_t delivered_before = t.config->prr ? t.losses.delivered_bytes(t.data) : 0;
  if (ack >= t.data.una()) t.window.update(s, ack > t.data.una());
  const bool newer = t.headers.has_newer_timestamp(s);
  t.headers.take_timestamp(s, now_ns);

  const bool has_blocks = t.losses.sack() && (s.options & kSackCountMask);
  const std::uint64_t reported = has_blocks ? take_sack(t, s, ack, now_ns) : 0;
  if (t.accecn) {
    const Interval acked{t.data.una(), std::max(ack, t.data.una())};
    take_counters(t, s, reported + t.losses.board().unreported_bytes(acked), newer);
  }
  if (t.ecn.echoed(s)) on_ecn_echo(t, ack, now_ns);
  if (ack > t.data.una()) advance(t, s, ack, now_ns, out);
  // RFC 5681: same ACK, same window, data outstanding, none in it; with SACK, RFC 6675: new SACK
  // information, regardless of the window.
  const bool duplicate = t.losses.sack() ? reported > 0
                                         : ack == una_before && !window_changed &&
                                               t.data.una() < t.data.max() && s.payload_bytes == 0;
  if (duplicate) {
    t.congestion.use().tell_early(t.losses.sack() ? reported : t.mss_bytes());
    on_duplicate(t, t.ecn.echoed(s), now_ns, out);
  }
  if (t.losses.rack()) {
    const bool bare = ack == una_before && !window_changed && !has_blocks;
    on_rack_ack(t, s, ack, bare, now_ns, out);
  }
  if (t.config->prr) reduce_in_proportion(t, t.losses.delivered_bytes(t.data) - delivered_before);
  if (t.rate) steer(t, now_ns);
  // nis-2004 eq. 2.8. A closed window says nothing of the load: Freeze-TCP's keeps cwnd.
  if (t.config->hold_cwnd && t.window.bytes()) t.congestion.limit(t.window.bytes(), t.mss_bytes());
  send(t, now_ns, out);
  set_timer(t, now_ns, false);
  PST_ENSURE(t.data.una() == std::max(una_before, ack));
  PST_ENSURE(t.is_sound());
  if (!t.member) return;
  t.member->ask(t.shared(now_ns));
  if (!t.data.done()) return;
  t.member->leave(t.shared(now_ns));
  t.member.reset();
}

}  // namespace penstock::tcp
