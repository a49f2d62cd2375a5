/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dispatch to a sender method: its parameters, its state, and the events that a host
 * reports. All functions are pure except for *s and *w.
 *
 *   pst_sender_init        the connection is established, cwnd is its initial
 *                          window; clears *s first
 *   pst_sender_sample      every ACK, if pst_sender_samples()
 *   pst_sender_ack         new data acknowledged outside of fast recovery
 *   pst_sender_congestion  a loss, an ECN echo or a timeout; returns ssthresh
 *   pst_sender_recovered   the recovery is over, cwnd is what it left
 *   pst_sender_lost        a segment was found lost, if pst_sender_hears_losses()
 *   pst_sender_restart     data leaves after a pause, if pst_sender_has_rate()
 *   pst_sender_stamp       a segment with data is to leave, and carries a header for
 *                          routers, if pst_sender_feedback()
 */
#ifndef PENSTOCK_CORE_SENDER_CONTROL_H
#define PENSTOCK_CORE_SENDER_CONTROL_H

#include "registry.h"

/* True if the method has one of @bits. */
PST_CALL bool pst_sender_has(u32 method, u32 bits);

/* The enum pst_feedback_kind of the header in the method's segments. */
PST_CALL u32 pst_sender_feedback(u32 method);
PST_CALL void pst_sender_init(u32 method, const union pst_sender_params *p,
			      union pst_sender_state *s,
			      const struct pst_sender_view *v, struct pst_cwnd *w);
PST_CALL void pst_sender_sample(u32 method, const union pst_sender_params *p,
				union pst_sender_state *s,
				const struct pst_sender_view *v,
				struct pst_cwnd *w);
PST_CALL void pst_sender_ack(u32 method, const union pst_sender_params *p,
			     union pst_sender_state *s,
			     const struct pst_sender_view *v, struct pst_cwnd *w);

/*
 * FlightSize includes SACKed data. In recovery that is far more than the network holds,
 * which is at most cwnd; halving it would raise ssthresh from one timeout to the next.
 * RFC 5681 requires "no more than", and excludes data sent by limited transmit, which is
 * the excess over cwnd: *v is corrected.
 */
PST_CALL u64 pst_sender_congestion(u32 method, const union pst_sender_params *p,
				   union pst_sender_state *s,
				   struct pst_sender_view *v,
				   const struct pst_cwnd *w,
				   enum pst_congestion why);
PST_CALL void pst_sender_recovered(u32 method, const union pst_sender_params *p,
				   union pst_sender_state *s,
				   const struct pst_sender_view *v,
				   struct pst_cwnd *w);
PST_CALL void pst_sender_lost(u32 method, const union pst_sender_params *p,
			      union pst_sender_state *s, const struct pst_sender_view *v,
			      const struct pst_cwnd *w, const struct pst_lost_segment *l);
PST_CALL void pst_sender_restart(u32 method, const union pst_sender_params *p,
				 union pst_sender_state *s,
				 const struct pst_sender_view *v, struct pst_cwnd *w);
PST_CALL void pst_sender_stamp(u32 method, const union pst_sender_params *p,
			       const union pst_sender_state *s,
			       const struct pst_sender_view *v,
			       const struct pst_cwnd *w, struct pst_feedback *f);

/*
 * The segments that leave at once while the method spreads its window over a round trip, else
 * 0.
 */
PST_CALL u32 pst_sender_paces(u32 method, const union pst_sender_state *s);

/* True if the method's data is ECT(1). */
PST_CALL bool pst_sender_ect1(u32 method, const union pst_sender_params *p);

/* The rate of a method that has one, for what leaves next. */
PST_CALL void pst_sender_pacing(u32 method, const union pst_sender_state *s,
				const struct pst_sender_view *v, struct pst_pacing *out);

/* True if the first ACK of new data ends a fast recovery, which has no SACK. */
PST_FN bool pst_sender_recovers_one(u32 method)
{
	return pst_sender_has(method, PST_SENDER_HAS_one_loss);
}

/* True if the method takes pst_sender_sample(). */
PST_FN bool pst_sender_samples(u32 method)
{
	return pst_sender_has(method, PST_SENDER_HAS_on_sample);
}

/* True if the method sends at a rate: pst_sender_pacing(), and on_ack sets the window. */
PST_FN bool pst_sender_has_rate(u32 method)
{
	return pst_sender_has(method, PST_SENDER_HAS_pacing);
}

/* True if the method takes pst_sender_lost(), before the pst_sender_ack() that follows. */
PST_FN bool pst_sender_hears_losses(u32 method)
{
	return pst_sender_has(method, PST_SENDER_HAS_on_lost);
}

/* True if the method's receiver echoes each mark, and its sender handles each echo. */
PST_FN bool pst_sender_hears_marks(u32 method)
{
	return pst_sender_has(method, PST_SENDER_HAS_exact_ecn);
}

#ifndef PST_LINKED

