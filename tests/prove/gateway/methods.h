// SPDX-License-Identifier: GPL-2.0-only
// Any law, any discipline, any count of flows, any round trip and any hidden queue, in place of
// those of core/: what is proved of laws and round trips is given here, and of the others nothing.
#ifndef PENSTOCK_TESTS_PROVE_GATEWAY_METHODS_H
#define PENSTOCK_TESTS_PROVE_GATEWAY_METHODS_H

#define PENSTOCK_CORE_LAW_LAW_H
#define PENSTOCK_CORE_DISCIPLINE_DISCIPLINE_H
#define PENSTOCK_CORE_FLOW_FLOW_COUNT_H
#define PENSTOCK_CORE_FLOW_RTT_H
#define PENSTOCK_CORE_QUEUE_HIDDEN_QUEUE_H
#define PENSTOCK_CORE_QUEUE_HIDDEN_TRIP_H
#define PENSTOCK_CORE_QUEUE_HIDDEN_RETURN_H
#define PENSTOCK_CORE_QUEUE_HIDDEN_SUPPOSED_H
#define PENSTOCK_CORE_QUEUE_UPSTREAM_QUEUE_H
#define PENSTOCK_CORE_QUEUE_UPSTREAM_STAMP_H
#define PENSTOCK_CORE_GATEWAY_SCONE_H
#define PENSTOCK_CORE_GATEWAY_ADVISE_H

#include "law/ack.h"
#include "queue/departure_rate.h"

enum pst_law_trait {
  PST_TRAIT_LIMITS,
  PST_TRAIT_OPENS,
  PST_TRAIT_DIVIDES,
  PST_TRAIT_PACKETS,
  PST_TRAIT_FLOW,
};
enum pst_discipline { PST_DISCIPLINE_FAIR };

// Parameters and state of methods, of which nothing is known.
union pst_law_params {
  int none;
};
union pst_law_state {
  int none;
};
union pst_law_flow {
  int none;
};
union pst_discipline_params {
  int none;
};
union pst_discipline_state {
  int none;
};

struct pst_flow_count {
  u64 interval_ns;
  u64 epoch;
  u32 silent_q15;
  u32 share_bytes;
  u64 queue_bytes;
  u64 queue_bytes_per_s;
  u64 last_q16, running_q16;
};

struct pst_flow_use {
  u64 begun_ns;
  u32 opening_epoch;
  u32 counted_q16;
  u32 window_bytes;
  u32 marked_edge;
  u16 marked_units;
  u8 first_segments;
  bool fills;
  bool shown;
};

struct pst_rtt {
  u64 near_ns, far_ns, grant_ns, answered_ns, probe_ns;
  u32 probe_end;
  bool probing, granting, stamped;
};

struct pst_drain {
  int none;
};
struct pst_hidden_queue {
  bool known;
  bool idle;
  pst_drain drain;
};
struct pst_hidden_flow {
  int none;
};
struct pst_return {
  u64 over_ns;
};
struct pst_upstream_queue {
  bool known;
  pst_drain drain;
};
struct pst_one_way {
  int none;
};
struct pst_stamp {
  u64 now_ns, rtt_ns, packet_bytes, pause_ns;
  u32 val, observed;
};
struct pst_trip {
  u64 now_ns, ns, before_ns, paired, beyond, observed, waited_ns;
};

struct pst_scone {
  int none;
};

#define PST_MARK_SHIFT 20

namespace prove {

inline Bool any_truth() { return Bool::any("of a method"); }
inline u64 any_number() { return u64::any("of a method"); }

// The interval to a next tick.
inline u64 any_interval() { return u64::any("interval_ns") & 0xffffffffffULL; }

inline pst_verdict any_verdict() {
  const pst_verdict verdicts[] = {PST_PASS, PST_DROP, PST_MARK, PST_SIGNAL};
  int i = 0;
  while (i < 3 && static_cast<bool>(any_truth())) {
    ++i;
  }
  return verdicts[i];
}

}  // namespace prove

// Any law: its number says which traits it has.
static inline bool pst_law_is(u32 law, pst_law_trait trait) { return (law >> trait & 1) != 0; }
static inline u64 pst_law_interval_ns(u32, const pst_law_params*) { return prove::any_interval(); }
static inline void pst_law_init(u32, const pst_law_params*, pst_law_state*, const pst_queue*) {}
static inline void pst_law_accepted(u32, const pst_law_params*, pst_law_state*, const pst_queue*,
                                    const pst_packet*) {}
