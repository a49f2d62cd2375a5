/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of what a trip says of a hidden queue, and of whether that is believed; hidden_trip.h
 * has them in their order. Equations are those of hidden_queue.h.
 */
#ifndef PENSTOCK_CORE_QUEUE_HIDDEN_PARTS_H
#define PENSTOCK_CORE_QUEUE_HIDDEN_PARTS_H

#include "hidden_queue.h"

#define PST_HIDDEN_MARGIN_NS 2000000ULL	/* a smaller delay is jitter */
#define PST_HIDDEN_RATE_PART 4	/* of what (3) says */
#define PST_HIDDEN_STANDS_NS 50000000ULL
#define PST_HIDDEN_KEEP_NS (10 * PST_NS_PER_S)
#define PST_HIDDEN_HIGH_NS 10000000ULL	/* twice what methods aim at */
#define PST_HIDDEN_HIGH_PACKETS 16ULL
#define PST_HIDDEN_ABOVE_NS (2 * PST_NS_PER_S)
#define PST_HIDDEN_STAYS_NS 200000000ULL
#define PST_HIDDEN_STAYS_TRIPS 4ULL
#define PST_HIDDEN_AGAIN_NS (60 * PST_NS_PER_S)
#define PST_HIDDEN_ROUND_NS (5 * PST_NS_PER_S)
#define PST_HIDDEN_JITTER_NS 1000000ULL	/* of the least delays of a round */
/* A drain is due where so much of C is lost: half of a longer path is on the ACKs' way, unseen. */
#define PST_HIDDEN_LOST_PART 16ULL
#define PST_HIDDEN_DOUBT_NS (30 * PST_NS_PER_S)
#define PST_HIDDEN_DOUBT_SHIFT 5	/* doubts in turn take up to 960 s */
#define PST_HIDDEN_SUPPOSED 8ULL /* times in turn (hidden_supposed.h) */
#define PST_HIDDEN_TRUST_NS (60 * PST_NS_PER_S)	/* known for longer, the next is the first */

/* A segment that was timed is acknowledged. Without padding, as BPF reads all of it. */
struct pst_trip {
	u64 now_ns;
	u64 ns;			/* 1 .. PST_MAX_NS; without waited_ns */
	u64 before_ns;		/* the least one until now, as of the handshake; 0 unknown */
	u64 paired;		/* 1 if by an ACK of two segments or more, else 0 */
	u64 beyond;		/* 1 if the ACK is of data that followed, too, else 0 */
	u64 observed;		/* 1 if no window is written, so that delays prove nothing, else 0 */
	u64 waited_ns;		/* by the ACK in the queue of the other direction; with ns PST_MAX_NS at most */
};

/* U when the timed segment passed, with the corrections since, which may exceed it. */
PST_FN u64 pst_hidden_met_bytes(const struct pst_hidden_queue *h,
				const struct pst_hidden_flow *f)
{
	u64 bytes = pst_wrapping_add(f->mark_bytes, h->corrected_bytes);

	return bytes > PST_MAX_BYTES ? 0 : bytes;
}

/* Equation 1. The first trip of a flow may have met a queue, of which the model knows. */
PST_FN u64 pst_hidden_delay_ns(const struct pst_hidden_queue *h, struct pst_hidden_flow *f,
			       const struct pst_departure_rate *r,
			       const struct pst_trip *t, u64 packet_ns)
{
	u64 met_bytes = pst_hidden_met_bytes(h, f);
	u64 least_ns = f->least_ns;

	if (!least_ns || f->doubts != h->doubts) {
		least_ns = t->ns;
		if (h->known_ns)
			least_ns -= pst_min(pst_mul_div(met_bytes, PST_NS_PER_S,
							r->bytes_per_s), t->ns / 2);
		if (t->before_ns && f->doubts == h->doubts)
			least_ns = pst_min(least_ns, t->before_ns);
		f->doubts = h->doubts;
	} else if (f->longer != h->longer) {
		least_ns += h->longer_ns;
	}
	f->longer = h->longer;
	/* With the wait, as an error of that would stay. */
	f->least_ns = pst_max(pst_min(least_ns, t->ns + t->waited_ns), 1);
	return pst_sub_floor(t->ns, f->least_ns + (h->known_ns ? 2 * packet_ns : 0));
}

