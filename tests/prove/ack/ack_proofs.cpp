// SPDX-License-Identifier: GPL-2.0-only
// pst_port_back() as one function, for every gateway, flow, ACK and law: the parts keep their
// contracts, and their order keeps the rules.
#include "parts.h"

using namespace prove;

namespace {

// An event, and what it has made of a gateway and a flow.
struct Event {
  pst_port before, port;
  pst_gateway_flow flow_before, flow;
  pst_pace_flow pace;
  pst_ack_header h;
  pst_rewrite out;
  u64 release_ns;
  Calls calls;
};

void begin(Event& e) {
  e.before = e.port = any_port();
  e.flow_before = e.flow = any_gateway_flow();
  e.h = any_ack();
  e.calls.judged = e.flow_before.flow;
  noted = &e.calls;
}

u64 play(Event& e) {
  pst_queue q = {};
  q.now_ns = any_time();
  const pst_back back = pst_port_back(&e.port, &e.flow, &e.pace, nullptr, &q, &e.h);
  e.out = back.out;
  e.release_ns = back.release_ns;
  return q.now_ns;
}

void run(Event& e) {
  begin(e);
  assume(!pst_gateway_paces(&e.port.config));
  play(e);
}

// Whether the law bounds a first flight by this SYN-ACK.
Bool law_opens(const Event& e) {
  return e.h.syn && pst_law_is(e.port.config.law, PST_TRAIT_OPENS) &&
         pst_flow_opens(&e.flow_before.flow, e.port.config.mode);
}

Bool repeats_a_first_window(const Event& e) {
  pst_gateway_flow f = e.flow_before;
  f.flow = e.calls.judged;
  return repeats(e.port.config, f, e.h);
}

Bool asks_the_law(const Event& e) {
  const Bool bypassed = bypasses(e.calls.judged, e.port.config.mode, e.h);
  return (law_opens(e) || !bypassed) && !repeats_a_first_window(e);
}

// Whether an ACK, not a SYN, says something of a window that it knows.
Bool is_window(const Event& e) {
  return !e.h.syn && e.calls.judged.scale_known && !pst_is_unseen(&e.calls.judged, &e.h);
}

Bool is_frozen(const Event& e) { return pst_is_ignored(&e.calls.judged, &e.h); }

bool is_written(const Event& e) { return e.calls.written == 1; }

// An ACK that is neither ahead of the data nor behind the newest ACK, nor a duplicate.
Bool is_newest(const Event& e) {
  return is_window(e) && !is_frozen(e) && !is_old(e.calls.judged, e.h) && e.h.field != 0;
}

Bool happened(const unsigned count) { return Bool(count == 1); }

}  // namespace

PROOF(an_ACK_leaves_a_gateway_by_the_rules) {
  Event e;
  run(e);
  const pst_flow& f = e.calls.judged;
  const u16 field = e.out.field;
  const u32 mode = e.port.config.mode;
  holds(may_leave(e.h, field), "R1, and zero if the receiver says so (R4, R5)");
  holds(implies(e.h.syn && !law_opens(e), field == e.h.field), "R6");
  holds(implies(!e.h.syn && !e.flow_before.flow.scale_known, field == e.h.field), "R8");
  holds(implies(is_window(e) && !is_frozen(e), covers_the_edge(f, mode, e.h, field)), "R2");
  holds(implies(is_window(e) && !is_frozen(e), is_a_segment(f, mode, e.h, field)), "R4");
  const Bool repeated = is_frozen(e) && e.h.field == f.field_in && e.h.field != 0;
  holds(implies(is_window(e) && repeated && mode != PST_LITERAL, field == f.field_out), "R9");
}

PROOF(R3_a_window_leaves_a_gateway_rounded_up) {
  Event e;
  run(e);
  const pst_flow& f = e.calls.judged;
  const u16 field = e.out.field;
  const u32 mode = e.port.config.mode;
  if (is_written(e) && !e.h.syn) {
    const u64 allowed = e.calls.allowed_bytes;
    holds(rounds_up_the_allowed(f, mode, e.h, allowed, field), "what is allowed");
    const Bool again = repeats_a_first_window(e);
    holds(again || allowed == choose(happened(e.calls.signalled), e.calls.signalled_bytes,
                                     bytes_of(f, e.h.field)),
          "by the law and a signal, or by the receiver");
  }
  const Bool old = is_window(e) && is_old(f, e.h) && mode != PST_LITERAL && e.h.field != 0;
  const u64 newest = pst_max(bytes_of(f, f.field_out), kept_bytes(f, mode, e.h));
  holds(implies(old && f.field_out != 0, rounds_up(f, e.h, newest, field)), "of an old ACK");
}

PROOF(R10_an_ACK_that_its_sender_ignores_keeps_windows_at_a_gateway) {
  Event e;
  run(e);
  const pst_flow& before = e.flow_before.flow;
  assume(!e.h.syn && pst_is_ignored(&before, &e.h) && !pst_is_unseen(&before, &e.h));
  holds(same_windows(before, e.flow.flow), "ACK, fields and ramp as before");
  const Bool judged = before.scale_known && e.flow.flow.scale_known && e.h.field != 0;
  const Bool keeps = judged && e.port.config.mode != PST_LITERAL;
  holds(implies(keeps, e.out.field == pst_min(before.field_out, e.h.field)), "its field (R9)");
  holds(implies(keeps, !happened(e.calls.asked)), "the law is not asked");
}

