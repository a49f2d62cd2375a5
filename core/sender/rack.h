/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RACK-TLP, RFC 8985: detects losses by time instead of by counting duplicate ACKs, for any
 * sender with SACK. The host keeps the segments; here are the decisions about them.
 *
 * RACK, section 6.2. Of the segments known to be delivered, RACK.segment is the one sent last,
 * rtt its round trip. A segment sent before it is lost once
 *
 *   now >= xmit_ts + rtt + reo_wnd
 *   reo_wnd = 0   without reordering, in recovery or with DupThresh segments SACKed
 *             min(mult min_RTT / 4, SRTT)   otherwise
 *   mult      grows by 1 in each round with a DSACK; 1 again after 16 recoveries
 *
 * TLP, section 7. Without an ACK for PTO = 2 SRTT, plus 200 ms if one segment is in flight, the
 * sender probes with new data or the last segment.
 */
#ifndef PENSTOCK_CORE_SENDER_RACK_H
#define PENSTOCK_CORE_SENDER_RACK_H

#include "../base.h"

#define PST_RACK_RECOVERIES 16
#define PST_RACK_DUP_THRESH 3
#define PST_TLP_MAX_ACK_DELAY_NS 200000000ULL
#define PST_TLP_INITIAL_PTO_NS 1000000000ULL

struct pst_rack {
	u64 xmit_ns;	 /* RACK.segment: its last transmission, */
	u64 end;	 /* its end, */
	u64 rtt_ns;	 /* and the latest RTT, 0 for none */
	u64 fack;	 /* highest end delivered */
	u64 dsack_round; /* end of the round that saw a DSACK, 0 for none */
	u32 mult;	 /* RACK.reo_wnd_mult */
	u32 persist;	 /* RACK.reo_wnd_persist: recoveries left */
	bool reordering_seen;
};

/* A segment at its last transmission; ends are offsets in the stream. */
struct pst_rack_segment {
	u64 xmit_ns;
	u64 end;
	bool retransmitted;
};

/* The ACK, and what the connection has measured. */
struct pst_rack_ack {
	u64 now_ns;
	u64 min_rtt_ns;
	u64 srtt_ns;
	u32 sacked_segments;
	bool in_recovery; /* fast, or after a timeout */
};

PST_FN void pst_rack_init(struct pst_rack *r)
{
	__builtin_memset(r, 0, sizeof(*r));
	r->mult = 1;
}

/* RACK_sent_after() */
PST_FN bool pst_rack_sent_after(u64 xmit_ns, u64 end, u64 other_xmit_ns,
				u64 other_end)
{
	return xmit_ns > other_xmit_ns ||
	       (xmit_ns == other_xmit_ns && end > other_end);
}

/*
 * Steps 2 and 3: @s is newly acknowledged, cumulatively or by SACK. @echo_older: the ACK
 * echoes a timestamp from before its last transmission, so it acknowledges an earlier one.
 */
PST_FN void pst_rack_delivered(struct pst_rack *r,
			       const struct pst_rack_segment *s,
			       const struct pst_rack_ack *a, bool echo_older)
{
	u64 rtt_ns = a->now_ns - s->xmit_ns;

	PST_REQUIRE(s->xmit_ns <= a->now_ns);
	if (s->end > r->fack)
		r->fack = s->end;
	else if (s->end < r->fack && !s->retransmitted)
		r->reordering_seen = true;
	if (s->retransmitted && (echo_older || rtt_ns < a->min_rtt_ns))
		return;
	r->rtt_ns = rtt_ns;
	if (pst_rack_sent_after(s->xmit_ns, s->end, r->xmit_ns, r->end)) {
		r->xmit_ns = s->xmit_ns;
		r->end = s->end;
	}
	PST_ENSURE(!pst_rack_sent_after(s->xmit_ns, s->end, r->xmit_ns, r->end));
}

/* Step 4: an ACK with a DSACK; @una and @sent (SND.NXT) after it. */
PST_FN void pst_rack_on_dsack(struct pst_rack *r, u64 una, u64 sent)
{
	PST_REQUIRE(una <= sent && r->dsack_round <= sent);
	if (r->dsack_round && una < r->dsack_round)
		return;
	r->dsack_round = sent;
	r->mult++;
	r->persist = PST_RACK_RECOVERIES;
	PST_ENSURE(r->mult > 1);
}

/* Step 4: a recovery ends. */
PST_FN void pst_rack_recovered(struct pst_rack *r)
{
	if (r->persist && --r->persist == 0)
		r->mult = 1;
	PST_ENSURE(r->mult >= 1);
}

/* Step 4: RACK_update_reo_wnd() */
PST_FN u64 pst_rack_window_ns(const struct pst_rack *r,
			      const struct pst_rack_ack *a)
{
	if (!r->reordering_seen &&
	    (a->in_recovery || a->sacked_segments >= PST_RACK_DUP_THRESH))
		return 0;
	return pst_min(r->mult * a->min_rtt_ns / 4, a->srtt_ns);
}

/* Step 5: @s, not yet acknowledged, was sent before RACK.segment and may be lost. */
PST_FN bool pst_rack_overtaken(const struct pst_rack *r,
			       const struct pst_rack_segment *s)
{
	return pst_rack_sent_after(r->xmit_ns, r->end, s->xmit_ns, s->end);
}

/* Step 5: the time until it counts as lost, 0 if it does. */
PST_FN u64 pst_rack_remaining_ns(const struct pst_rack *r,
				 const struct pst_rack_segment *s,
				 u64 window_ns, u64 now_ns)
{
	return pst_sub_floor(s->xmit_ns + r->rtt_ns + window_ns, now_ns);
}

/* An outstanding probe. */
struct pst_tlp {
	u64 end;	/* SND.NXT after it, 0 for none */
	bool is_retrans; /* it was the last segment, not new data */
};

/* TLP_calc_PTO(); the host limits it to the retransmission timer. */
PST_FN u64 pst_tlp_pto_ns(u64 srtt_ns, bool one_segment)
{
	if (!srtt_ns)
		return PST_TLP_INITIAL_PTO_NS;
	return 2 * srtt_ns + (one_segment ? PST_TLP_MAX_ACK_DELAY_NS : 0);
}

/*
 * TLP_process_ack(): true if the probe has repaired a loss, to which congestion control must
 * react. @dsack_end: end of the ACK's DSACK, 0 for none. @bare_duplicate: a duplicate ACK
 * without SACK, that of an unnecessary probe to a receiver without DSACK.
 */
PST_FN bool pst_tlp_on_ack(struct pst_tlp *t, u64 ack, u64 dsack_end,
			   bool bare_duplicate)
{
	bool repaired;

	if (!t->end || ack < t->end)
		return false;
	repaired = t->is_retrans && dsack_end != t->end && ack > t->end;
	if (repaired || !t->is_retrans || dsack_end == t->end ||
	    bare_duplicate)
		t->end = 0;
	return repaired;
}

#endif
