/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The RTT of a flow as seen by a gateway on its path, without the queueing delay of the
 * gateway itself (R31).
 *
 * It has two parts, as the gateway sees both directions:
 *   far   data passes the gateway .. its ACK comes back, less the wait in queue
 *   near  an ACK passes on to the sender .. what it lets out arrives
 * The handshake gives both (from the SYN on), each including the other host's delay.
 * Afterwards `far` is measured on one new segment at a time (Karn: never on a
 * retransmission), and the minimum of the last one to two periods counts, because delayed
 * ACKs (RFC 5681 section 4.2) and other queues only add to it. `near` may include a queue
 * that the handshake met: it falls to the minimum time from an ACK that moves the
 * window's edge to data beyond the previous edge, which only that ACK permits. That time does
 * not rise: an application that writes late looks like a longer path.
 *
 * What ACKs wait behind the gateway, as in a full uplink, makes the path longer as long as it
 * lasts. Timestamps (RFC 7323) tell it from an application that writes late, and from what data
 * waits on its way here: of a sender that has more to send, an ACK is timed until data comes
 * that echoes it, less the one-way wait of that data (one_way.h). The least of four in turn
 * counts, if it is a quarter and PST_RTT_JITTER_NS above the minimum.
 */
#ifndef PENSTOCK_CORE_FLOW_RTT_H
#define PENSTOCK_CORE_FLOW_RTT_H

#include "../packet/flow.h"

#define PST_RTT_PERIOD_NS (10 * PST_NS_PER_S)
#define PST_RTT_UNIT_SHIFT 24 /* times, in units of 17 ms */
#define PST_RTT_PAUSE_UNITS 6 /* from one ACK whose stamp is asked for to the next */
#define PST_RTT_JITTER_NS 4000000ULL /* of hosts, whose clocks tick up to so slowly */
#define PST_RTT_NEAR_SHIFT 18 /* near parts, in units of 0.26 ms */
#define PST_RTT_MOST_NEAR_NS (10 * PST_NS_PER_S)

/* What the last ACK said that was asked for its stamp. */
enum pst_asked {
	PST_ASKED_NEVER,
	PST_ASKED_BARE,		/* it had none, or did not say */
	PST_ASKED_STAMPED,
};

struct pst_rtt {
	u64 near_ns;		/* 0 unknown */
	u64 far_ns;		/* minimum of the current period; 0 none */
	u64 far_before_ns;	/* and of the previous one */
	u64 period_start_ns;
	u64 probe_ns;		/* when the timed segment leaves the queue */
	u64 grant_ns;		/* when the timed ACK passed */
	u64 opened_ns;		/* the initiator's first SYN */
	u64 answered_ns;	/* the other side's */
	u32 probe_end;		/* its last byte + 1 */
	u32 grant_edge;		/* and the previous edge */
	u32 grant_val;		/* and its TSval */
	u16 ack_wait;		/* what ACKs wait behind the gateway, beyond near_ns */
	u16 asked_units;	/* when the last ACK passed whose stamp was asked for */
	u16 near_before;	/* the last near parts; 0 none */
	u16 near_second;
	u16 near_third;
	bool probing;
	bool granting;
	bool asks_stamp;	/* of the ACK that passes: it is timed, and its TSval is to be told */
	bool nears_tick;	/* grant_val is of an ACK before, to see the clock tick */
	bool stamped;		/* grant_val is known, and not answered yet */
	u8 asked;		/* enum pst_asked */
	bool opened;
	bool answered;
	bool ambiguous;		/* a SYN came twice */
	bool established;	/* the final ACK of the handshake was seen */
};

/*
 * Departure time of a packet enqueued now, with C bytes per second; now if C is 0. A queue that
 * takes longer than 292 years takes as long.
 */
PST_FN u64 pst_rtt_departure_ns(u64 now_ns, u64 queue_bytes, u64 rate_bytes_per_s)
{
	u64 rate = pst_min(rate_bytes_per_s, PST_MAX_BYTES);

	if (!rate)
		return now_ns;
	/* The product fits 64 bits: one division. */
	if (queue_bytes >> 32 == 0)
		return now_ns + queue_bytes * PST_NS_PER_S / rate;
	return now_ns + pst_min(pst_mul_div(pst_min(queue_bytes, PST_MAX_BYTES), PST_NS_PER_S, rate),
				(1ULL << 63) - 1);
}