static inline void pst_law_left(u32, const pst_law_params*, pst_law_state*, const pst_queue*,
                                const pst_packet*) {}
static inline void pst_law_data(u32, const pst_law_params*, pst_law_state*, pst_law_flow*,
                                const pst_queue*, u32) {}
static inline u64 pst_law_tick(u32, const pst_law_params*, pst_law_state*, const pst_queue*) {
  return prove::any_interval();
}
static inline u64 pst_law_pace_ns(u32, const pst_law_params*, pst_law_state*, const pst_queue*,
                                  const pst_ack*, u64, u64, bool* waits) {
  *waits = prove::any_truth();
  const u64 ns = u64::any("cost_ns");
  prove::assume(ns <= 2 * PST_MAX_NS);
  return ns;
}
static inline u64 pst_law_pause_ns(u32, const pst_law_state*) {
  const u64 ns = u64::any("pause_ns");
  prove::assume(ns <= PST_MAX_NS);
  return ns;
}
// pst_law_ack() ends with it: no more than the receiver's.
static inline u64 pst_law_ack(u32, const pst_law_params*, pst_law_state*, pst_law_flow*,
                              const pst_queue*, const pst_ack* a) {
  const u64 allowed = u64::any("allowed_bytes");
  prove::assume(allowed <= a->window_bytes);
  return allowed;
}

static inline bool pst_discipline_sees_packets(u32) { return prove::any_truth(); }
static inline bool pst_discipline_measures(u32) { return prove::any_truth(); }
static inline u64 pst_discipline_interval_ns(u32, const pst_discipline_params*) {
  return prove::any_interval();
}
static inline void pst_discipline_init(u32, const pst_discipline_params*, pst_discipline_state*,
                                       const pst_queue*) {}
static inline u64 pst_discipline_tick(u32, const pst_discipline_params*, pst_discipline_state*,
                                      const pst_queue*) {
  return prove::any_interval();
}
static inline pst_verdict pst_discipline_arrive(u32, const pst_discipline_params*,
                                                pst_discipline_state*, const pst_queue*,
                                                const pst_packet*) {
  return prove::any_verdict();
}
static inline pst_verdict pst_discipline_leave(u32, const pst_discipline_params*,
                                               pst_discipline_state*, const pst_queue*,
                                               const pst_packet*) {
  return prove::any_verdict();
}
static inline void pst_discipline_accepted(u32, const pst_discipline_params*, pst_discipline_state*,
                                           const pst_queue*, const pst_packet*) {}
static inline void pst_discipline_overflow(u32, const pst_discipline_params*, pst_discipline_state*,
                                           const pst_queue*, const pst_packet*) {}
static inline void pst_discipline_left(u32, const pst_discipline_params*, pst_discipline_state*,
                                       const pst_queue*, const pst_packet*) {}

static inline u64 pst_flow_count_get(pst_flow_count*, u64) { return prove::any_number(); }
static inline u64 pst_flow_count_q16(const pst_flow_count*) { return prove::any_number(); }
static inline u16 pst_flow_count_others_use_q15(pst_flow_count*, u64) { return u16::any("use"); }
static inline bool pst_flow_count_others_fill(const pst_flow_count*) { return prove::any_truth(); }
static inline u32 pst_flow_count_opening(const pst_flow_count*) { return u32::any("opening"); }
static inline void pst_flow_count_syn(pst_flow_count*, pst_flow_use*, u64) {}
static inline void pst_flow_count_data(pst_flow_count*, pst_flow*, u64) {}
static inline void pst_flow_count_use(pst_flow_count*, pst_flow_use* u, pst_flow_group*, u32, bool,
                                      u32, u64, u64) {
  u->counted_q16 = u32::any("counted_q16");
}
static inline void pst_flow_count_leave(pst_flow_count*, pst_flow_use* u, pst_flow_group*, u64) {
  u->counted_q16 = 0;
}
static inline void pst_flow_count_other(pst_flow_count*, u32, u32, u64) {}