PST_CALL bool pst_sender_has(u32 method, u32 bits)
{
	return pst_sender_dispatch_has(method, bits);
}

PST_CALL u32 pst_sender_feedback(u32 method)
{
	return pst_sender_dispatch_feedback(method);
}

PST_CALL void pst_sender_init(u32 method, const union pst_sender_params *p,
			      union pst_sender_state *s,
			      const struct pst_sender_view *v, struct pst_cwnd *w)
{
	/* Clears *s: an initialiser of a union reaches its first member only. */
	PST_REQUIRE(method < PST_SENDER_COUNT);
	PST_REQUIRE(pst_sender_view_invariant(v) && pst_cwnd_invariant(w));
	__builtin_memset(s, 0, sizeof(*s));
	pst_sender_dispatch_init(method, p, s, v, w);
	PST_ENSURE(pst_cwnd_invariant(w));
}

PST_CALL void pst_sender_sample(u32 method, const union pst_sender_params *p,
				union pst_sender_state *s,
				const struct pst_sender_view *v,
				struct pst_cwnd *w)
{
	PST_REQUIRE(pst_sender_view_invariant(v) && pst_cwnd_invariant(w));
	pst_sender_dispatch_on_sample(method, p, s, v, w);
	PST_ENSURE(pst_cwnd_invariant(w));
}

PST_CALL void pst_sender_ack(u32 method, const union pst_sender_params *p,
			     union pst_sender_state *s,
			     const struct pst_sender_view *v, struct pst_cwnd *w)
{
	PST_REQUIRE(method < PST_SENDER_COUNT);
	PST_REQUIRE(pst_sender_view_invariant(v) && pst_cwnd_invariant(w));
	PST_REQUIRE(!v->delivery || pst_sender_has_rate(method));
	pst_sender_dispatch_on_ack(method, p, s, v, w);
	PST_ENSURE(pst_cwnd_invariant(w));
}

PST_CALL u64 pst_sender_congestion(u32 method, const union pst_sender_params *p,
				   union pst_sender_state *s,
				   struct pst_sender_view *v,
				   const struct pst_cwnd *w,
				   enum pst_congestion why)
{
	PST_REQUIRE(pst_sender_view_invariant(v) && pst_cwnd_invariant(w));
	PST_REQUIRE(why == PST_LOSS || why == PST_ECN || why == PST_TIMEOUT);
	v->flight_bytes = pst_min(v->flight_bytes, w->bytes);
	return pst_sender_dispatch_on_congestion(method, p, s, v, w, why);
}

PST_CALL void pst_sender_recovered(u32 method, const union pst_sender_params *p,
				   union pst_sender_state *s,
				   const struct pst_sender_view *v,
				   struct pst_cwnd *w)
{
	PST_REQUIRE(pst_sender_view_invariant(v) && pst_cwnd_invariant(w));
	pst_sender_dispatch_on_recovered(method, p, s, v, w);
	PST_ENSURE(pst_cwnd_invariant(w));
}

PST_CALL void pst_sender_lost(u32 method, const union pst_sender_params *p,
			      union pst_sender_state *s, const struct pst_sender_view *v,
			      const struct pst_cwnd *w, const struct pst_lost_segment *l)
{
	PST_REQUIRE(l->bytes > 0 && l->bytes <= l->lost_bytes);
	PST_REQUIRE(l->bytes <= l->sent_in_flight_bytes);
	PST_REQUIRE(pst_sender_hears_losses(method));
	pst_sender_dispatch_on_lost(method, p, s, v, w, l);
}

PST_CALL void pst_sender_restart(u32 method, const union pst_sender_params *p,
				 union pst_sender_state *s,
				 const struct pst_sender_view *v, struct pst_cwnd *w)
{
	PST_REQUIRE(pst_sender_has_rate(method) && pst_cwnd_invariant(w));
	pst_sender_dispatch_on_restart(method, p, s, v, w);
	PST_ENSURE(pst_cwnd_invariant(w));
}

PST_CALL void pst_sender_stamp(u32 method, const union pst_sender_params *p,
			       const union pst_sender_state *s,
			       const struct pst_sender_view *v,
			       const struct pst_cwnd *w, struct pst_feedback *f)
{
	PST_REQUIRE(pst_sender_view_invariant(v) && pst_cwnd_invariant(w));
	pst_sender_dispatch_stamp(method, p, s, v, w, f);
}

PST_CALL u32 pst_sender_paces(u32 method, const union pst_sender_state *s)
{
	return pst_sender_dispatch_paces(method, s);
}

PST_CALL bool pst_sender_ect1(u32 method, const union pst_sender_params *p)
{
	return pst_sender_dispatch_ect1(method, p);
}

PST_CALL void pst_sender_pacing(u32 method, const union pst_sender_state *s,
				const struct pst_sender_view *v, struct pst_pacing *out)
{
	pst_sender_dispatch_pacing(method, s, v, out);
}

#endif /* PST_LINKED */

#endif
