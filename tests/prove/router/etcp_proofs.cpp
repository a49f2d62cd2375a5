// SPDX-License-Identifier: GPL-2.0-only
// The senders ETCP 1 to 3b: nothing overflows, and the congestion window is a segment at least, and
// no more than the window of the ACK where it was no more before.
#include "../law/facts.h"

namespace prove {

// What pst_scale_exp2() is to ETCP: any size up to @most_bytes, with which it ends.
inline u64 scaled(const u64& bytes, const u64&, const u64& most_bytes) {
  holds(bytes <= PST_MAX_BYTES && most_bytes <= PST_MAX_BYTES, "sizes that fit");
  const u64 some = u64::up_to("scaled", PST_MAX_BYTES);
  assume(some <= most_bytes);
  return some;
}

}  // namespace prove

#define pst_scale_exp2 prove::scaled
#include "sender/etcp.h"
#undef pst_scale_exp2

#include "../proof.h"

using namespace prove;

namespace {

constexpr unsigned long long MOST_WINDOW_BYTES = 65535ULL << 14;

template <typename Next>
void holds_next(Next next) {
  const u64 cwnd = u64::exactly(between(1, PST_MAX_BYTES / 4, "cwnd_bytes"));
  const u64 offered = u64::exactly(between(1, MOST_WINDOW_BYTES, "offered_bytes"));
  const u64 mss = u64::exactly(between(1, 65535, "mss_bytes"));
  const u64 initial = u64::exactly(between(1, MOST_WINDOW_BYTES, "initial_bytes"));
  holds(next(cwnd, offered, mss, initial) <= offered, "no more than the ACK's window");
}

template <typename Params, typename State, typename Event>
void holds_ack(Event on_ack) {
  Params p = {};
  p.abc_limit = u64::exactly(between(1, 1024, "p.abc_limit"));
  State s = {};
  s.initial_bytes = u64::exactly(between(1, MOST_WINDOW_BYTES, "s.initial_bytes"));
  s.fallback = u64::up_to("s.fallback", 1);
  pst_sender_view v = {};
  v.window_bytes = u64::up_to("v.window_bytes", MOST_WINDOW_BYTES);
  v.acked_bytes = u64::up_to("v.acked_bytes", MOST_WINDOW_BYTES);
  v.mss_bytes = u32::exactly(between(1, 65535, "v.mss_bytes"));
  pst_cwnd w = {};
  w.bytes = u64::exactly(between(1, PST_MAX_BYTES / 4, "w.bytes"));
  w.ssthresh_bytes = u64::up_to("w.ssthresh_bytes", PST_SSTHRESH_MAX);
  assume(w.bytes >= v.mss_bytes);
  const u64 before = w.bytes;
  on_ack(&p, &s, &v, &w);
  holds(w.bytes >= v.mss_bytes, "a segment at least");
  holds(w.bytes <= pst_max(pst_max(v.window_bytes, v.mss_bytes), before + v.acked_bytes),
        "the ACK's window, or what slow start adds");
  holds(s.fallback <= 1, "a flag");
}

}  // namespace

PROOF(ETCP_1_takes_the_window_of_the_ACK) { holds_next(pst_etcp_1_next); }
PROOF(ETCP_2_stays_below_the_window_of_the_ACK) { holds_next(pst_etcp_2_next); }
PROOF(ETCP_3_stays_below_the_window_of_the_ACK) { holds_next(pst_etcp_3_next); }
PROOF(ETCP_3b_stays_below_the_window_of_the_ACK) { holds_next(pst_etcp_3b_next); }

PROOF(an_ACK_leaves_ETCP_1_a_segment_at_least) {
  holds_ack<pst_etcp_1_params, pst_etcp_1_state>(pst_etcp_1_on_ack);
}
PROOF(an_ACK_leaves_ETCP_2_a_segment_at_least) {
  holds_ack<pst_etcp_2_params, pst_etcp_2_state>(pst_etcp_2_on_ack);
}
PROOF(an_ACK_leaves_ETCP_3_a_segment_at_least) {
  holds_ack<pst_etcp_3_params, pst_etcp_3_state>(pst_etcp_3_on_ack);
}
PROOF(an_ACK_leaves_ETCP_3b_a_segment_at_least) {
  holds_ack<pst_etcp_3b_params, pst_etcp_3b_state>(pst_etcp_3b_on_ack);
}