/* Equation 3: the segment met @delayed_bytes. Returns the bytes by which U was raised. */
PST_FN u64 pst_hidden_correct(struct pst_hidden_queue *h, const struct pst_hidden_flow *f,
			       u64 delayed_bytes, bool paired)
{
	u64 model_bytes = pst_hidden_met_bytes(h, f);
	u64 excess_bytes, change_bytes;

	if (delayed_bytes <= model_bytes) {
		change_bytes = pst_min((model_bytes - delayed_bytes) / 2, h->bytes);
		h->bytes -= change_bytes;
		h->corrected_bytes = pst_wrapping_sub(h->corrected_bytes, change_bytes);
		h->excess_bytes = 0;
		return 0;
	}
	if (!paired)
		return 0;
	excess_bytes = delayed_bytes - model_bytes;
	change_bytes = pst_min(excess_bytes, h->excess_bytes) / 2;
	h->bytes = pst_min(h->bytes + change_bytes, PST_MAX_BYTES);
	h->corrected_bytes = pst_wrapping_add(h->corrected_bytes, change_bytes);
	h->excess_bytes = excess_bytes;
	return change_bytes;
}

/* Equation 4, downwards. */
PST_FN void pst_hidden_lower(const struct pst_hidden_queue *h, struct pst_departure_rate *r,
			     const struct pst_trip *t, u64 raised_bytes)
{
	u64 excess = pst_mul_div(pst_min(raised_bytes, PST_MAX_BYTES), PST_NS_PER_S,
				 pst_clamp(t->ns, 1, PST_MAX_NS)) / PST_HIDDEN_RATE_PART;

	if (h->known_ns && h->stands_ns)
		r->bytes_per_s = pst_max(r->bytes_per_s - pst_min(excess, r->bytes_per_s / 16),
					 PST_DEPARTURE_MIN_BYTES_PER_S);
}

/* And upwards: where a burst has passed and a segment met less than the model says. */
PST_FN void pst_hidden_raise(const struct pst_hidden_queue *h, struct pst_departure_rate *r,
			     const struct pst_trip *t, u64 lowered_bytes)
{
	u64 lack = pst_mul_div(pst_min(lowered_bytes, PST_MAX_BYTES), PST_NS_PER_S,
			       pst_clamp(t->ns, 1, PST_MAX_NS)) / PST_HIDDEN_RATE_PART;
	u64 most = pst_min(r->sent_bytes_per_s / 4 * 5, PST_MAX_BYTES);

	if (h->known_ns && !h->stands_ns && r->bytes_per_s < most)
		r->bytes_per_s = pst_min(r->bytes_per_s + lack, most);
}

/*
 * What of others has left, with the total of @others_bytes when what it passed before was sent:
 * less the part that was lost.
 */
PST_FN void pst_hidden_count_others(struct pst_hidden_queue *h, u64 others_bytes, u64 lost_q16)
{
	u64 more_bytes = pst_wrapping_sub(others_bytes, h->told_bytes);

	/* Another flow's segment, which passed later, has told of it. */
	if (more_bytes >> 63)
		return;
	h->told_bytes = others_bytes;
	h->acked_bytes = pst_wrapping_add(
		h->acked_bytes,
		pst_min(more_bytes, PST_MAX_BYTES) * (PST_Q16_ONE - lost_q16) >> 16);
}

/* What of others had passed before the data that the trip's ACK is of. */
PST_FN u64 pst_hidden_others_before(const struct pst_hidden_flow *f, const struct pst_trip *t)
{
	return t->beyond && f->others_next_bytes ? f->others_next_bytes : f->others_bytes;
}

/*
 * What has been acknowledged since the last trip, and whether the link was busy for it, by when the
 * ACKs were sent: those that waited come together.
 */
PST_FN void pst_hidden_measure(struct pst_hidden_queue *h, struct pst_departure_rate *r,
			       const struct pst_trip *t, u64 delay_ns, u64 packet_bytes)
{
	u64 sent_ns = pst_sub_floor(t->now_ns, t->waited_ns);
	u64 since_ns = pst_sub_floor(sent_ns, h->trip_ns);
	bool reaches = since_ns <= h->delay_ns + delay_ns;
	bool stood = h->stands_ns && reaches &&
		     pst_sub_floor(sent_ns, h->stands_ns) >= pst_min(t->ns, PST_HIDDEN_STANDS_NS);

	if (delay_ns < PST_HIDDEN_MARGIN_NS)
		h->stands_ns = 0;
	else if (!h->stands_ns || !reaches)
		h->stands_ns = sent_ns;
	if (h->trip_ns && since_ns)
		pst_departure_rate_add(r,
				       pst_wrapping_sub(h->acked_bytes,
							h->counted_bytes),
				       since_ns, stood && h->stands_ns, packet_bytes);
	if (stood && h->stands_ns)
		h->proved_ns = t->now_ns;
	if (since_ns || !h->trip_ns) {
		h->trip_ns = sent_ns;
		h->counted_bytes = h->acked_bytes;
		h->delay_ns = delay_ns;
	}
}

