// SPDX-License-Identifier: GPL-2.0-only
// What the parts in core/gateway/ of an ACK's event promise: part_proofs.cpp proves it of them,
// and ../ack/ puts it in their place.
#ifndef PENSTOCK_TESTS_PROVE_GATEWAY_PART_CONTRACTS_H
#define PENSTOCK_TESTS_PROVE_GATEWAY_PART_CONTRACTS_H

#include "gateway.h"

#include "../contracts.h"

#include "gateway/port.h"

namespace prove {

// A clock's times lie 292 years around.
constexpr unsigned long long MOST_NOW_NS = 1ULL << 63;

inline u64 any_time() {
  const u64 now_ns = u64::any("now_ns");
  assume(now_ns < MOST_NOW_NS);
  return now_ns;
}

inline pst_gateway_config any_config() {
  pst_gateway_config c = {};
  c.law = u32::any("c.law");
  c.mode = any_mode();
  c.signal = u32::any("c.signal");
  c.epoch = u32::any("c.epoch");
  c.observe = Bool::any("c.observe");
  c.beyond = u32::any("c.beyond");
  c.auto_rate = Bool::any("c.auto_rate");
  c.passive = Bool::any("c.passive");
  return c;
}

inline pst_gateway_state any_gateway() {
  pst_gateway_state s = {};
  s.hidden.known = Bool::any("s.hidden.known");
  s.count.epoch = u64::any("s.count.epoch");
  s.signals_owed = u64::any("s.signals_owed");
  assume(s.signals_owed < 1ULL << 63);
  return s;
}

inline pst_port any_port() {
  pst_port port = {};
  port.config = any_config();
  port.state = any_gateway();
  return port;
}

inline pst_gateway_flow any_gateway_flow() {
  pst_gateway_flow f = {};
  f.flow = any_flow();
  f.use.begun_ns = u64::any("begun_ns");
  f.use.window_bytes = u32::any("window_bytes");
  f.use.marked_edge = u32::any("marked_edge");
  f.use.marked_units = u16::any("marked_units");
  f.use.first_segments = u8::any("first_segments");
  f.use.fills = Bool::any("fills");
  f.use.shown = Bool::any("shown");
  f.rtt.near_ns = u64::any("near_ns");
  f.epoch = u32::any("f.epoch");
  return f;
}

// The ranges that laws are proved for.
inline Bool law_sees(const pst_ack& a) {
  const Bool sizes =
      a.window_bytes <= MAX_WINDOW_BYTES && a.mss_bytes >= 1 && a.mss_bytes <= MAX_PAYLOAD_BYTES;
  const Bool sent = a.acked_bytes <= a.flight_bytes && a.flight_bytes <= 1U << 31;
  return sizes && sent && a.rtt_ns <= PST_MAX_NS && a.granted_bytes <= MAX_WINDOW_BYTES;
}

// What the law is shown says what @h does.
inline Bool views(const pst_gateway_flow& f, const pst_ack_header& h, const pst_ack& a) {
  const u64 offered = choose(h.syn, u64(h.field), bytes_of(f.flow, h.field));
  return law_sees(a) && a.window_bytes == offered && a.mss_bytes == pst_max(f.flow.mss_bytes, 1);
}

// The window of a first flight.
inline u64 first_bytes(const pst_gateway_flow& f) {
  return u64(f.use.first_segments) * f.flow.mss_bytes;
}

// Whether a first flight waits, whose window a repeated SYN-ACK or a request carries again.
inline Bool repeats(const pst_gateway_config& c, const pst_gateway_flow& f,
                    const pst_ack_header& h) {
  const Bool has_first = f.use.first_segments != 0 && f.flow.mss_bytes != 0;
  const Bool again =
      (h.syn && f.use.begun_ns != 0) || (!h.syn && f.flow.reverse_opened && f.use.begun_ns == 0);
  return has_first && again && pst_law_is(c.law, PST_TRAIT_OPENS);
}

inline Bool repeated_field(const pst_gateway_flow& f, const u32& mode, const pst_ack_header& h,
                           const u16& field) {
  return implies(h.syn, opening_field(f.flow, h, first_bytes(f), field)) &&
         implies(!h.syn, window_field(f.flow, mode, h, first_bytes(f), field));
}

// A pending signal is paid, once; scalable senders keep two segments (R20).
inline Bool signals(const pst_gateway_config& c, const u64& owed, const u64& owed_after,
                    const pst_flow& f, const pst_ack& a, const u64& allowed, const u64& bytes) {
  const Bool pays = c.signal == PST_SIGNAL_WINDOW && owed != 0;
  const u64 limit = choose(pays, pst_min(allowed, a.mss_bytes), allowed);
  const u64 least = choose(f.scalable, 2ULL * a.mss_bytes, u64(0));
  return bytes == pst_max(limit, least) && owed_after == owed - choose(pays, u64(1), u64(0));
}

// The sender's use of its window is looked at: that changes no edge, no ACK and no window.
inline Bool marks(const pst_gateway_flow& before, const pst_gateway_flow& after) {
  return turns(before.flow, after.flow) && after.use.begun_ns == before.use.begun_ns &&
         after.use.first_segments == before.use.first_segments &&
         after.use.window_bytes == before.use.window_bytes;
}

// The law allows no more than the receiver offers, and a flow's state is not the law's to change.
inline Bool allows(const pst_gateway_flow& before, const pst_gateway_flow& after, const pst_ack& a,
                   const u64& bytes) {
  return equal(before.flow, after.flow) && bytes <= a.window_bytes &&
         after.use.window_bytes == bytes && after.use.begun_ns == before.use.begun_ns;
}

}  // namespace prove

#endif
