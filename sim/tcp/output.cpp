// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/output.h"

#include <algorithm>

#include "core/base.h"
#include "sim/tcp/rate.h"

namespace penstock::tcp {
namespace {

constexpr std::uint64_t kUnpacedSegments = 10;  // the first ones at a rate, as in Linux

void count(Tcb& t, std::uint32_t payload_bytes, bool again) {
  ++t.counters.segments_sent;
  t.counters.bytes_sent += payload_bytes;
  if (!again) return;
  ++t.counters.retransmissions;
  t.counters.retransmitted_bytes += payload_bytes;
  PST_ENSURE(t.counters.retransmissions <= t.counters.segments_sent);
  PST_ENSURE(t.counters.retransmitted_bytes <= t.counters.bytes_sent);
}

void pace(Tcb& t, std::uint64_t now_ns, std::uint32_t bytes) {
  if (t.rate) {
    if (t.counters.segments_sent >= kUnpacedSegments)
      t.pacer.keep_rate(bytes, t.congestion.pacing(t.view(0, 0, 0, now_ns)), now_ns);
    return;
  }
  const std::uint64_t own_bytes = t.congestion.bytes();
  t.pacer.spread(bytes, t.congestion.burst_segments(), t.congestion.pacing_gain_percent(),
                 t.member ? t.member->paced_bytes(own_bytes) : own_bytes, t.timer.rtt().srtt_ns(),
                 now_ns);
}

// Offsets [start, end); the last one may be the FIN.
void transmit(Tcb& t, std::uint64_t start, std::uint64_t end, std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(start >= t.data.una() && start < end);
  PST_REQUIRE(start <= t.data.max());  // no hole in what was sent
  PST_REQUIRE(now_ns >= t.last_sent_ns);
  const bool again = start < t.data.max();
  Segment s = t.headers.make(start, now_ns);
  t.data.fill(s, start, end);
  if (!again && s.payload_bytes > 0) {
    t.ecn.mark(s);
  } else {
    t.ecn.mark_again(s);
  }
  if (t.rate) note_sent(t, start, end, now_ns);
  t.data.note_sent(end);
  if (!t.headers.timestamps()) t.stopwatch.on_send(end, again, now_ns);
  if (t.congestion.feedback().used() && s.payload_bytes > 0)
    t.congestion.stamp(s, t.view(0, t.data.flight_bytes(), 0, now_ns));
  if (t.accecn)
    t.accecn->echo.give(s, t.config->accecn_option, t.handshake.room_bytes(s.payload_bytes));
  t.losses.on_send(start, end, s.payload_bytes, now_ns);
  if (s.payload_bytes > 0) count(t, s.payload_bytes, again);
  PST_ENSURE(t.data.max() >= end && s.payload_bytes <= t.mss_bytes());
  t.last_sent_ns = now_ns;
  if (s.payload_bytes > 0 && s.payload_bytes < t.mss_bytes()) t.small_end = end;
  if (t.paces()) pace(t, now_ns, s.payload_bytes);
  out.transmit(s);
}

// In recovery RFC 6675 requires space for a whole segment. A FIN needs none.
bool may_send(Tcb& t, std::uint64_t pipe, std::uint64_t bytes, std::uint64_t now_ns) {
  PST_REQUIRE(bytes > 0);
  if (t.losses.active() || bytes > t.mss_bytes()) bytes = t.mss_bytes();
  if (pipe + bytes > t.congestion.bytes()) {
    t.congestion.use().find_full();
    return false;
  }
  return !t.paces() || t.pacer.allows(now_ns);
}

// Unreported ranges below `below` that were not retransmitted yet. Data that the peer's window no
// longer covers is withheld (RFC 9293 section 3.8.6 allows both; Linux withholds): if it is lost,
// the timer of the first segment covers it.
void send_holes(Tcb& t, std::uint64_t below, std::uint64_t& pipe, std::uint64_t now_ns,
                Output& out) {
  PST_REQUIRE(!t.losses.rack() && t.losses.active());
  const std::uint64_t limit = std::min(below, std::max(t.right_edge(), t.data.una()));
  Scoreboard& board = t.losses.board();
  while (true) {
    const Interval hole = board.next_hole(std::max(board.high_rxt(), t.data.una()));
    const std::uint64_t end =
        t.data.segment_end(hole.start, std::min(hole.end, limit), t.mss_bytes());
    if (hole.start >= limit || !may_send(t, pipe, end - hole.start, now_ns)) return;
    PST_ENSURE(hole.start >= t.data.una() && end <= t.data.max());
    board.retransmitted(hole.start, end);
    pipe += end - hole.start;
    transmit(t, hole.start, end, now_ns, out);
  }
}

// As send_holes(): withheld beyond the right edge.
void send_lost(Tcb& t, std::uint64_t& pipe, std::uint64_t now_ns, Output& out) {
  const std::uint64_t limit = std::max(t.right_edge(), t.data.una());
  while (const SentSegment* s = t.losses.rack()->next_lost()) {
    const std::uint64_t start = s->start;
    const std::uint64_t end = std::min(s->end, limit);
    if (start >= limit || !may_send(t, pipe, end - start, now_ns)) return;
    PST_ENSURE(start >= t.data.una() && end <= t.data.max());
    pipe += end - start;
    transmit(t, start, end, now_ns, out);
  }
}

void send_new(Tcb& t, std::uint64_t& pipe, std::uint64_t now_ns, Output& out) {
  while (t.data.max() <= t.data.data_end()) {
    const std::uint64_t end = new_segment_end(t);
    const std::uint64_t bytes = end - t.data.max();
    // A FIN alone carries no data that a window of congestion could hold back.
    if (bytes == 0 || (!may_send(t, pipe, bytes, now_ns) && t.data.max() < t.data.data_end()))
      return;
    PST_ENSURE(end <= t.right_edge());  // RFC 9293 section 3.8.6
    pipe += bytes;
    transmit(t, t.data.max(), end, now_ns, out);
  }
}

void send_rescue(Tcb& t, std::uint64_t pipe, std::uint64_t now_ns, Output& out) {
  const Interval last = t.losses.rescue(t.data, std::max(t.right_edge(), t.data.una()));
  if (last.end == 0 || !may_send(t, pipe, t.mss_bytes(), now_ns)) return;
  PST_REQUIRE(last.start < last.end && last.end <= t.data.max());
  t.losses.on_rescue();
  transmit(t, last.start, last.end, now_ns, out);
}

void restart_after_idle(Tcb& t, std::uint64_t now_ns) {
  PST_REQUIRE(t.data.flight_bytes() == 0 && now_ns >= t.last_sent_ns);
  if (t.rate) return restart_at_rate(t, now_ns);
  if (now_ns - t.last_sent_ns <= t.timer.rto_ns() || new_segment_end(t) == t.data.max()) return;
  if (!t.config->restart_after_idle) return;
  t.congestion.restart_after_idle(t.mss_bytes());
  if (t.member) t.member->push(t.shared(now_ns), Membership::Event::kIdle);
}

// RFC 8985 section 7.2: outside of recovery, nothing SACKed, no probe outstanding.
bool may_probe(const Tcb& t) {
  return !t.losses.active() && t.data.flight_bytes() > 0 && t.losses.sacked_bytes() == 0 &&
         !t.losses.rack()->probe.outstanding();
}

void schedule_probe(Tcb& t, std::uint64_t now_ns) {
  Rack& rack = *t.losses.rack();
  if (may_probe(t))
    rack.probe.schedule(t.timer.rtt().srtt_ns(), rack.single(), t.timer.at_ns(), now_ns);
  else
    rack.probe.cancel();
}

}  // namespace

// End of the next new segment; the end of what was sent if window, SWS avoidance or Nagle forbid
// one. Less than a whole segment is sent if it is the last data, or half of the largest window ever
// seen (RFC 9293 section 3.8.6.2.1); otherwise the persist timer runs. Nagle's algorithm holds
// data, not a FIN.
std::uint64_t new_segment_end(const Tcb& t) {
  PST_REQUIRE(t.data.una() <= t.data.max());
  const std::uint64_t edge = t.right_edge();
  if (edge <= t.data.max()) return t.data.max();
  const std::uint64_t end = t.data.segment_end(t.data.max(), edge, t.mss_bytes());
  PST_ENSURE(end >= t.data.max() && end <= edge);
  if (end - t.data.max() >= t.mss_bytes()) return end;
  if (end < t.data.data_end() && 2 * (end - t.data.max()) < t.window.most_bytes())
    return t.data.max();
  const std::uint64_t awaited = t.config->minshall ? t.small_end : t.data.max();
  if (t.config->nagle && awaited > t.data.una() && t.data.max() < t.data.data_end())
    return t.data.max();
  return end;
}

// NextSeg() tries its rules in turn until none applies. A rule that failed cannot apply again
// before the next ACK, so each is exhausted before the next.
void send(Tcb& t, std::uint64_t now_ns, Output& out) {
  t.pacer.begin();
  WindowUse& use = t.congestion.use();
  use.begin();
  PST_REQUIRE(t.is_sound());
  const std::uint64_t max_before = t.data.max();
  if (t.data.max() == t.data.una()) restart_after_idle(t, now_ns);
  std::uint64_t pipe = t.pipe_bytes();
  const bool fast = t.losses.state() == LossRecovery::State::kFast;
  const bool by_holes = !t.losses.rack() && (fast ? t.losses.sack() : t.losses.active());
  if (t.losses.rack()) send_lost(t, pipe, now_ns, out);
  if (by_holes) send_holes(t, t.losses.lost_edge(), pipe, now_ns, out);  // rule 1
  send_new(t, pipe, now_ns, out);  // rule 2
  if (by_holes && fast) {
    send_holes(t, t.losses.board().highest_sacked(), pipe, now_ns, out);  // rule 3
    send_rescue(t, pipe, now_ns, out);  // rule 4
  }
  if (t.data.max() != max_before || use.full())
    use.note(t.data.una(), t.data.max(),
             use.full() || t.pipe_bytes() + t.mss_bytes() > t.congestion.bytes());
  PST_ENSURE(t.data.max() >= max_before);
  PST_ENSURE(t.is_sound());
}

// The first unacknowledged segment, or the first that RACK found lost, regardless of cwnd and
// window: beyond the right edge it serves as a probe, as in Linux.
void resend_first(Tcb& t, std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(t.data.flight_bytes() > 0);
  Interval first = t.losses.first_lost(t.data);
  PST_REQUIRE(first.start >= t.data.una() && first.end <= t.data.max());
  if (t.right_edge() > first.start) first.end = std::min(first.end, t.right_edge());
  if (!t.losses.rack()) t.losses.board().retransmitted(first.start, first.end);
  transmit(t, first.start, first.end, now_ns, out);
}

// One timer: retransmission while data is outstanding, otherwise persist while the window blocks
// the remaining data. `restart` after an ACK of new data.
void set_timer(Tcb& t, std::uint64_t now_ns, bool restart) {
  if (t.data.una() < t.data.max()) {
    t.timer.guard(restart, now_ns);
    if (t.losses.rack()) schedule_probe(t, now_ns);
    return;
  }
  if (Rack* rack = t.losses.rack()) {
    rack->probe.stop();
    rack->reorder_at_ns = kNever;
  }
  t.timer.persist(!t.data.all_sent() && !t.pacer.blocked(), now_ns);
}

void transmit_control(Tcb& t, std::uint64_t seq, std::uint64_t now_ns, Output& out) {
  Segment s = t.headers.make(seq, now_ns);
  t.ecn.mark_again(s);
  if (t.accecn) t.accecn->echo.give(s, t.config->accecn_option);
  out.transmit(s);
}

void acknowledge_syn(Tcb& t, const Segment& syn_ack, std::uint64_t seq, std::uint64_t now_ns,
                     Output& out) {
  Segment s = t.headers.make(seq, now_ns);
  t.ecn.mark_again(s);
  if (t.accecn) {
    t.accecn->echo.give(s, t.config->accecn_option);
    set_ace(s, ace_of_handshake(Ecn{syn_ack.ecn}));
  }
  out.transmit(s);
}

// RFC 9293 section 3.8.6.1. As in Linux, a zero window is probed by an empty segment below the
// window, which the peer must answer; a window too small for SWS avoidance gets the bytes that
// fit (the override timer).
void probe(Tcb& t, std::uint64_t now_ns, Output& out) {
  if (t.right_edge() > t.data.max()) {
    transmit(t, t.data.max(), t.data.segment_end(t.data.max(), t.right_edge(), t.mss_bytes()),
             now_ns, out);
    set_timer(t, now_ns, true);
    return;
  }
  PST_REQUIRE(t.data.flight_bytes() == 0);
  PST_REQUIRE(!t.data.all_sent());
  ++t.counters.window_probes;
  transmit_control(t, t.data.una() - 1, now_ns, out);
  t.timer.probe_again(now_ns);
}

// RFC 8985 section 7.3: new data regardless of cwnd, or the last segment.
void probe_tail(Tcb& t, std::uint64_t now_ns, Output& out) {
  Rack& rack = *t.losses.rack();
  rack.probe.stop();
  if (!may_probe(t)) return;
  const std::uint64_t end = new_segment_end(t);
  const bool again = end == t.data.max();
  if (again) {
    const SentSegment last = rack.last();
    PST_REQUIRE(last.end == t.data.max() && !last.sacked);
    transmit(t, last.start, last.end, now_ns, out);
  } else {
    transmit(t, t.data.max(), end, now_ns, out);
  }
  rack.probe.on_send(t.data.max(), again);
  PST_ENSURE(rack.probe.outstanding());
  set_timer(t, now_ns, true);
}

}  // namespace penstock::tcp
