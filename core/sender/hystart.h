/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HyStart++, RFC 9406 section 4: ends the initial slow start before the queue overflows,
 * for any sender.
 *
 *   a round whose least RTT is max(4 ms, min(last / 8, 16 ms)) above the last
 *   round's, over 8 samples or more: Conservative Slow Start (CSS), which
 *   grows a quarter as fast; ssthresh = cwnd after 5 rounds of it
 *   a round of CSS whose least RTT is below that of its start: slow start again
 *
 * L, the limit per ACK, is the sender's own (abc_limit), and applies first.
 */
#ifndef PENSTOCK_CORE_SENDER_HYSTART_H
#define PENSTOCK_CORE_SENDER_HYSTART_H

#include "sender.h"

#define PST_HYSTART_MIN_THRESH_NS 4000000ULL
#define PST_HYSTART_MAX_THRESH_NS 16000000ULL
#define PST_HYSTART_DIVISOR 8ULL
#define PST_HYSTART_SAMPLES 8
#define PST_HYSTART_GROWTH_DIVISOR 4ULL
#define PST_HYSTART_ROUNDS 5

/* Initially all zero. RTTs saturate at 4.29 s; 0 means none. */
struct pst_hystart {
	u64 round_end; /* offset whose ACK ends the round */
	u32 round_rtt_ns;
	u32 last_rtt_ns;
	u32 baseline_rtt_ns;
	u16 samples;
	u16 css_round; /* 0 outside of CSS */
};

PST_FN void pst_hystart_begin_round(struct pst_hystart *h,
				    const struct pst_sender_view *v,
				    struct pst_cwnd *w)
{
	PST_REQUIRE(v->una <= v->sent && h->round_end <= v->sent);
	h->round_end = v->sent;
	h->last_rtt_ns = h->round_rtt_ns;
	h->round_rtt_ns = 0;
	h->samples = 0;
	if (h->css_round && ++h->css_round > PST_HYSTART_ROUNDS)
		w->ssthresh_bytes = w->bytes;
}

PST_FN void pst_hystart_sample(struct pst_hystart *h, u64 rtt_ns)
{
	u32 rtt = (u32)pst_min(rtt_ns, 0xffffffffU);

	PST_REQUIRE(rtt_ns > 0);
	if (!h->round_rtt_ns || rtt < h->round_rtt_ns)
		h->round_rtt_ns = rtt;
	if (h->samples < PST_HYSTART_SAMPLES)
		h->samples++;
	PST_ENSURE(h->round_rtt_ns <= rtt && h->samples <= PST_HYSTART_SAMPLES);
}

/* True if the queue has grown since the last round. */
PST_FN bool pst_hystart_delayed(const struct pst_hystart *h)
{
	u64 thresh = pst_clamp(h->last_rtt_ns / PST_HYSTART_DIVISOR,
			       PST_HYSTART_MIN_THRESH_NS,
			       PST_HYSTART_MAX_THRESH_NS);

	return h->last_rtt_ns && h->round_rtt_ns >= h->last_rtt_ns + thresh;
}

/*
 * An ACK of new data in the initial slow start (ssthresh is PST_SSTHRESH_MAX);
 * returns by what the growth that the sender makes of it is divided.
 */
PST_FN u64 pst_hystart_on_ack(struct pst_hystart *h,
			      const struct pst_sender_view *v,
			      struct pst_cwnd *w)
{
	PST_REQUIRE(w->ssthresh_bytes == PST_SSTHRESH_MAX && h->css_round <= PST_HYSTART_ROUNDS);
	if (v->una >= h->round_end)
		pst_hystart_begin_round(h, v, w);
	PST_ENSURE(h->round_end <= v->sent);
	if (v->rtt_ns)
		pst_hystart_sample(h, v->rtt_ns);
	if (h->samples >= PST_HYSTART_SAMPLES) {
		if (h->css_round && h->round_rtt_ns < h->baseline_rtt_ns) {
			h->css_round = 0;
		} else if (!h->css_round && pst_hystart_delayed(h)) {
			h->css_round = 1;
			h->baseline_rtt_ns = h->round_rtt_ns;
		}
	}
	if (h->css_round && w->ssthresh_bytes == PST_SSTHRESH_MAX)
		return PST_HYSTART_GROWTH_DIVISOR;
	return 1;
}

#endif
