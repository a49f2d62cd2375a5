/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dispatch to a sender method: its parameters, its state, and the events that a host
 * reports. All functions are pure except for *s and *w; the switch is expanded from the
 * registry.
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

/* What a method may have, as bits: registry.h. */
enum pst_sender_bit {
	PST_SENDER_HAS_init = 1 << 0,
	PST_SENDER_HAS_on_sample = 1 << 1,
	PST_SENDER_HAS_on_recovered = 1 << 2,
	PST_SENDER_HAS_stamp = 1 << 3,
	PST_SENDER_HAS_paces = 1 << 4,
	PST_SENDER_HAS_pacing = 1 << 5,
	PST_SENDER_HAS_on_restart = 1 << 6,
	PST_SENDER_HAS_one_loss = 1 << 7,
	PST_SENDER_HAS_ect1 = 1 << 8,
	PST_SENDER_HAS_exact_ecn = 1 << 9,
	PST_SENDER_HAS_on_lost = 1 << 10,
};

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

/* True while the method spreads its window over a round trip. */
PST_CALL bool pst_sender_paces(u32 method, const union pst_sender_state *s);

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
#define PST_BIT(has) | PST_SENDER_HAS_##has
#define PST_MASK(name, NAME, ...) \
	| (u64)(((0U PST_##NAME##_HAS(PST_BIT)) & bits) != 0) << PST_SENDER_##NAME
	return (0ULL PST_SENDERS(PST_MASK)) >> method & 1;
#undef PST_MASK
#undef PST_BIT
}

PST_CALL u32 pst_sender_feedback(u32 method)
{
#define PST_CASE(name, NAME, SENDER, ...) \
	PST_CASE_OF(NAME, SENDER, stamp, return PST_##NAME##_FEEDBACK;)
	PST_SWITCH(PST_SENDERS, PST_SENDER_, PST_CASE, method)
#undef PST_CASE
	return PST_FEEDBACK_NONE;
}

#define PST_SENDER_DO(word, ...) \
	PST_DO(PST_SENDERS, PST_SENDER_, method, word, __VA_ARGS__)

PST_CALL void pst_sender_init(u32 method, const union pst_sender_params *p,
			      union pst_sender_state *s,
			      const struct pst_sender_view *v, struct pst_cwnd *w)
{
	/* Clears *s: an initialiser of a union reaches its first member only. */
	PST_REQUIRE(method < PST_SENDER_COUNT);
	PST_REQUIRE(pst_sender_view_invariant(v) && pst_cwnd_invariant(w));
	__builtin_memset(s, 0, sizeof(*s));
	PST_SENDER_DO(init, v, w)
	PST_ENSURE(pst_cwnd_invariant(w));
}

PST_CALL void pst_sender_sample(u32 method, const union pst_sender_params *p,
				union pst_sender_state *s,
				const struct pst_sender_view *v,
				struct pst_cwnd *w)
{
	PST_REQUIRE(pst_sender_view_invariant(v) && pst_cwnd_invariant(w));
	PST_SENDER_DO(on_sample, v, w)
	PST_ENSURE(pst_cwnd_invariant(w));
}

PST_CALL void pst_sender_ack(u32 method, const union pst_sender_params *p,
			     union pst_sender_state *s,
			     const struct pst_sender_view *v, struct pst_cwnd *w)
{
	PST_REQUIRE(method < PST_SENDER_COUNT);
	PST_REQUIRE(pst_sender_view_invariant(v) && pst_cwnd_invariant(w));
	PST_REQUIRE(!v->delivery || pst_sender_has_rate(method));
#define PST_CASE(name, NAME, SENDER, ...) \
	case SENDER##NAME: pst_##name##_on_ack(&p->name, &s->name, v, w); break;
	PST_SWITCH(PST_SENDERS, PST_SENDER_, PST_CASE, method)
#undef PST_CASE
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
#define PST_CASE(name, NAME, SENDER, ...) \
	case SENDER##NAME: return pst_##name##_on_congestion(&p->name, &s->name, v, w, why);
	PST_SWITCH(PST_SENDERS, PST_SENDER_, PST_CASE, method)
#undef PST_CASE
	return w->ssthresh_bytes;
}

PST_CALL void pst_sender_recovered(u32 method, const union pst_sender_params *p,
				   union pst_sender_state *s,
				   const struct pst_sender_view *v,
				   struct pst_cwnd *w)
{
	PST_REQUIRE(pst_sender_view_invariant(v) && pst_cwnd_invariant(w));
	PST_SENDER_DO(on_recovered, v, w)
	PST_ENSURE(pst_cwnd_invariant(w));
}

PST_CALL void pst_sender_lost(u32 method, const union pst_sender_params *p,
			      union pst_sender_state *s, const struct pst_sender_view *v,
			      const struct pst_cwnd *w, const struct pst_lost_segment *l)
{
	PST_REQUIRE(l->bytes > 0 && l->bytes <= l->lost_bytes);
	PST_REQUIRE(l->bytes <= l->sent_in_flight_bytes);
	PST_REQUIRE(pst_sender_hears_losses(method));
	PST_SENDER_DO(on_lost, v, w, l)
}

PST_CALL void pst_sender_restart(u32 method, const union pst_sender_params *p,
				 union pst_sender_state *s,
				 const struct pst_sender_view *v, struct pst_cwnd *w)
{
	PST_REQUIRE(pst_sender_has_rate(method) && pst_cwnd_invariant(w));
	PST_SENDER_DO(on_restart, v, w)
	PST_ENSURE(pst_cwnd_invariant(w));
}

PST_CALL void pst_sender_stamp(u32 method, const union pst_sender_params *p,
			       const union pst_sender_state *s,
			       const struct pst_sender_view *v,
			       const struct pst_cwnd *w, struct pst_feedback *f)
{
	PST_REQUIRE(pst_sender_view_invariant(v) && pst_cwnd_invariant(w));
	PST_SENDER_DO(stamp, v, w, f)
}

PST_CALL bool pst_sender_paces(u32 method, const union pst_sender_state *s)
{
#define PST_CASE(name, NAME, SENDER, ...) \
	PST_CASE_OF(NAME, SENDER, paces, return pst_##name##_paces(&s->name);)
	PST_SWITCH(PST_SENDERS, PST_SENDER_, PST_CASE, method)
#undef PST_CASE
	return false;
}

PST_CALL bool pst_sender_ect1(u32 method, const union pst_sender_params *p)
{
#define PST_CASE(name, NAME, SENDER, ...) \
	PST_CASE_OF(NAME, SENDER, ect1, return pst_##name##_ect1(&p->name);)
	PST_SWITCH(PST_SENDERS, PST_SENDER_, PST_CASE, method)
#undef PST_CASE
	return false;
}

PST_CALL void pst_sender_pacing(u32 method, const union pst_sender_state *s,
				const struct pst_sender_view *v, struct pst_pacing *out)
{
#define PST_CASE(name, NAME, SENDER, ...) \
	PST_CASE_OF(NAME, SENDER, pacing, pst_##name##_pacing(&s->name, v, out); break;)
	PST_SWITCH(PST_SENDERS, PST_SENDER_, PST_CASE, method)
#undef PST_CASE
}

#endif /* PST_LINKED */

#endif
