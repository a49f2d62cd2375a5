// SPDX-License-Identifier: GPL-2.0-only
// What core/gateway/ adds to the rewriter and a flow's state, with any method: what a law sees is
// in the ranges that laws are proved for, and each event keeps the invariant of the flow.
#include "gateway.h"

#include "gateway/gateway.h"
#include "gateway/pace.h"

#include "../proof.h"

using namespace prove;

namespace {

// A clock's times lie 292 years around.
constexpr unsigned long long MOST_NOW_NS = 1ULL << 63;

pst_gateway_config any_config() {
  pst_gateway_config c = {};
  c.mode = any_mode();
  c.signal = u32::any("c.signal");
  c.epoch = u32::any("c.epoch");
  c.observe = Bool::any("c.observe");
  c.beyond = u32::any("c.beyond");
  c.auto_rate = Bool::any("c.auto_rate");
  c.passive = Bool::any("c.passive");
  return c;
}

pst_gateway_state any_gateway() {
  pst_gateway_state s = {};
  s.hidden.known = Bool::any("s.hidden.known");
  s.count.epoch = u64::any("s.count.epoch");
  s.signals_owed = u64::any("s.signals_owed");
  assume(s.signals_owed < 1ULL << 63);
  return s;
}

u64 any_time() {
  const u64 now_ns = u64::any("now_ns");
  assume(now_ns < MOST_NOW_NS);
  return now_ns;
}

pst_gateway_flow any_gateway_flow() {
  pst_gateway_flow f = {};
  f.flow = any_flow();
  f.use.begun_ns = u64::any("begun_ns");
  f.use.window_bytes = u32::any("window_bytes");
  f.use.marked_edge = u32::any("marked_edge");
  f.use.marked_units = u16::any("marked_units");
  f.use.first_segments = u8::any("first_segments");
  f.use.fills = Bool::any("fills");
  f.epoch = u32::any("f.epoch");
  return f;
}

}  // namespace

PROOF(a_law_sees_an_ACK_in_its_ranges) {
  const pst_gateway_flow f = any_gateway_flow();
  const pst_ack_header h = any_ack();
  const pst_ack a = pst_gateway_ack_view(&f, &h);
  holds(a.window_bytes <= MAX_WINDOW_BYTES, "a window that a header can say");
  holds(a.mss_bytes >= 1 && a.mss_bytes <= MAX_PAYLOAD_BYTES, "a segment");
  holds(a.rtt_ns <= PST_MAX_NS, "a round trip");
  holds(a.granted_bytes <= MAX_WINDOW_BYTES, "a window that was granted");
  holds(a.acked_bytes <= a.flight_bytes, "no more is acknowledged than was sent");
  holds(a.flight_bytes <= 1U << 31, "half of the sequence space");
}

PROOF(a_signal_takes_a_window_to_a_segment) {
  const pst_gateway_config c = any_config();
  pst_gateway_state s = any_gateway();
  const pst_gateway_flow f = any_gateway_flow();
  const pst_ack_header h = any_ack();
  const pst_ack a = pst_gateway_ack_view(&f, &h);
  const u64 allowed = u64::any("allowed_bytes");
  const u64 owed = s.signals_owed;
  const u64 bytes = pst_gateway_signalled(&c, &s, &f.flow, &a, allowed);
  holds(bytes <= pst_max(allowed, 2ULL * a.mss_bytes), "no more than the law's, or R20's");
  holds(bytes >= pst_min(allowed, a.mss_bytes), "a segment, or the law's");
  holds(s.signals_owed == owed || s.signals_owed + 1 == owed, "one signal at most is paid");
}

PROOF(a_mark_of_an_edge_keeps_the_invariant) {
  pst_gateway_flow f = any_gateway_flow();
  f.rtt.near_ns = u64::any("near_ns");
  pst_gateway_mark(&f, any_time());
  holds(invariant(f.flow), "the invariant");
}