/*
 * Equation 1 with the C of the last round, or that was known when delays became high, if that is
 * more: C falls with the rate, and a delay without queue would seem to fall with it.
 */
PST_FN u64 pst_hidden_high_delay_ns(const struct pst_hidden_queue *h,
				    const struct pst_hidden_flow *f,
				    const struct pst_departure_rate *r,
				    const struct pst_trip *t, u64 packet_bytes)
{
	u64 full = pst_max(h->drain.full_bytes_per_s, h->high_ns ? h->high_bytes_per_s : 1);
	u64 rate = pst_max(r->bytes_per_s, full);
	u64 packet_ns = pst_mul_div(pst_min(packet_bytes, 0xffffffff), PST_NS_PER_S, rate);

	return pst_min(pst_sub_floor(t->ns, f->least_ns + 2 * packet_ns), PST_MAX_NS);
}

/*
 * True if @delay_ns is above those that were high, and not believed. The ACK of a single segment may
 * have been delayed, and sometimes that of more: two trips in turn must say that delays are higher.
 */
PST_FN bool pst_hidden_is_stray(struct pst_hidden_queue *h, const struct pst_trip *t, u64 delay_ns)
{
	u64 most_ns = h->high_delay_ns + h->high_delay_ns / 2;
	bool again = t->paired && h->high_last_ns > most_ns;

	if (t->paired)
		h->high_last_ns = delay_ns;
	return h->high_ns && delay_ns > most_ns && !again;
}

/* True if smaller windows have halved the rate, and not the delay. */
PST_FN bool pst_hidden_is_doubtful(struct pst_hidden_queue *h,
				   const struct pst_departure_rate *r,
				   const struct pst_trip *t, u64 delay_ns)
{
	if (!h->known_ns || delay_ns < PST_HIDDEN_HIGH_NS) {
		h->high_ns = 0;
		return false;
	}
	if (pst_hidden_is_stray(h, t, delay_ns))
		return false;
	if (!h->high_ns || delay_ns < h->high_delay_ns / 2 ||
	    delay_ns > h->high_delay_ns + h->high_delay_ns / 2) {
		h->high_ns = t->now_ns;
		h->high_delay_ns = delay_ns;
		h->high_bytes_per_s = r->bytes_per_s;
	}
	return r->sent_bytes_per_s < h->high_bytes_per_s / 2 &&
	       pst_sub_floor(t->now_ns, h->high_ns) > PST_HIDDEN_STAYS_NS +
						PST_HIDDEN_STAYS_TRIPS * t->ns;
}

/* True if the rate has halved, and no window brings the delay down, whatever it does. */
PST_FN bool pst_hidden_is_beyond(struct pst_hidden_queue *h,
				 const struct pst_departure_rate *r,
				 const struct pst_trip *t, u64 delay_ns, u64 packet_bytes)
{
	u64 least = pst_max(r->bytes_per_s, h->above_bytes_per_s / 4);
	u64 packets_ns = pst_mul_div(PST_HIDDEN_HIGH_PACKETS * packet_bytes, PST_NS_PER_S,
				     pst_max(least, 1));

	if (!h->known_ns || delay_ns < PST_HIDDEN_HIGH_NS + packets_ns) {
		h->above_ns = 0;
		return false;
	}
	if (!h->above_ns) {
		h->above_ns = t->now_ns;
		h->above_bytes_per_s = pst_max(r->bytes_per_s, h->above_bytes_per_s / 8 * 7);
	}
	return r->sent_bytes_per_s < h->above_bytes_per_s / 2 &&
	       pst_sub_floor(t->now_ns, h->above_ns) > PST_HIDDEN_ABOVE_NS +
						 2 * PST_HIDDEN_STAYS_TRIPS * t->ns;
}

