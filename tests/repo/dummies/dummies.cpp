// SPDX-License-Identifier: GPL-2.0-only
// The dummies at a gateway and at a sender, by core's events alone.
#include <cstdio>
#include <cstring>

#include "core/describe.h"
#include "core/sender/control.h"

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  ++failures;
}

u16 field_of(pst_port& port, pst_gateway_flow& f, pst_queue& q, u32 ack) {
  const pst_ack_header h{ack, 60000, false, true};
  return pst_port_back(&port, &f, nullptr, nullptr, &q, &h).out.field;
}

pst_gateway_flow opened() {
  pst_options syn{};
  syn.mss_bytes = 1000;
  syn.scale = 0;
  pst_gateway_flow f;
  pst_gateway_forget(&f);
  pst_gateway_syn(&f, true, 9, &syn, 0);
  pst_gateway_syn(&f, false, 0, &syn, 0);
  return f;
}

void a_law_and_a_discipline() {
  pst_queue q{};
  q.limit_bytes = 100'000;
  q.flows = 1;
  pst_port port{};
  pst_gateway_config& c = port.config;
  pst_variant_config(&c, PST_VARIANT_DROPTAIL, q.limit_bytes);
  c.discipline = PST_DISCIPLINE_DUMMY_DROP;
  c.law = PST_LAW_DUMMY_LAW;
  c.mode = PST_LITERAL;
  pst_gateway_defaults(&c, q.limit_bytes);
  pst_port_init(&port, &q);

  pst_gateway_flow first = opened(), second = opened();
  pst_gateway_data(&port, &first, nullptr, &q, 10, 2000, 1000, PST_NOT_ECT, 0);
  pst_gateway_data(&port, &second, nullptr, &q, 10, 2000, 1000, PST_NOT_ECT, 0);
  expect(field_of(port, first, q, 10) == 2000, "a flow begins with two segments");
  expect(field_of(port, first, q, 11) == 3000, "and has one more each time");
  expect(field_of(port, second, q, 10) == 2000, "another flow has its own state");
  c.epoch++;
  expect(field_of(port, first, q, 12) == 2000, "another epoch starts with none");
  expect(port.state.law.dummy_law.flows == 3, "the law's own state is one for all");

  pst_packet k{};
  k.bytes = 1500;
  q.now_ns = 1000;
  expect(pst_port_leave(&port, &q, &k) == PST_PASS, "a short wait passes");
  q.now_ns = 1001;
  expect(pst_port_leave(&port, &q, &k) == PST_DROP, "a long one is dropped");
  c.signal = PST_SIGNAL_WINDOW;
  expect(pst_port_leave(&port, &q, &k) == PST_SIGNAL, "or owes a window");
  expect(field_of(port, second, q, 11) == 1000, "which the next ACK carries");
  expect(pst_discipline_decides_at_departure(c.discipline), "its queue has to be served");
  expect(pst_law_is(c.law, PST_TRAIT_FLOW), "its flows have to be kept");
  expect(pst_method_find(pst_law_rows, PST_LAW_COUNT, "dummy_law") == PST_LAW_DUMMY_LAW,
         "it is found by name");
}

void a_header() {
  pst_queue q{};
  q.limit_bytes = 100'000;
  pst_port port{};
  pst_gateway_config& c = port.config;
  pst_variant_config(&c, PST_VARIANT_DROPTAIL, q.limit_bytes);
  c.discipline = PST_DISCIPLINE_DUMMY_HEADER;
  pst_gateway_defaults(&c, q.limit_bytes);
  pst_port_init(&port, &q);
  pst_feedback header{};
  header.label = 1;
  pst_packet k{};
  k.bytes = 1500;
  k.feedback = &header;
  expect(pst_port_arrive(&port, &q, &k) == PST_PASS && header.label == 1, "an empty queue");
  q.bytes = 1500;
  expect(pst_port_arrive(&port, &q, &k) == PST_PASS && header.label == 0, "writes a header");
  expect(pst_discipline_feedback(c.discipline) == PST_FEEDBACK_ANTIECN, "of its kind");
}

void several_queues() {
  expect(pst_discipline_schedules(PST_DISCIPLINE_DUMMY_TURNS), "its host keeps its queues");
  pst_discipline_params p;
  pst_method_defaults(&pst_discipline_rows[PST_DISCIPLINE_DUMMY_TURNS], &p, 0);
  // Hosts read the parameters of any scheduler as FQ-CoDel's.
  expect(p.fq_codel.queues == 4 && p.fq_codel.quantum_bytes == 9000, "which are four");
}

void a_sender() {
  const u32 method = pst_sender_find("dummy_sender");
  expect(method == PST_SENDER_DUMMY_SENDER, "it is found by name");
  pst_sender_params p;
  pst_sender_defaults(method, &p);
  pst_sender_state s{};
  pst_sender_view v{};
  v.mss_bytes = 1000;
  v.flight_bytes = 8000;
  pst_cwnd w{};
  w.bytes = 10'000;
  pst_sender_sample(method, &p, &s, &v, &w);
  pst_sender_ack(method, &p, &s, &v, &w);
  expect(w.bytes == 11'000 && s.dummy_sender.samples == 1, "an ACK gives a segment");
  pst_feedback header{};
  pst_sender_stamp(method, &p, &s, &v, &w, &header);
  expect(header.cwnd_bytes == 11'000, "which its header tells");
  expect(pst_sender_congestion(method, &p, &s, &v, &w, PST_LOSS) == 4000, "a loss halves");
}

}  // namespace

int main() {
  a_law_and_a_discipline();
  a_header();
  several_queues();
  a_sender();
  return failures ? 1 : 0;
}