PROOF(a_SYN_at_a_gateway_keeps_the_invariant) {
  const u64 now_ns = any_time();
  pst_gateway_flow f = any_gateway_flow();
  pst_options o = {};
  o.scale = u8::any("o.scale");
  o.mss_bytes = u16::any("o.mss_bytes");
  o.timestamps = Bool::any("o.timestamps");
  pst_gateway_syn(&f, Bool::any("forward"), u32::any("isn"), &o, now_ns);
  holds(invariant(f.flow), "the invariant");
}

PROOF(a_segment_forward_keeps_the_invariant) {
  const u64 now_ns = any_time();
  const pst_gateway_config c = any_config();
  pst_gateway_state s = any_gateway();
  pst_gateway_flow f = any_gateway_flow();
  pst_queue q = {};
  q.now_ns = now_ns;
  const u32 payload_bytes = u32::any("payload_bytes");
  const u32 segment_bytes = u32::any("segment_bytes");
  assume(payload_bytes <= MAX_PAYLOAD_BYTES && segment_bytes <= payload_bytes);
  pst_gateway_data(&c, &s, &f, &q, u32::any("seq"), payload_bytes, segment_bytes, u8::any("ecn"),
                   u64::any("leaves_ns"));
  holds(invariant(f.flow), "the invariant");
}

PROOF(a_paced_ACK_waits_in_order_and_not_for_long) {
  const u64 now_ns = any_time();
  pst_pace clock = {u64::any("turn_ns")};
  pst_pace_flow p = {};
  p.release_ns = u64::any("release_ns");
  p.hold_ns = u64::any("hold_ns");
  p.waits = Bool::any("waits");
  const u64 cost_ns = u64::any("cost_ns");
  assume(cost_ns <= 2 * PST_MAX_NS && clock.turn_ns < MOST_NOW_NS);
  assume(p.hold_ns < MOST_NOW_NS && p.release_ns < MOST_NOW_NS);
  const u64 before_ns = p.release_ns;
  const u64 release_ns = pst_pace_release_ns(&clock, &p, now_ns, cost_ns, Bool::any("opens"));
  holds(release_ns >= now_ns && release_ns >= before_ns, "in the order in which they came");
  holds(release_ns <= pst_max(before_ns, now_ns + PST_PACE_MOST_NS), "ten seconds at most");
  holds(cost_ns != 0 || release_ns == pst_max(before_ns, now_ns), "what is not booked goes on");
}

PROOF(a_tick_of_a_gateway_comes_later) {
  const u64 now_ns = any_time();
  const pst_gateway_config c = any_config();
  pst_gateway_state s = any_gateway();
  s.discipline_tick_ns = u64::any("discipline_tick_ns");
  s.law_tick_ns = u64::any("law_tick_ns");
  pst_queue q = {};
  q.now_ns = now_ns;
  const u64 ns = pst_gateway_tick(&c, &s, &q);
  holds((ns == 0) == (s.discipline_tick_ns == 0 && s.law_tick_ns == 0), "none if none is set");
  holds(s.discipline_tick_ns == 0 || s.discipline_tick_ns > now_ns, "the discipline's is later");
  holds(s.law_tick_ns == 0 || s.law_tick_ns > now_ns, "the law's is later");
}

PROOF(a_verdict_of_a_gateway_is_one_that_a_host_obeys) {
  const pst_gateway_config c = any_config();
  pst_gateway_state s = any_gateway();
  pst_packet k = {};
  k.tos = u8::any("k.tos");
  const u64 owed = s.signals_owed;
  const bool blind = pst_gateway_is_blind(&c, &s);
  const pst_verdict before = any_verdict();
  const pst_verdict after = pst_gateway_verdict(&c, &s, &k, before);
  holds(!blind || after == PST_PASS, "nothing is dropped for a queue that is not known");
  holds(before == PST_MARK || after != PST_MARK || pst_packet_ecn_capable(&k), "RFC 3168");
  holds(before == PST_SIGNAL || blind || after == before, "a drop is one, and a pass as well");
  holds((after == PST_SIGNAL) == (s.signals_owed != owed), "a window is owed for each signal");
}
