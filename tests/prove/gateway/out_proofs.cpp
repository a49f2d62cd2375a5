// SPDX-License-Identifier: GPL-2.0-only
// pst_port_out() as one function, for every gateway and packet: its order, and the kind that a
// packet gets. What data does to its flow is in gateway_proofs.cpp.
#include "part_contracts.h"

#include "stage_contracts.h"

#include "gateway/gateway.h"

#include "../proof.h"

using namespace prove;

namespace {

// A packet that passes out, and what its host's functions were called for.
struct Out {
  pst_port port;
  pst_gateway_flow flow;
  pst_data_header h;
  pst_packet k;
  bool counts = true;
  unsigned seen = 0, judged = 0;
};

Out any_out() {
  Out o;
  o.port = any_port();
  o.port.config.upstream = Bool::any("c.upstream");
  o.flow = any_gateway_flow();
  o.h = {};
  o.h.seq = u32::any("seq");
  o.h.payload_bytes = u32::any("payload_bytes");
  o.h.segment_bytes = o.h.payload_bytes;
  o.h.reset = true;
  o.k = {};
  return o;
}

pst_verdict segment(void* host, pst_queue* q, pst_packet* k) {
  Out& o = *static_cast<Out*>(host);
  holds(o.judged == 0, "the flow before the discipline");
  o.counts = pst_port_segment(&o.port, &o.flow, nullptr, q, &o.h, k);
  ++o.seen;
  return PST_PASS;
}

pst_verdict policed(void* host, pst_queue*, pst_packet*) {
  ++static_cast<Out*>(host)->seen;
  return PST_DROP;
}

pst_verdict arrive(void* host, pst_queue*, pst_packet* k) {
  Out& o = *static_cast<Out*>(host);
  holds(o.seen == 1, "the discipline after the flow");
  ++o.judged;
  return pst_gateway_verdict(&o.port.config, &o.port.state, k, any_verdict());
}

pst_verdict play(Out& o, pst_out_flow flow) {
  pst_queue q = {};
  q.now_ns = any_time();
  q.phantom = Bool::any("q.phantom");
  return pst_port_out(&o.port, &q, &o.k, bool(Bool::any("measured")), &o, flow, arrive);
}

}  // namespace

PROOF(a_packet_out_is_judged_once_after_its_flow_gave_it_a_kind) {
  Out o = any_out();
  const pst_flow before = o.flow.flow;
  const pst_verdict verdict = play(o, segment);
  holds(o.seen == 1 && o.judged == 1, "each once");
  holds(equal(o.flow.flow, before), "a RST leaves the flow as it is");
  const Bool rewrites = pst_gateway_rewrites(&o.port.config);
  const Bool held = o.h.payload_bytes != 0 && o.counts && rewrites;
  holds((o.k.kind == PST_KIND_CONTROLLED) == held, "controlled: data within a window");
  holds((o.k.kind == PST_KIND_SMALL) == (o.h.payload_bytes == 0), "small: without data");
  holds(!pst_gateway_is_blind(&o.port.config, &o.port.state) || verdict == PST_PASS,
        "nothing is dropped for a queue that is not known");
}

PROOF(a_packet_that_is_dropped_for_its_flow_is_not_judged) {
  Out o = any_out();
  const u64 owed = o.port.state.signals_owed;
  holds(play(o, policed) == PST_DROP, "it is dropped");
  holds(o.judged == 0 && o.port.state.signals_owed == owed, "and owes no signal");
}

PROOF(a_rule_spares_no_data_that_a_window_holds_and_no_empty_segment) {
  const pst_content contents[] = {PST_CONTENT_OTHER, PST_CONTENT_DATA, PST_CONTENT_EMPTY,
                                  PST_CONTENT_ICMP, PST_CONTENT_LINK};
  for (const pst_content content : contents) {
    const Bool held = Bool::any("held");
    const bool tcp = content == PST_CONTENT_DATA || content == PST_CONTENT_EMPTY;
    const u8 kind = pst_kind_of(content, bool(held));
    const u8 ruled = pst_kind_by_rule(kind, tcp);
    const Bool kept = content == PST_CONTENT_EMPTY || content == PST_CONTENT_LINK ||
                      (content == PST_CONTENT_DATA && held);
    holds((ruled == kind) == kept, "what a rule leaves");
    holds(kept || ruled == PST_KIND_BY_RULE, "what it spares");
  }
}