/* The near part as it is. */
PST_FN u64 pst_rtt_near_ns(const struct pst_rtt *r)
{
	return r->near_ns + ((u64)r->ack_wait << PST_RTT_NEAR_SHIFT);
}

/*
 * The RTT without the queue; 0 while unknown, as for a flow whose handshake gave no
 * sample: half of an RTT is not enough.
 */
PST_FN u64 pst_rtt_get(const struct pst_rtt *r)
{
	u64 far_ns = r->far_ns;

	if (!r->near_ns)
		return 0;
	if (!far_ns || (r->far_before_ns && r->far_before_ns < far_ns))
		far_ns = r->far_before_ns;
	return far_ns ? pst_min(pst_rtt_near_ns(r) + far_ns, PST_MAX_NS) : 0;
}

PST_FN void pst_rtt_sample_far(struct pst_rtt *r, u64 sample_ns, u64 now_ns)
{
	if (now_ns - r->period_start_ns >= PST_RTT_PERIOD_NS) {
		/* After a pause the previous period is outdated. */
		r->far_before_ns = now_ns - r->period_start_ns <
						   2 * PST_RTT_PERIOD_NS ?
					   r->far_ns : 0;
		r->far_ns = 0;
		r->period_start_ns = now_ns;
	}
	if (!r->far_ns || sample_ns < r->far_ns)
		r->far_ns = pst_max(sample_ns, 1);
}

/* The sender tells its least RTT, of which each half counts as one part. */
PST_FN void pst_rtt_tell(struct pst_rtt *r, u64 rtt_ns, u64 now_ns)
{
	r->near_ns = pst_max(rtt_ns / 2, 1);
	pst_rtt_sample_far(r, rtt_ns - rtt_ns / 2, now_ns);
}

/*
 * A SYN passes, from the initiator (@opener) or in response. A repeated one gives no
 * sample, because it is unknown which of the two was answered (Karn).
 */
PST_FN void pst_rtt_on_syn(struct pst_rtt *r, bool opener, u64 now_ns)
{
	if (opener ? r->opened : r->answered)
		r->ambiguous = true;
	if (opener) {
		if (!r->opened)
			r->opened_ns = now_ns;
		r->opened = true;
	} else {
		r->answered = true;
		r->answered_ns = now_ns;
	}
}