PROOF(R26_a_reduced_window_of_a_gateway_grows_by_what_is_acknowledged) {
  Event e;
  run(e);
  const pst_flow& f = e.calls.judged;
  holds(implies(is_newest(e), ramps(f, e.port.config.mode, e.h, e.out.field)), "what leaves");
  const u16 sent = e.calls.recorded_field;
  const pst_flow& after = e.flow.flow;
  holds(implies(is_newest(e), (after.ramp_bytes == 0) == (sent == e.h.field)), "if reduced");
  holds(implies(is_newest(e), after.ramp_bytes < bytes_of(f, sent) + granule_of(f)),
        "the next begins at this window");
  holds(f.ramp_bytes == e.flow_before.flow.ramp_bytes, "this one at the last");
}

PROOF(an_ACK_at_a_gateway_is_recorded_as_it_leaves) {
  Event e;
  run(e);
  const pst_flow& f = e.calls.judged;
  const Bool unseen = pst_is_unseen(&f, &e.h);
  holds(invariant(e.flow.flow), "the invariant");
  holds(happened(e.calls.recorded), "once");
  holds(e.calls.recorded_field == choose(e.port.config.observe, e.h.field, e.out.field),
        "with the field that the host sends");
  pst_flow counted = f;
  counted.unseen_acks = e.flow.flow.unseen_acks;
  holds(implies(unseen, equal(counted, e.flow.flow)), "R35: one of unseen data is only counted");
  holds(implies(!unseen && is_old(f, e.h), equal(f, e.flow.flow)), "R11: an old one is not kept");
  holds(implies(!e.h.syn && !unseen && !is_old(f, e.h) && !is_frozen(e),
                e.flow.flow.ack == e.h.ack && e.flow.flow.field_in == e.h.field),
        "the newest one is");
}

PROOF(an_ACK_at_a_gateway_asks_the_law_once_or_not) {
  Event e;
  run(e);
  const Bool asks = asks_the_law(e);
  const Bool blind = pst_gateway_is_blind(&e.port.config, &e.port.state);
  holds(happened(e.calls.asked) == asks, "unless it is bypassed, or repeats a first window");
  holds(happened(e.calls.signalled) == (asks && !blind && !e.h.syn), "a signal needs a window");
  const Bool offered = e.calls.allowed_bytes == bytes_of(e.calls.judged, e.h.field);
  holds(implies(asks && blind && !e.h.syn, offered), "the queue is not known: what is offered");
  holds(implies(asks && blind && e.h.syn, e.out.field == e.h.field), "and a SYN-ACK passes");
  const u64 paid = choose(happened(e.calls.signalled), u64(1), u64(0));
  holds(e.port.state.signals_owed == e.before.state.signals_owed ||
            e.port.state.signals_owed + paid == e.before.state.signals_owed,
        "one signal at most is paid");
}

PROOF(an_ACK_at_a_gateway_settles_times_and_marks_what_it_may) {
  Event e;
  run(e);
  const pst_flow& f = e.calls.judged;
  holds(happened(e.calls.settled) == !e.h.syn, "a SYN-ACK settles nothing");
  holds(happened(e.calls.timed) == (!e.h.syn && !pst_is_unseen(&f, &e.h)),
        "R35: what was not seen is not timed");
  holds(happened(e.calls.marked) == (!law_opens(e) && pst_is_current(&f, &e.h)),
        "R11, R35: the edge of the newest window is marked");
  holds(happened(e.calls.granted) == (f.has_edge && pst_seq_after(e.flow.flow.edge, f.edge)),
        "what moves an edge is timed");
}

LONG_PROOF(an_ACK_at_a_gateway_that_paces_is_booked_once_as_it_leaves) {
  Event e;
  begin(e);
  const bool paces = pst_gateway_paces(&e.port.config);
  const u64 before_ns = e.pace.release_ns = u64::any("release_ns");
  e.pace.hold_ns = u64::any("hold_ns");
  e.port.pace.turn_ns = u64::any("turn_ns");
  assume(e.pace.hold_ns < MOST_NOW_NS && before_ns < MOST_NOW_NS);
  assume(e.port.pace.turn_ns < MOST_NOW_NS);
  const u64 now_ns = play(e);
  holds(happened(e.calls.booked) == paces, "once");
  holds(happened(e.calls.counted) == (paces && !happened(e.calls.asked)), "with N as a law has it");
  holds(paces || e.release_ns == now_ns, "else it goes at once");
  holds(e.release_ns >= now_ns, "no ACK goes before it came");
  holds(e.release_ns <= pst_max(before_ns, now_ns + PST_PACE_MOST_NS), "ten seconds at most");
}

// A host shows the options of a SYN, and of nothing else.
PROOF(a_segment_back_is_judged_once_by_a_gateway_that_rewrites) {
  Event e;
  begin(e);
  pst_queue q = {};
  q.now_ns = any_time();
  const pst_options o = {};
  const pst_options* syn = static_cast<bool>(e.h.syn) ? &o : nullptr;
  const u16 offered = e.h.field;
  assume(!pst_gateway_paces(&e.port.config));
  const u32 isn = u32::any("isn");
  e.out = pst_port_back_segment(&e.port, &e.flow, &e.pace, nullptr, &q, &e.h, isn, syn).out;
  holds(happened(e.calls.syns) == e.h.syn && happened(e.calls.opened) == !e.h.syn, "SYN, or not");
  holds(happened(e.calls.recorded) == pst_gateway_rewrites(&e.port.config), "if it rewrites");
  holds(e.calls.recorded == 1 || e.out.field == offered, "else it passes");
  holds(may_leave(e.h, e.out.field) && invariant(e.flow.flow), "R1, R4, R5 and the invariant");
}
