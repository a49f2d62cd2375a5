/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What users notice of a path, for user space: in floating point.
 *
 * Responsiveness: C. Paasch, R. Meyer, S. Cheshire and W. Hawkins, "Responsiveness under Working
 * Conditions", draft-ietf-ippm-responsiveness-09, section 5.3.1:
 *
 *   RPM = 60,000 / (T + TM95(w))                                                             (1)
 *
 *   T      round trip without queues, ms
 *   w      waits in queues, ms; TM95 is the mean of the least 95 % of them
 *
 * Quality of outcome: B. I. Teigen and others, "Quality of Outcome (QoO)", draft-ietf-ippm-qoo,
 * section "Calculating QoO", of an application that has needs i, each at its best at b_i and
 * useless at u_i:
 *
 *   QoO = 100 % * min_i clamp((u_i - measured_i) / (u_i - b_i), 0, 1)                        (2)
 *
 * The usual application has two needs: the 99th percentile of its round trips, and loss. They are
 * the example of the draft's section "Describing Network Performance Requirements", less its 99.9th
 * percentile, which distributions here do not have, and its 4 Mbit/s, as flows divide the link.
 */
#ifndef PENSTOCK_CORE_OUTCOME_H
#define PENSTOCK_CORE_OUTCOME_H

#include "base.h"

#define PST_PERCENTILES 101 /* 0 .. 100 */
#define PST_RPM_KEPT 95	/* percent of the waits */
#define PST_QOO_PERCENTILE 99
#define PST_MINUTE_MS 60000.0

struct pst_need {
	double best;
	double useless;
};

static const struct pst_need pst_usual_latency_ms = { 100.0, 200.0 };
static const struct pst_need pst_usual_loss_percent = { 0.1, 2.0 };

/* The mean of the least part, from the percentiles of a distribution: trapezoids between them. */
static inline double pst_trimmed_mean(const double percentiles[PST_PERCENTILES])
{
	double inner = 0;
	u32 i;

	for (i = 1; i < PST_RPM_KEPT; ++i)
		inner += percentiles[i];
	return (inner + (percentiles[0] + percentiles[PST_RPM_KEPT]) / 2) / PST_RPM_KEPT;
}

/* (1) */
static inline double pst_rpm(double trip_ms, const double wait_percentiles_ms[PST_PERCENTILES])
{
	return PST_MINUTE_MS / (trip_ms + pst_trimmed_mean(wait_percentiles_ms));
}

/* 1 at the best and below, 0 where it is useless. */
static inline double pst_need_met(struct pst_need need, double measured)
{
	const double met = 1 - (measured - need.best) / (need.useless - need.best);

	return met < 0 ? 0 : met > 1 ? 1 : met;
}

/* (2) of the usual application */
static inline double pst_qoo_percent(double trip_ms,
				     const double wait_percentiles_ms[PST_PERCENTILES],
				     double loss_percent)
{
	const double late_ms = trip_ms + wait_percentiles_ms[PST_QOO_PERCENTILE];
	const double latency = pst_need_met(pst_usual_latency_ms, late_ms);
	const double loss = pst_need_met(pst_usual_loss_percent, loss_percent);

	return 100 * (latency < loss ? latency : loss);
}

#endif