/* The initiator's first packet after the SYN-ACK passes. */
PST_FN void pst_rtt_on_third(struct pst_rtt *r, bool reverse_opened, u64 now_ns)
{
	/* A SYN-ACK that is delayed passes later than now. */
	u64 first_ns = pst_sub_floor(r->answered_ns, r->opened_ns);
	u64 second_ns = pst_sub_floor(now_ns, r->answered_ns);

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
 * Data that ends at @end passes forward and leaves the queue at @departure_ns. Call this
 * before pst_flow_on_data(), as only data beyond f->sent is new.
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

/*
 * An ACK returns, which has waited @waited_ns elsewhere. Returns the sample, or 0: there is none if
 * a queueing delay was overestimated.
 */
PST_FN u64 pst_rtt_on_ack(struct pst_rtt *r, u32 ack, u64 waited_ns, u64 now_ns)
{
	u64 sample_ns;

	if (!r->probing || pst_seq_before(ack, r->probe_end))
		return 0;
	r->probing = false;
	sample_ns = pst_sub_floor(pst_sub_floor(now_ns, r->probe_ns), waited_ns);
	if (sample_ns)
		pst_rtt_sample_far(r, sample_ns, now_ns);
	return sample_ns;
}

/*
 * An ACK that moves the edge of the sender's window from @edge passes back; the sender has more
 * to send if it @waits. @now_ns is later than now by what the ACK is known to wait behind the
 * gateway.
 */
PST_FN void pst_rtt_on_grant(struct pst_rtt *r, u32 edge, bool waits, u64 now_ns)
{
	u16 units = (u16)(now_ns >> PST_RTT_UNIT_SHIFT);
	bool asks = waits && (u16)(units - r->asked_units) >= PST_RTT_PAUSE_UNITS;

	/* Who does not fill his window never passes its edge. */
	if (r->granting && (r->stamped || !asks || r->asked == PST_ASKED_BARE))
		return;
	r->granting = true;
	if (asks && r->asked == PST_ASKED_NEVER)
		r->asked = PST_ASKED_BARE;
	r->asks_stamp = asks;
	r->stamped = false;
	r->grant_edge = edge;
	r->grant_ns = now_ns;
}

/* Data up to @end passes forward, which may include the byte of a zero-window probe. */
PST_FN void pst_rtt_on_arrival(struct pst_rtt *r, u32 end, u64 now_ns)
{
	u64 near_ns;

	if (!r->granting || !pst_seq_after(end, r->grant_edge + 1))
		return;
	r->granting = false;
	r->stamped = false;
	near_ns = pst_sub_floor(now_ns, r->grant_ns);
	if (near_ns && near_ns < r->near_ns)
		r->near_ns = near_ns;
}

/*
 * Data is sent again: an echo is late, as such data comes first, and until the sender has recovered
 * new data waits for its congestion window.
 */
PST_FN void pst_rtt_on_again(struct pst_rtt *r, u64 now_ns)
{
	if (r->stamped)
		r->granting = false;
	r->stamped = false;
	r->asked_units = (u16)(now_ns >> PST_RTT_UNIT_SHIFT);
}

/*
 * The ACK that asks has TSval @val, or no timestamp. Others before it may have the same one, which
 * data then echoes too early: the first ACK with another one is timed.
 */
PST_FN void pst_rtt_stamp(struct pst_rtt *r, bool stamped, u32 val)
{
	bool ticked = r->nears_tick && pst_seq_after(val, r->grant_val);

	r->asks_stamp = false;
	r->nears_tick = stamped && !ticked;
	r->asked = stamped ? PST_ASKED_STAMPED : PST_ASKED_BARE;
	if (r->nears_tick) {
		r->grant_val = val;
		return;
	}
	r->asked_units = (u16)(r->grant_ns >> PST_RTT_UNIT_SHIFT);
	r->stamped = stamped;
	r->grant_val = val;
}

/* True if data that comes now may answer the timed ACK. */
PST_FN bool pst_rtt_awaits_echo(const struct pst_rtt *r, u64 now_ns)
{
	return r->stamped &&
	       pst_sub_floor(now_ns, r->grant_ns) >= r->near_ns - r->near_ns / 8;
}

/*
 * True if new data up to @end with TSecr @echo answers the timed ACK. Who fills his window shows
 * by its edge that the ACK came, whatever the echo says.
 */
PST_FN bool pst_rtt_is_echo(const struct pst_rtt *r, u32 end, u32 echo)
{
	return !pst_seq_before(echo, r->grant_val) || pst_seq_after(end, r->grant_edge + 1);
}

/* What data up to @end, which answers, has waited is not known: only its edge may say something. */
PST_FN void pst_rtt_miss_echo(struct pst_rtt *r, u32 end)
{
	r->stamped = false;
	r->granting = pst_seq_after(end, r->grant_edge + 1);
}

/* Data that answers the timed ACK has waited @wait_ns on its way here. */
PST_FN void pst_rtt_on_echo(struct pst_rtt *r, u64 wait_ns, u64 now_ns)
{
	u64 trip_ns = pst_sub_floor(now_ns, r->grant_ns);
	u64 near_ns = pst_sub_floor(trip_ns, wait_ns);
	u16 near = (u16)pst_max(pst_min(near_ns, PST_RTT_MOST_NEAR_NS) >> PST_RTT_NEAR_SHIFT, 1);
	u64 least = near;

	r->granting = false;
	r->stamped = false;
	/* Not less the wait, which a coarse clock says too long. */
	r->near_ns = pst_min(r->near_ns, pst_max(trip_ns, 1));
	least = pst_min(least, r->near_before);
	least = pst_min(least, r->near_second);
	least = pst_min(least, r->near_third);
	r->near_third = r->near_second;
	r->near_second = r->near_before;
	r->near_before = near;
	near_ns = pst_sub_floor(least << PST_RTT_NEAR_SHIFT, r->near_ns);
	if (near_ns <= r->near_ns / 4 + PST_RTT_JITTER_NS)
		near_ns = 0;
	r->ack_wait = (u16)(near_ns >> PST_RTT_NEAR_SHIFT);
}

#endif
