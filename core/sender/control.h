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
 *   pst_sender_restart     data leaves after a pause, if pst_sender_has_rate()
 *   pst_sender_stamp       a segment with data is to leave, and carries a header for
 *                          routers, if pst_sender_feedback()
 */
#ifndef PENSTOCK_CORE_SENDER_CONTROL_H
#define PENSTOCK_CORE_SENDER_CONTROL_H

#include "registry.h"

/* True if the first ACK of new data ends a fast recovery, which has no SACK. */
PST_FN bool pst_sender_recovers_one(u32 method)
{
#define PST_IS_ANY 0ULL
#define PST_IS_ONE 1ULL
#define PST_BIT(name, NAME, recovery, ...) \
	| (PST_IS_##recovery << PST_SENDER_##NAME)
	return (0ULL PST_SENDERS(PST_BIT)) >> method & 1;
#undef PST_BIT
#undef PST_IS_ONE
#undef PST_IS_ANY
}

/* True if the method takes pst_sender_sample(). */
PST_FN bool pst_sender_samples(u32 method)
{
#define PST_IS_NO 0ULL
#define PST_IS_HAS 1ULL
#define PST_BIT(name, NAME, recovery, init, sample, ...) \
	| (PST_IS_##sample << PST_SENDER_##NAME)
	return (0ULL PST_SENDERS(PST_BIT)) >> method & 1;
#undef PST_BIT
#undef PST_IS_HAS
#undef PST_IS_NO
}

/* True if the method sends at a rate: pst_sender_pacing(), and on_ack sets the window. */
PST_FN bool pst_sender_has_rate(u32 method)
{
#define PST_IS_NO 0ULL
#define PST_IS_HAS 1ULL
#define PST_BIT(name, NAME, recovery, init, sample, recovered, stamp, paces, rate) \
	| (PST_IS_##rate << PST_SENDER_##NAME)
	return (0ULL PST_SENDERS(PST_BIT)) >> method & 1;
#undef PST_BIT
#undef PST_IS_HAS
#undef PST_IS_NO
}

PST_FN void pst_sender_init(u32 method, const union pst_sender_params *p,
			    union pst_sender_state *s,
			    const struct pst_sender_view *v, struct pst_cwnd *w)
{
	(void)p;
	(void)v;
	(void)w;
	/* Clears *s: an initialiser of a union reaches its first member only. */
	__builtin_memset(s, 0, sizeof(*s));
	switch (method) {
#define PST_CASE(name, NAME, recovery, init, sample, recovered, ...)       \
	case PST_SENDER_##NAME:                                            \
		PST_IF_##init(pst_##name##_init(&p->name, &s->name, v, w);) \
		break;
		PST_SENDERS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN void pst_sender_sample(u32 method, const union pst_sender_params *p,
			      union pst_sender_state *s,
			      const struct pst_sender_view *v,
			      struct pst_cwnd *w)
{
	(void)p;
	(void)s;
	(void)v;
	(void)w;
	switch (method) {
#define PST_CASE(name, NAME, recovery, init, sample, recovered, ...)      \
	case PST_SENDER_##NAME:                                           \
		PST_IF_##sample(pst_##name##_on_sample(&p->name, &s->name, \
						       v, w);)            \
		break;
		PST_SENDERS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN void pst_sender_ack(u32 method, const union pst_sender_params *p,
			   union pst_sender_state *s,
			   const struct pst_sender_view *v, struct pst_cwnd *w)
{
	switch (method) {
#define PST_CASE(name, NAME, ...)                              \
	case PST_SENDER_##NAME:                                \
		pst_##name##_on_ack(&p->name, &s->name, v, w); \
		break;
		PST_SENDERS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

/*
 * FlightSize includes SACKed data. In recovery that is far more than the network holds,
 * which is at most cwnd; halving it would raise ssthresh from one timeout to the next.
 * RFC 5681 requires "no more than", and excludes data sent by limited transmit, which is
 * the excess over cwnd: *v is corrected.
 */
PST_FN u64 pst_sender_congestion(u32 method, const union pst_sender_params *p,
				 union pst_sender_state *s,
				 struct pst_sender_view *v,
				 const struct pst_cwnd *w,
				 enum pst_congestion why)
{
	v->flight_bytes = pst_min(v->flight_bytes, w->bytes);
	switch (method) {
#define PST_CASE(name, NAME, ...)                                             \
	case PST_SENDER_##NAME:                                               \
		return pst_##name##_on_congestion(&p->name, &s->name, v, w, why);
		PST_SENDERS(PST_CASE)
#undef PST_CASE
	default:
		return w->ssthresh_bytes;
	}
}

PST_FN void pst_sender_recovered(u32 method, const union pst_sender_params *p,
				 union pst_sender_state *s,
				 const struct pst_sender_view *v,
				 struct pst_cwnd *w)
{
	(void)p;
	(void)s;
	(void)v;
	(void)w;
	switch (method) {
#define PST_CASE(name, NAME, recovery, init, sample, recovered, ...)           \
	case PST_SENDER_##NAME:                                                \
		PST_IF_##recovered(pst_##name##_on_recovered(&p->name,         \
							     &s->name, v, w);) \
		break;
		PST_SENDERS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

/* The enum pst_feedback_kind of the header in the method's segments. */
PST_FN u32 pst_sender_feedback(u32 method)
{
	switch (method) {
#define PST_CASE(name, NAME, recovery, init, sample, recovered, stamp, ...)\
	case PST_SENDER_##NAME:                                        \
		PST_IF_##stamp(return PST_##NAME##_FEEDBACK;)          \
		break;
		PST_SENDERS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return PST_FEEDBACK_NONE;
}

/* True while the method spreads its window over a round trip. */
PST_FN bool pst_sender_paces(u32 method, const union pst_sender_state *s)
{
	(void)s;
	switch (method) {
#define PST_CASE(name, NAME, recovery, init, sample, recovered, stamp, paces, ...) \
	case PST_SENDER_##NAME:                                               \
		PST_IF_##paces(return pst_##name##_paces(&s->name);)          \
		break;
		PST_SENDERS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return false;
}

/* The rate of a method that has one, for what leaves next. */
PST_FN void pst_sender_pacing(u32 method, const union pst_sender_state *s,
			      const struct pst_sender_view *v, struct pst_pacing *out)
{
	(void)s;
	(void)v;
	(void)out;
	switch (method) {
#define PST_CASE(name, NAME, recovery, init, sample, recovered, stamp, paces, rate) \
	case PST_SENDER_##NAME:                                                     \
		PST_IF_##rate(pst_##name##_pacing(&s->name, v, out);)               \
		break;
		PST_SENDERS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN void pst_sender_restart(u32 method, const union pst_sender_params *p,
			       union pst_sender_state *s,
			       const struct pst_sender_view *v, struct pst_cwnd *w)
{
	(void)p;
	(void)s;
	(void)v;
	(void)w;
	switch (method) {
#define PST_CASE(name, NAME, recovery, init, sample, recovered, stamp, paces, rate)     \
	case PST_SENDER_##NAME:                                                         \
		PST_IF_##rate(pst_##name##_on_restart(&p->name, &s->name, v, w);)       \
		break;
		PST_SENDERS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

PST_FN void pst_sender_stamp(u32 method, const union pst_sender_params *p,
			     const union pst_sender_state *s,
			     const struct pst_sender_view *v,
			     const struct pst_cwnd *w, struct pst_feedback *f)
{
	(void)p;
	(void)s;
	(void)v;
	(void)w;
	(void)f;
	switch (method) {
#define PST_CASE(name, NAME, recovery, init, sample, recovered, stamp, ...)\
	case PST_SENDER_##NAME:                                            \
		PST_IF_##stamp(pst_##name##_stamp(&p->name, &s->name, v, w, \
						  f);)                     \
		break;
		PST_SENDERS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

#endif
