/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bandwidth estimate of Westwood+ (Grieco, Mascolo, "Performance Evaluation
 * and Comparison of Westwood+, New Reno, and Vegas TCP Congestion Control",
 * Computer Communication Review 34(2), 2004, section 2.2):
 *
 *   b_k   = d_k / T_k          bytes delivered in the last round trip, over its length
 *   BWE_k = a BWE_(k-1) + (1 - a) b_k,   a = 0.9
 *
 * d_k includes SACKed data, so the estimate continues in recovery. The first sample
 * begins with the first ACK and is used unfiltered.
 */
#ifndef PENSTOCK_CORE_SENDER_BANDWIDTH_H
#define PENSTOCK_CORE_SENDER_BANDWIDTH_H

#include "sender.h"

#define PST_BANDWIDTH_PARAMS(P)                                           \
	P(filter_q16, PST_RATIO_Q16, PST_IS(58982), 0, 65535,             \
	  "weight of the old estimate at a bandwidth sample (a)",         \
	  "Grieco and Mascolo 2004 section 2.2")                          \
	P(sample_floor_ns, PST_NS, PST_IS(0), 0, PST_MAX_NS,              \
	  "minimum time between samples, in addition to the RTT",             \
	  "Linux 2.6.13: 50 ms")

#define PST_BANDWIDTH_STATE(S)                                            \
	S(rate_bytes_per_s, PST_BYTES, "bandwidth estimate (BWE)")        \
	S(begin_ns, PST_TIME, "start of the sample under way")            \
	S(begin_bytes, PST_BYTES, "what had been delivered then")

struct pst_bandwidth {
	PST_BANDWIDTH_STATE(PST_STATE_FIELD)
};

/* One step of the filter; rounds to the nearest byte per second. */
PST_FN u64 pst_bandwidth_filter(u64 old, u64 sample, u64 filter_q16)
{
	PST_REQUIRE(filter_q16 <= PST_Q16_ONE);
	if (!old)
		return sample;
	return (old * filter_q16 + sample * (PST_Q16_ONE - filter_q16) +
		PST_Q16_ONE / 2) >> 16;
}

/*
 * On every ACK: takes a sample at the end of a round trip. Without SACK, the delivered
 * amount is less certain after a partial ACK than before, so begin_bytes never falls.
 */
PST_FN void pst_bandwidth_sample(struct pst_bandwidth *b,
				 const struct pst_sender_view *v,
				 u64 filter_q16, u64 sample_floor_ns)
{
	u64 length_ns, bytes, sample;

	if (!b->begin_ns) {
		b->begin_ns = v->now_ns;
		b->begin_bytes = v->delivered_bytes;
	}
	length_ns = pst_sub_floor(v->now_ns, b->begin_ns);
	bytes = pst_sub_floor(v->delivered_bytes, b->begin_bytes);
	if (!v->srtt_ns || !length_ns ||
	    length_ns < pst_max(v->srtt_ns, sample_floor_ns))
		return;
	sample = pst_mul_div(pst_min(bytes, PST_MAX_BYTES), PST_NS_PER_S,
			     pst_min(length_ns, PST_MAX_NS));
	b->rate_bytes_per_s = pst_bandwidth_filter(
		b->rate_bytes_per_s, pst_min(sample, PST_MAX_BYTES),
		filter_q16);
	b->begin_ns = v->now_ns;
	b->begin_bytes = pst_max(b->begin_bytes, v->delivered_bytes);
	PST_ENSURE(b->begin_ns <= v->now_ns);
	PST_ENSURE(b->rate_bytes_per_s <= PST_MAX_BYTES);
}

/*
 * BWE * RTTmin, at least two segments: eq. (5) of log-westwood-2006. A loss does not
 * raise the window, which recovery sets to ssthresh; a timeout restarts from one segment
 * and may grow to the estimate.
 */
PST_FN u64 pst_bandwidth_ssthresh(const struct pst_bandwidth *b,
				  const struct pst_sender_view *v,
				  const struct pst_cwnd *w,
				  enum pst_congestion why)
{
	u64 least = 2ULL * v->mss_bytes;
	u64 most = why == PST_TIMEOUT ? PST_MAX_BYTES : pst_max(w->bytes, least);

	PST_REQUIRE(v->mss_bytes > 0);
	PST_ENSURE(least <= most);
	return pst_clamp(pst_mul_div(b->rate_bytes_per_s,
				     pst_min(v->min_rtt_ns, PST_MAX_NS),
				     PST_NS_PER_S),
			 least, most);
}

#endif