static inline u64 pst_rtt_get(const pst_rtt*) {
  const u64 ns = u64::any("rtt_ns");
  prove::assume(ns <= PST_MAX_NS);
  return ns;
}
static inline u64 pst_rtt_departure_ns(u64, u64, u64) { return prove::any_number(); }
static inline void pst_rtt_on_syn(pst_rtt*, bool, u64) {}
static inline void pst_rtt_on_third(pst_rtt*, bool, u64) {}
static inline void pst_rtt_on_data(pst_rtt*, const pst_flow*, u32, u64) {}
static inline void pst_rtt_on_arrival(pst_rtt*, u32, u64) {}
static inline u64 pst_rtt_on_ack(pst_rtt*, u32, u64, u64) { return prove::any_number(); }
static inline void pst_rtt_on_grant(pst_rtt*, u32, bool, u64) {}
// rtt_proofs.cpp proves it: no longer than the clock has run, apart from what echoes say.
static inline u64 pst_rtt_near_ns(const pst_rtt*) {
  const u64 ns = prove::any_number();
  prove::assume(ns <= (1ULL << 63) + PST_MAX_NS);
  return ns;
}
static inline bool pst_rtt_awaits_echo(const pst_rtt*, u64) { return prove::Bool::any("awaits"); }
static inline bool pst_rtt_is_echo(const pst_rtt*, u32, u32) { return prove::Bool::any("echo"); }
static inline void pst_rtt_on_again(pst_rtt*, u64) {}
static inline void pst_rtt_miss_echo(pst_rtt*, u32) {}
static inline void pst_rtt_on_echo(pst_rtt*, u64, u64) {}
static inline void pst_rtt_tell(pst_rtt*, u64, u64) {}

static inline u64 pst_drain_part_q16(const pst_drain*, u64) {
  const u64 part = prove::any_number();
  prove::assume(part <= PST_Q16_ONE / 4);
  return part;
}

static inline bool pst_hidden_is_known(const pst_hidden_queue* h) { return h->known; }
static inline u64 pst_hidden_bytes(const pst_hidden_queue*, const pst_departure_rate*, u64) {
  return prove::any_number();
}
static inline bool pst_drain_may_be_path(const pst_drain*) { return prove::any_truth(); }
static inline void pst_hidden_look(pst_hidden_queue*, pst_departure_rate*, u64) {}
static inline void pst_hidden_enter(pst_hidden_queue*, u64) {}
static inline void pst_hidden_other(pst_hidden_queue*, u64) {}
static inline void pst_hidden_acked(pst_hidden_queue*, u64) {}
static inline bool pst_hidden_times(u64) { return prove::any_truth(); }
static inline void pst_hidden_trip(pst_hidden_queue*, pst_departure_rate*, pst_hidden_flow*,
                                   const pst_trip*, u32) {}
static inline u64 pst_return_wait_ns(pst_hidden_queue*, pst_return*, u32, u64, u64) {
  const u64 wait_ns = prove::any_number();
  prove::assume(wait_ns <= PST_MAX_NS);
  return wait_ns;
}
static inline u64 pst_return_of_others_ns(const pst_hidden_queue*, u64, u64) {
  const u64 wait_ns = prove::any_number();
  prove::assume(wait_ns <= PST_MAX_NS);
  return wait_ns;
}
static inline void pst_hidden_mark(const pst_hidden_queue*, pst_hidden_flow*) {}
static inline void pst_hidden_follow(const pst_hidden_queue*, pst_hidden_flow*) {}
static inline void pst_hidden_sent(pst_hidden_queue*, u64, bool, u64) {}
static inline void pst_hidden_suppose(pst_hidden_queue*, pst_departure_rate*, u64) {}
static inline u64 pst_hidden_beside_bytes(const pst_hidden_queue*, const pst_departure_rate*, u64) {
  return prove::any_number();
}

static inline bool pst_upstream_is_known(const pst_upstream_queue* u) { return u->known; }
static inline u64 pst_upstream_bytes(const pst_upstream_queue*, const pst_departure_rate*, u64) {
  return prove::any_number();
}
static inline bool pst_upstream_is_inferred(const pst_upstream_queue*, u64) {
  return prove::any_truth();
}
static inline u64 pst_upstream_now_ns(const pst_upstream_queue*, u64) {
  const u64 ns = prove::any_number();
  prove::assume(ns <= PST_MAX_NS);
  return ns;
}
static inline void pst_upstream_look(pst_upstream_queue*, pst_departure_rate*, u64) {}
static inline void pst_upstream_enter(pst_upstream_queue*, u64) {}
static inline u64 pst_upstream_wait_ns(const pst_upstream_queue*) { return prove::any_number(); }
static inline bool pst_upstream_alone(pst_upstream_queue*, pst_one_way*, u32, u64, u64* wait_ns) {
  *wait_ns = prove::any_number();
  return prove::any_truth();
}
static inline bool pst_upstream_stamp(pst_upstream_queue*, pst_departure_rate*, pst_one_way*,
                                      const pst_stamp*) {
  return prove::any_truth();
}

#endif
