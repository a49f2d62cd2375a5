// SPDX-License-Identifier: GPL-2.0-only
// What core/gateway/ adds to the rewriter and a flow's state, with any method: what a law sees is
// in the ranges that laws are proved for, and each event keeps the invariant of the flow.
#include "part_contracts.h"

#include "stage_contracts.h"

#include "gateway/gateway.h"

#include "../proof.h"

using namespace prove;

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

LONG_PROOF(data_forward_keeps_the_invariant) {
  const u64 now_ns = any_time();
  pst_port port = any_port();
  pst_gateway_flow f = any_gateway_flow();
  pst_queue q = {};
  q.now_ns = now_ns;
  const u32 payload_bytes = u32::any("payload_bytes");
  const u32 segment_bytes = u32::any("segment_bytes");
  assume(payload_bytes <= MAX_PAYLOAD_BYTES && segment_bytes <= payload_bytes);
  pst_gateway_data(&port, &f, nullptr, &q, u32::any("seq"), payload_bytes, segment_bytes,
                   u8::any("ecn"), u64::any("leaves_ns"));
  holds(invariant(f.flow), "the invariant");
}

PROOF(a_FIN_takes_a_flow_out_of_N_only_behind_its_data) {
  pst_port port = any_port();
  pst_gateway_flow f = any_gateway_flow();
  f.use.counted_q16 = 1;
  pst_queue q = {};
  q.now_ns = any_time();
  pst_data_header h = {};
  h.seq = u32::any("seq");
  h.fin = true;
  pst_gateway_forward(&port, &f, nullptr, &q, &h);
  const Bool is_last = f.flow.has_sent && !pst_seq_before(h.seq, f.flow.sent);
  holds((f.use.counted_q16 == 0) == (is_last && !pst_flow_is_beyond(&f.flow, h.seq)), "R35");
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
  pst_port port = any_port();
  pst_gateway_state& s = port.state;
  s.discipline_tick_ns = u64::any("discipline_tick_ns");
  s.law_tick_ns = u64::any("law_tick_ns");
  pst_queue q = {};
  q.now_ns = now_ns;
  const u64 ns = pst_port_tick(&port, &q);
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
