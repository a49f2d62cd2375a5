// SPDX-License-Identifier: GPL-2.0-only
// Laws that divide the link's rate among flows (SAP-LAW, VoAP, Smart-RED, PINK): nothing overflows,
// each number of the state stays in its range, and no window is above the receiver's or below a
// segment.
#include "inputs.h"

#include "law/pink.h"
#include "law/sap_law.h"
#include "law/smart_red.h"
#include "law/voap.h"

#include "../proof.h"

using namespace prove;

namespace {

constexpr unsigned long long MOST_RATE_Q16 = (PST_MAX_BYTES - 1) << 16;
// What 2^23 packets of the largest size add up to, and one more.
constexpr unsigned long long MOST_UDP_BYTES = 1ULL << 55;

pst_udp any_udp() {
  pst_udp u = {};
  u.udp_bytes = u64::up_to("u.udp_bytes", MOST_UDP_BYTES);
  u.udp_bytes_per_s_q16 = u64::up_to("u.udp_bytes_per_s_q16", MOST_RATE_Q16);
  return u;
}

void holds_udp(const pst_udp& u) {
  holds(u.udp_bytes_per_s_q16 <= MOST_RATE_Q16, "the mean rate is in its range");
  holds(u.share_bytes <= PST_MAX_BYTES, "the share is in its range");
}

pst_voap_params any_voap_params() {
  pst_voap_params p = {};
  PST_VOAP_PARAMS(PENSTOCK_ANY_PARAM)
  return p;
}

pst_voap_flow any_voap_flow() {
  pst_voap_flow f = {};
  f.window_bytes = u64::up_to("f.window_bytes", PST_MOST_WINDOW_BYTES);
  f.next_ns = u64::up_to("f.next_ns", MOST_NOW_NS + 2 * PST_MAX_NS);
  return f;
}

void holds_voap_flow(const pst_voap_flow& f) {
  holds(f.next_ns <= MOST_NOW_NS + 2 * PST_MAX_NS, "the next step comes within its range");
}

}  // namespace

PROOF(uncontrolled_packets_are_counted_in_their_range) {
  pst_udp u = any_udp();
  assume(u.udp_bytes <= MOST_UDP_BYTES - ~0U);
  pst_packet k = {};
  k.kind = u8::up_to("k.kind", PST_KIND_SPARED);
  k.bytes = u32::any("k.bytes");
  pst_udp_accepted(&u, &k);
  holds(u.udp_bytes <= MOST_UDP_BYTES, "their sum is in its range");
  holds_udp(u);
}

PROOF(an_interval_keeps_the_uncontrolled_rate_in_its_range) {
  pst_sap_law_params p = {};
  PST_SAP_LAW_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  pst_sap_law_state s = {any_udp()};
  holds(pst_sap_law_on_tick(&p, &s, &q) == p.interval_ns, "the next step is an interval later");
  holds(s.udp.udp_bytes == 0, "the count begins at zero");
  holds_udp(s.udp);
}

PROOF(a_window_of_SAP_LAW_is_a_segment_at_least) {
  pst_sap_law_params p = {};
  PST_SAP_LAW_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_sap_law_state s = {any_udp()};
  holds_window(pst_sap_law_on_ack(&p, &s, &q, &a), a);
  holds_udp(s.udp);
}

PROOF(a_window_of_Smart_RED_is_a_segment_at_least) {
  pst_smart_red_params p = {};
  PST_SMART_RED_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_smart_red_state s = {any_udp()};
  holds_window(pst_smart_red_on_ack(&p, &s, &q, &a), a);
  holds_udp(s.udp);
}

PROOF(a_window_of_PINK_is_a_segment_at_least) {
  pst_pink_params p = {};
  PST_PINK_PARAMS(PENSTOCK_ANY_PARAM)
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_pink_state s = {};
  holds_window(pst_pink_on_ack(&p, &s, &q, &a), a);
  holds(s.share_bytes <= PST_MAX_BYTES, "the share is in its range");
}

PROOF(a_wait_of_VoAP_is_in_its_range) {
  const pst_queue q = any_queue();
  holds(pst_voap_wait_ns(&q) <= PST_MAX_NS, "at most the longest time");
}

PROOF(a_step_of_VoAP_keeps_a_flow_in_its_ranges) {
  const pst_voap_params p = any_voap_params();
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_voap_flow f = any_voap_flow();
  pst_voap_step(&p, &f, &q, &a, u64::exactly(between(1, PST_MAX_NS, "rtt_ns")));
  holds(f.window_bytes <= PST_MOST_WINDOW_BYTES + MOST_MSS_BYTES, "a segment more at most");
  holds_voap_flow(f);
}

PROOF(a_window_of_VoAP_is_a_segment_at_least) {
  const pst_voap_params p = any_voap_params();
  const pst_queue q = any_queue();
  const pst_ack a = any_law_ack();
  pst_voap_state s = {};
  s.udp = any_udp();
  pst_voap_flow f = any_voap_flow();
  holds_window(pst_voap_on_ack(&p, &s, &f, &q, &a), a);
  holds(f.window_bytes <= PST_MOST_WINDOW_BYTES, "no window is larger");
  holds(f.window_bytes >= pst_min(a.mss_bytes, PST_MOST_WINDOW_BYTES), "a segment at least");
  holds_voap_flow(f);
  holds_udp(s.udp);
}
