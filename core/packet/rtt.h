/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The round trip of one flow as a gateway in its middle sees it, without the wait
 * in the gateway's own queue (R31).
 *
 * It has two parts, as the gateway sees both directions:
 *   far   data passes the gateway .. its ACK comes back, less the wait in queue
 *   near  an ACK passes on to the sender .. what it lets out arrives
 * The handshake gives both (from the SYN on), each but for the other host's delay;
 * after it `far` is measured once at a time on a segment that is new (Karn: never
 * on one sent before) and the least of the last one to two periods counts, as
 * delayed ACKs (RFC 5681 section 4.2) and queues elsewhere only add to it. `near` may
 * hold the queue that the handshake met: it comes down to the least time from an ACK that
 * moves the window's edge to data beyond the edge before, which only that ACK permits.
 */
#ifndef PENSTOCK_CORE_PACKET_RTT_H
#define PENSTOCK_CORE_PACKET_RTT_H

#include "flow.h"

#define PST_RTT_PERIOD_NS (10 * PST_NS_PER_S)

struct pst_rtt {
	u64 near_ns;		/* 0 unknown */
	u64 far_ns;		/* least of the running period; 0 none */
	u64 far_before_ns;	/* and of the one before */
	u64 period_start_ns;
	u64 probe_ns;		/* when the timed segment leaves the queue */
	u64 grant_ns;		/* when the timed ACK passed */
	u64 opened_ns;		/* the opener's SYN */
	u64 answered_ns;	/* the other side's */
	u32 probe_end;		/* its last byte + 1 */
	u32 grant_edge;		/* and the edge before it */
	bool probing;
	bool granting;
	bool opened;
	bool answered;
	bool ambiguous;		/* a SYN came twice */
	bool established;	/* the third packet was seen */
};

/* When what enters the queue now leaves it, C bytes per second; now if C is 0. */
PST_FN u64 pst_rtt_departure_ns(u64 now_ns, u64 queue_bytes, u64 rate_bytes_per_s)
{
	return now_ns + pst_mul_div(pst_min(queue_bytes, PST_MAX_BYTES),
				    PST_NS_PER_S,
				    pst_min(rate_bytes_per_s, PST_MAX_BYTES));
}

/*
 * The round trip, queue excluded; 0 while it is not known, as for a flow whose
 * handshake gave no time: half of a round trip is no measure.
 */
PST_FN u64 pst_rtt_get(const struct pst_rtt *r)
{
	u64 far_ns = r->far_ns;

	if (!r->near_ns)
		return 0;
	if (!far_ns || (r->far_before_ns && r->far_before_ns < far_ns))
		far_ns = r->far_before_ns;
	return far_ns ? pst_min(r->near_ns + far_ns, PST_MAX_NS) : 0;
}

PST_FN void pst_rtt_sample_far(struct pst_rtt *r, u64 sample_ns, u64 now_ns)
{
	if (now_ns - r->period_start_ns >= PST_RTT_PERIOD_NS) {
		/* After a pause the period before says nothing. */
		r->far_before_ns = now_ns - r->period_start_ns <
						   2 * PST_RTT_PERIOD_NS ?
					   r->far_ns : 0;
		r->far_ns = 0;
		r->period_start_ns = now_ns;
	}
	if (!r->far_ns || sample_ns < r->far_ns)
		r->far_ns = pst_max(sample_ns, 1);
}

/*
 * A SYN passes, of the @opener or in answer. Which of two was answered, nobody can
 * tell (Karn), so a repeated one gives no time.
 */
PST_FN void pst_rtt_on_syn(struct pst_rtt *r, bool opener, u64 now_ns)
{
	if (opener ? r->opened : r->answered)
		r->ambiguous = true;
	if (opener) {
		r->opened = true;
		r->opened_ns = now_ns;
	} else {
		r->answered = true;
		r->answered_ns = now_ns;
	}
}

/* The opener's first packet after the answer passes. */
PST_FN void pst_rtt_on_third(struct pst_rtt *r, bool reverse_opened, u64 now_ns)
{
	u64 first_ns = r->answered_ns - r->opened_ns;
	u64 second_ns = now_ns - r->answered_ns;

	if (r->established || !r->opened || !r->answered)
		return;
	r->established = true;
	r->period_start_ns = now_ns;
	if (r->ambiguous)
		return;
	r->near_ns = pst_max(reverse_opened ? first_ns : second_ns, 1);
	r->far_ns = pst_max(reverse_opened ? second_ns : first_ns, 1);
}

/*
 * Data that ends at @end passes forward and leaves the queue at @departure_ns. To
 * be called before pst_flow_on_data(), as only data beyond f->sent is new.
 */
PST_FN void pst_rtt_on_data(struct pst_rtt *r, const struct pst_flow *f, u32 end,
			    u64 departure_ns)
{
	bool is_new = !f->has_sent || pst_seq_after(end, f->sent);

	if (!is_new) {
		r->probing = false;
	} else if (!r->probing) {
		r->probe_end = end;
		r->probe_ns = departure_ns;
		r->probing = true;
	}
}

/* An ACK comes back. A wait that proved shorter than thought gives no sample. */
PST_FN void pst_rtt_on_ack(struct pst_rtt *r, u32 ack, u64 now_ns)
{
	if (!r->probing || pst_seq_before(ack, r->probe_end))
		return;
	r->probing = false;
	if (now_ns > r->probe_ns)
		pst_rtt_sample_far(r, now_ns - r->probe_ns, now_ns);
}

/* An ACK passes back that moves the edge of the sender's window on from @edge. */
PST_FN void pst_rtt_on_grant(struct pst_rtt *r, u32 edge, u64 now_ns)
{
	if (r->granting)
		return;
	r->granting = true;
	r->grant_edge = edge;
	r->grant_ns = now_ns;
}

/* Data up to @end passes forward, which may include the byte of a zero-window probe. */
PST_FN void pst_rtt_on_arrival(struct pst_rtt *r, u32 end, u64 now_ns)
{
	if (!r->granting || !pst_seq_after(end, r->grant_edge + 1))
		return;
	r->granting = false;
	if (now_ns - r->grant_ns < r->near_ns)
		r->near_ns = pst_max(now_ns - r->grant_ns, 1);
}

#endif
