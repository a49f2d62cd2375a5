// SPDX-License-Identifier: GPL-2.0-only
// CSFQ: nothing overflows, labels and rates stay in their ranges, and a router lowers a label.
#define PENSTOCK_PROVE_ZERO_DIVISOR
#include "../law/facts.h"

#define pst_rate_add pst_rate_add_of_core
#include "math/rate.h"
#undef pst_rate_add

// Any rate in its range, which pst_rate_add() ends with.
static inline void pst_rate_add(pst_rate* r, u64 bytes, u64 now_ns, u64) {
  prove::holds(bytes <= prove::MOST_PACKET_BYTES && now_ns <= 1ULL << 63, "an arrival");
  prove::holds(r->bytes_per_s <= PST_RATE_MAX_BYTES_PER_S, "a rate");
  r->bytes_per_s = u64::up_to("rate", PST_RATE_MAX_BYTES_PER_S);
  r->last_ns = now_ns;
  r->known = 1;
}

#include "../law/inputs.h"

#include "discipline/csfq.h"

#include "../proof.h"

using namespace prove;

namespace {

pst_csfq_params any_params() {
  pst_csfq_params p = {};
  PST_CSFQ_PARAMS(PENSTOCK_ANY_PARAM)
  return p;
}

u64 any_rate(const char* name) { return u64::up_to(name, PST_RATE_MAX_BYTES_PER_S); }

pst_csfq_state any_state() {
  pst_csfq_state s = {};
  s.share_bytes_per_s = u64::exactly(between(1, PST_MAX_BYTES, "s.share_bytes_per_s"));
  s.arriving_bytes_per_s = any_rate("s.arriving_bytes_per_s");
  s.arriving_last_ns = u64::up_to("s.arriving_last_ns", MOST_NOW_NS);
  s.arriving_known = u64::up_to("s.arriving_known", 1);
  s.accepted_bytes_per_s = any_rate("s.accepted_bytes_per_s");
  s.accepted_last_ns = u64::up_to("s.accepted_last_ns", MOST_NOW_NS);
  s.accepted_known = u64::up_to("s.accepted_known", 1);
  s.congested = u64::up_to("s.congested", 1);
  s.began_ns = u64::up_to("s.began_ns", MOST_NOW_NS);
  s.largest_bytes_per_s = u64::up_to("s.largest_bytes_per_s", PST_MAX_BYTES);
  return s;
}

void holds_ranges(const pst_csfq_state& s) {
  holds(s.share_bytes_per_s >= 1, "a share is at least 1");
  holds(s.share_bytes_per_s <= PST_MAX_BYTES, "and in its range");
  holds(s.arriving_bytes_per_s <= PST_RATE_MAX_BYTES_PER_S, "the rate that arrives");
  holds(s.accepted_bytes_per_s <= PST_RATE_MAX_BYTES_PER_S, "the rate that is accepted");
  holds(s.largest_bytes_per_s <= PST_MAX_BYTES, "the largest label");
}

pst_queue a_link() {
  const pst_queue q = any_queue();
  assume(q.rate_bytes_per_s >= 1);
  return q;
}

u64 a_unit() { return u64::exactly(between(8, 1000000000, "unit_bps")); }

}  // namespace

// The least and the largest of each exponent.
PROOF(a_label_of_CSFQ_is_a_rate_above_zero) {
  const u64 unit_bps = a_unit();
  for (unsigned label = 0; label <= PST_CSFQ_LARGEST_LABEL; label += label % 16 ? 1 : 15) {
    const u64 rate = pst_csfq_decode_bytes_per_s(label, unit_bps);
    holds(rate >= 1 && rate <= PST_MAX_BYTES, "a rate");
  }
}

PROOF(a_rate_has_a_label_of_CSFQ) {
  const u32 label = pst_csfq_encode(u64::up_to("rate", PST_MAX_BYTES), a_unit());
  holds(label >= 1 && label <= PST_CSFQ_LARGEST_LABEL, "an octet that is not 0");
}

PROOF(a_packet_is_counted_by_CSFQ_in_its_ranges) {
  const pst_queue q = a_link();
  pst_csfq_state s = any_state();
  pst_packet k = {};
  k.bytes = u32::up_to("k.bytes", MOST_PACKET_BYTES);
  pst_csfq_count(&s, &q, &k, Bool::any("dropped"), u64::up_to("average_ns", PST_MAX_NS));
  holds_ranges(s);
}

PROOF(an_update_keeps_CSFQ_in_its_ranges) {
  const pst_csfq_params p = any_params();
  const pst_queue q = a_link();
  pst_csfq_state s = any_state();
  const u64 average_ns = pst_csfq_average_ns(&p, &q);
  holds(average_ns >= PST_RATE_MIN_AVERAGE_NS, "a time that averages");
  holds(average_ns <= PST_RATE_MAX_AVERAGE_NS, "in its range");
  pst_csfq_update(&s, &q, u64::up_to("label_bytes_per_s", PST_MAX_BYTES), average_ns);
  holds_ranges(s);
}

PROOF(an_overflow_keeps_CSFQ_in_its_ranges) {
  const pst_csfq_params p = any_params();
  const pst_queue q = a_link();
  const pst_packet k = {};
  pst_csfq_state s = any_state();
  const u64 before = s.share_bytes_per_s;
  pst_csfq_on_overflow(&p, &s, &q, &k);
  holds(s.share_bytes_per_s <= before, "it takes from the share");
  holds_ranges(s);
}

PROOF(a_flow_within_the_share_of_CSFQ_loses_nothing) {
  const pst_csfq_state s = any_state();
  const u64 label = u64::up_to("label_bytes_per_s", PST_MAX_BYTES);
  assume(label <= s.share_bytes_per_s);
  holds(!pst_csfq_drops(&s, label, u32::any("random")), "no drop");
}

PROOF(CSFQ_allows_a_rate_of_its_share_at_least) {
  const pst_csfq_state s = any_state();
  const pst_queue q = a_link();
  assume(q.rate_bytes_per_s <= PST_MAX_BYTES);
  const u64 rate = u64::up_to("rate", PST_MAX_BYTES);
  const u64 allowed = pst_csfq_allowed_bytes_per_s(&s, &q, rate);
  holds(allowed >= s.share_bytes_per_s, "the share at least");
  holds(allowed <= 2 * PST_MAX_BYTES, "in its range");
}
