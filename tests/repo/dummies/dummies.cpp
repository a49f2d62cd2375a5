// SPDX-License-Identifier: GPL-2.0-only
// Both dummies at a gateway, by core's events alone.
#include <cstdio>
#include <cstring>

#include "core/describe.h"

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  ++failures;
}

u16 field_of(const pst_gateway_config& c, pst_gateway_state& s, pst_gateway_flow& f, pst_queue& q,
             u32 ack) {
  const pst_ack_header h{ack, 60000, false, true};
  return pst_gateway_ack(&c, &s, &f, &q, &h).field;
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

}  // namespace

int main() {
  pst_queue q{};
  q.limit_bytes = 100'000;
  q.flows = 1;
  pst_gateway_config c;
  pst_variant_config(&c, PST_VARIANT_DROPTAIL, q.limit_bytes);
  c.discipline = PST_DISCIPLINE_DUMMY_DROP;
  c.law = PST_LAW_DUMMY_LAW;
  c.mode = PST_LITERAL;
  pst_gateway_defaults(&c, q.limit_bytes);
  pst_gateway_state s;
  pst_gateway_init(&c, &s, &q);

  pst_gateway_flow first = opened(), second = opened();
  pst_gateway_data(&c, &s, &first, &q, 10, 2000, 1000, PST_NOT_ECT, 0);
  pst_gateway_data(&c, &s, &second, &q, 10, 2000, 1000, PST_NOT_ECT, 0);
  expect(field_of(c, s, first, q, 10) == 2000, "a flow begins with two segments");
  expect(field_of(c, s, first, q, 11) == 3000, "and has one more each time");
  expect(field_of(c, s, second, q, 10) == 2000, "another flow has its own state");
  c.epoch++;
  expect(field_of(c, s, first, q, 12) == 2000, "another epoch starts with none");
  expect(s.law.dummy_law.flows == 3, "the law's own state is one for all");

  pst_packet k{};
  k.bytes = 1500;
  q.now_ns = 1000;
  expect(pst_gateway_leave(&c, &s, &q, &k) == PST_PASS, "a short wait passes");
  q.now_ns = 1001;
  expect(pst_gateway_leave(&c, &s, &q, &k) == PST_DROP, "a long one is dropped");
  c.signal = PST_SIGNAL_WINDOW;
  expect(pst_gateway_leave(&c, &s, &q, &k) == PST_SIGNAL, "or owes a window");
  expect(field_of(c, s, second, q, 11) == 1000, "which the next ACK carries");
  expect(pst_discipline_decides_at_departure(c.discipline), "its queue has to be served");
  expect(pst_law_is(c.law, PST_TRAIT_FLOW), "its flows have to be kept");
  expect(pst_method_find(pst_law_rows, PST_LAW_COUNT, "dummy_law") == PST_LAW_DUMMY_LAW,
         "it is found by name");
  return failures ? 1 : 0;
}
