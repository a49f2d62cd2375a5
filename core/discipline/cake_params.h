/* SPDX-License-Identifier: GPL-2.0-only */
/* The parameters of CAKE (cake.h), and what they and the link make of COBALT's. */
#ifndef PENSTOCK_CORE_DISCIPLINE_CAKE_PARAMS_H
#define PENSTOCK_CORE_DISCIPLINE_CAKE_PARAMS_H

#include "cobalt.h"

#define PST_CAKE_PARAMS(P)                                                    \
	P(target_ns, PST_NS, PST_IS(5000000), 1000, PST_MAX_NS,               \
	  "acceptable standing queueing delay; at least 1.5 packets of the link", \
	  "Linux: a twentieth of the interval")                               \
	P(interval_ns, PST_NS, PST_IS(100000000), 1000, PST_MAX_NS,           \
	  "time to the first signal; about the largest common RTT (rtt)",     \
	  "tc-cake(8)")                                                       \
	P(raise_q32, PST_RATIO_Q32, PST_IS(1 << 24), 0, PST_Q32_ONE,          \
	  "step by which an overflow raises BLUE's probability (p_inc)",      \
	  "Linux net/sched/sch_cake.c")                                       \
	P(lower_q32, PST_RATIO_Q32, PST_IS(1 << 20), 0, PST_Q32_ONE,          \
	  "step by which an empty queue lowers it (p_dec)",                   \
	  "Linux net/sched/sch_cake.c")                                       \
	P(shaped, PST_FLAG, PST_IS(1), 0, 1,                                  \
	  "fit target and quantum to the link's rate; false: as tc's unlimited", \
	  "tc-cake(8)")                                                       \
	P(queues, PST_COUNT, PST_IS(1024), 8, 65536,                          \
	  "number of queues that flows are hashed into, in sets of eight",    \
	  "Linux net/sched/sch_cake.c")                                       \
	P(by_source, PST_FLAG, PST_IS(1), 0, 1,                               \
	  "divide among the hosts that send (tc: dual-srchost; both: "        \
	  "triple-isolate; neither: flows)", "tc-cake(8)")                    \
	P(by_target, PST_FLAG, PST_IS(1), 0, 1,                               \
	  "divide among the hosts that receive (tc: dual-dsthost)",           \
	  "tc-cake(8)")                                                       \
	P(perturbation, PST_COUNT, PST_IS(0), 0, 0xffffffffULL,               \
	  "salt of the hash", "as FQ-CoDel")

struct pst_cake_params {
	PST_CAKE_PARAMS(PST_PARAM_FIELD)
};

PST_FN struct pst_cobalt_params pst_cake_cobalt(const struct pst_cake_params *p,
						const struct pst_queue *q)
{
	struct pst_cobalt_params c;

	c.raise_q32 = p->raise_q32;
	c.lower_q32 = p->lower_q32;
	c.packet_ns = p->shaped ? PST_FULL_FRAME_BYTES * PST_NS_PER_S /
					  pst_max(q->rate_bytes_per_s, 1) : 0;
	c.packet_ns = pst_min(c.packet_ns, PST_MAX_NS);
	c.target_ns = pst_max(c.packet_ns + c.packet_ns / 2, p->target_ns);
	c.interval_ns = pst_max(p->interval_ns + c.target_ns - p->target_ns, 2 * c.target_ns);
	return c;
}

#endif