/* Nothing is believed for 30 s and more. */
PST_FN void pst_hidden_doubt(struct pst_hidden_queue *h, struct pst_departure_rate *r,
			     u64 now_ns)
{
	if (pst_sub_floor(now_ns, h->known_since_ns) > PST_HIDDEN_TRUST_NS)
		h->doubt_shift = 0;
	h->doubted_ns = now_ns + (PST_HIDDEN_DOUBT_NS << h->doubt_shift);
	h->doubt_shift = pst_min(h->doubt_shift + 1, PST_HIDDEN_DOUBT_SHIFT);
	h->doubts++;
	h->rebased_ns = h->doubted_ns;
	h->known_ns = 0;
	h->before_bytes_per_s = 0;
	h->supposed = 0;
	h->high_ns = 0;
	h->above_ns = 0;
	h->stands_ns = 0;
	pst_departure_rate_init(r);
}

/* The delays are path; if they were so just before, others fill the queue, or the way back. */
PST_FN void pst_hidden_rebase(struct pst_hidden_queue *h, struct pst_departure_rate *r,
			      u64 now_ns)
{
	if (h->rebased_ns && now_ns < h->rebased_ns + PST_HIDDEN_AGAIN_NS) {
		pst_hidden_doubt(h, r, now_ns);
		return;
	}
	h->rebased_ns = pst_max(now_ns, 1);
	h->doubts++;
	h->high_ns = 0;
	h->above_ns = 0;
	h->stands_ns = 0;
	pst_hidden_set(h, 0);
	/* The link's rate is what it was. */
	r->bytes_per_s = pst_clamp(h->drain.full_bytes_per_s, PST_DEPARTURE_MIN_BYTES_PER_S,
				   PST_MAX_BYTES);
	pst_drain_end_round(&h->drain, r->bytes_per_s, true, now_ns);
}

/* A trip with the delay @delay_ns by pst_hidden_high_delay_ns(): a drain begins, or is over. */
PST_FN void pst_hidden_drain(struct pst_hidden_queue *h, const struct pst_departure_rate *r,
			     const struct pst_trip *t, u64 delay_ns)
{
	struct pst_drain *d = &h->drain;
	u64 path_ns;

	d->least_ns = pst_min(d->least_ns, delay_ns);
	if (d->until_ns && t->now_ns >= d->shown_ns + t->ns) {
		path_ns = pst_drain_path_ns(d, delay_ns, PST_HIDDEN_JITTER_NS, r->bytes_per_s,
					    PST_HIDDEN_LOST_PART);
		/* After a pause nothing is known of what it left. */
		if (t->now_ns >= d->shown_ns + t->ns + PST_HIDDEN_ROUND_NS)
			path_ns = 0;
		if (path_ns) {
			h->longer_ns = path_ns;
			h->longer++;
		}
		pst_drain_end_round(d, r->bytes_per_s, path_ns, t->now_ns);
	} else if (!d->until_ns && pst_drain_is_early(d, delay_ns, PST_HIDDEN_JITTER_NS,
						      r->bytes_per_s, PST_HIDDEN_LOST_PART, t->ns,
						      t->now_ns)) {
		pst_drain_begin(d, delay_ns, t->ns - delay_ns, t->now_ns);
	} else if (!d->until_ns && t->now_ns >= d->round_ns + PST_HIDDEN_ROUND_NS) {
		pst_drain_end_round(d, r->bytes_per_s, delay_ns < PST_HIDDEN_JITTER_NS, t->now_ns);
	}
}

PST_FN void pst_hidden_learn(struct pst_hidden_queue *h, struct pst_departure_rate *r,
			     u64 now_ns, u64 delay_ns)
{
	bool used = 2 * r->sent_bytes_per_s >= r->bytes_per_s;

	if (!h->known_ns)
		pst_departure_rate_remember(r, h->before_bytes_per_s);
	if (now_ns < h->doubted_ns || r->known_ns < PST_DEPARTURE_AVERAGE_NS)
		return;
	if (!h->known_ns) {
		pst_hidden_set(h, pst_bytes_in(r->bytes_per_s, delay_ns));
		pst_drain_end_round(&h->drain, r->bytes_per_s, true, now_ns);
		h->known_since_ns = now_ns;
	}
	if (!h->known_ns || h->stands_ns || used)
		h->known_ns = now_ns + PST_HIDDEN_KEEP_NS;
	h->supposed = 0;
}

#endif
