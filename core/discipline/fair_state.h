/* SPDX-License-Identifier: GPL-2.0-only */
/* Parameters and state of `fair` (fair.h). */
#ifndef PENSTOCK_CORE_DISCIPLINE_FAIR_STATE_H
#define PENSTOCK_CORE_DISCIPLINE_FAIR_STATE_H

#include "../flow/fair_table.h"
#include "../queue/queue.h"
#include "../queue/target.h"

#define PST_FAIR_PARAMS(P)                                                    \
	PST_TARGET_PARAMS(P)                                                  \
	P(average_ns, PST_NS, PST_IS(100000000), 10000000, PST_NS_PER_S,      \
	  "averaging time of what flows send (K)",                            \
	  "our choice: a round trip, RFC 8289 section 4.3")                   \
	P(spare_q16, PST_RATIO_Q16, PST_IS(32768), 0, PST_Q16_ONE,            \
	  "part of the link for flows that keep their rate; 0 none",          \
	  "our choice: windows keep the other half")

#define PST_FAIR_STATE(S)                                                     \
	S(epoch, PST_COUNT, "number of the interval")                         \
	S(end_ns, PST_TIME, "when it ends")                                   \
	S(running_q16, PST_COUNT, "flows in it, those of a pair one at most (B)") \
	S(beyond_q16, PST_COUNT, "what flows of pairs count beyond that (E)")  \
	S(spared_q16, PST_COUNT, "what is spared, in shares (S)")              \
	S(last_q16, PST_COUNT, "flows in the interval before (N)")            \
	S(most_beyond_q16, PST_COUNT, "what a pair counts beyond a flow, at most (l)") \
	S(spared_most_q8, PST_COUNT, "what may be spared, of what the others count") \
	S(rate_bytes_per_s, PST_BYTES, "rate that it divides (C)")            \
	S(among_q16, PST_COUNT, "by this number of flows (N)")                \
	S(share_bytes, PST_BYTES, "fair share in the averaging time")         \
	S(target_bytes, PST_BYTES, "target queue in the interval")            \
	S(near_bytes, PST_BYTES, "queue, in 1/2 .. 2 of the target, of a limit") \
	S(near_q16, PST_COUNT, "limit at that queue, of a share")             \
	S(inverse, PST_COUNT, "2^64 of the averaging time")                   \
	S(slots_q16, PST_COUNT, "averaging times in a slot of flow/fair_growth.h") \
	S(spare_bytes, PST_BYTES, "what may be spared in the averaging time") \
	S(spare_limit_bytes, PST_BYTES, "and of one flow (6)")                \
	S(spared_bytes, PST_BYTES, "what was spared in the interval (S)")     \
	S(spent_bytes, PST_BYTES, "and in all, beyond what may be spared")    \
	S(lasting_limit_bytes, PST_BYTES, "the same limit of a flow that lasts") \
	S(lasting_bytes, PST_BYTES, "what was spared of those that last, in the interval") \
	S(lasting_spent_bytes, PST_BYTES, "and in all, beyond what may be spared") \
	S(small_most_bytes, PST_BYTES, "what passes of small packets in the averaging time") \
	S(small_bytes, PST_BYTES, "and what has, beyond that")                \
	S(known_ns, PST_TIME, "when data of an answered flow last came, or any first did")

struct pst_fair_params {
	PST_FAIR_PARAMS(PST_PARAM_FIELD)
};

struct pst_fair_state {
	PST_FAIR_STATE(PST_STATE_FIELD)
};

/* So long without data of a flow that is answered, and the answers take another path. */
#define PST_FAIR_ONE_WAY_NS (30 * PST_NS_PER_S)

/* True if data goes by, and nothing of what answers it. */
PST_FN bool pst_fair_is_one_way(const struct pst_fair_state *s, u64 now_ns)
{
	return pst_sub_floor(now_ns, s->known_ns) > PST_FAIR_ONE_WAY_NS;
}

/*
 * So much of the link is for what carries no data, as of all together, before it counts as flows:
 * at 1 Mbit/s a hundred handshakes in a second, and the ACKs of a download of 2 Mbit/s.
 */
#define PST_FAIR_SMALL_SHIFT 4 /* a sixteenth */

#define PST_FAIR_MOST_SPENT_BYTES (16 * PST_MAX_BYTES)

/* What each event finds and leaves: a share fits, and a limit is at most some of them. */
PST_FN bool pst_fair_invariant(const struct pst_fair_state *s)
{
	return s->share_bytes <= PST_MAX_BYTES && s->target_bytes <= PST_MAX_BYTES &&
	       s->near_q16 <= 4 * PST_Q16_ONE && s->spare_bytes <= PST_MAX_BYTES &&
	       s->spare_limit_bytes <= 2 * PST_MAX_BYTES &&
	       s->spared_bytes <= PST_MAX_BYTES &&
	       s->spent_bytes <= PST_FAIR_MOST_SPENT_BYTES &&
	       s->lasting_limit_bytes <= 2 * PST_MAX_BYTES &&
	       s->lasting_bytes <= PST_MAX_BYTES &&
	       s->lasting_spent_bytes <= PST_FAIR_MOST_SPENT_BYTES && s->slots_q16 <= 1U << 23 &&
	       s->small_most_bytes <= PST_MAX_BYTES && s->small_bytes <= 2 * PST_MAX_BYTES &&
	       s->most_beyond_q16 <= PST_PAIR_MOST_Q16 && s->spared_most_q8 <= 1U << 13;
}

#endif
