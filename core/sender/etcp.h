/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ETCP, enhanced TCP: a sender that adopts the window that a gateway wrote into the ACK
 * as its congestion window, at once or gradually.
 *
 * M. Savoric: nis-2004 section 13.3. In segments, at each ACK, with A its window (ARWND)
 * and W the congestion window before:
 *
 *   ETCP 1   A                                                          (13.12)
 *   ETCP 2   min(W * 2^(1 / W), A)                                      (13.13)
 *   ETCP 3   A if W >= A, else W * (A / W)^(1 / W)                      (13.14)
 *   ETCP 3b  as ETCP 3, but W * (A / W)^(1 / IW) if A > IW > W          (13.15)
 *
 * The first window is that of the SYN-ACK, by the same equations from IW. What may be sent
 * leaves in bursts of two, spread over the round trip, as in FS-TCBI (section 5.2.5.2).
 * A loss is handled as in NewReno (newreno.h); after a timeout the window grows by slow
 * start up to ssthresh, as ETCP specifies no other fallback.
 */
#ifndef PENSTOCK_CORE_SENDER_ETCP_H
#define PENSTOCK_CORE_SENDER_ETCP_H

#include "../math/log2.h"
#include "growth.h"

#define PST_ETCP_1_TITLE "ETCP 1, the window of the ACK"
#define PST_ETCP_2_TITLE "ETCP 2, doubling up to the window of the ACK"
#define PST_ETCP_3_TITLE "ETCP 3, the window of the ACK within a window"
#define PST_ETCP_3B_TITLE "ETCP 3b, ETCP 3 with the initial window's pace"
#define PST_ETCP_1_SOURCE "nis-2004 section 13.3, eq. 13.12"
#define PST_ETCP_2_SOURCE "nis-2004 section 13.3, eq. 13.13"
#define PST_ETCP_3_SOURCE "nis-2004 section 13.3, eq. 13.14"
#define PST_ETCP_3B_SOURCE "nis-2004 section 13.3, eq. 13.15"

#define PST_ETCP_1_LINUX "pst_etcp_1"
#define PST_ETCP_2_LINUX "pst_etcp_2"
#define PST_ETCP_3_LINUX "pst_etcp_3"
#define PST_ETCP_3B_LINUX "pst_etcp_3b"

/* Section 5.2.5.2. */
#define PST_ETCP_BURST_SEGMENTS 2

#define PST_ETCP_PARAMS(P)                                                    \
	PST_SLOW_START_PARAMS(P)                                              \
	P(syn_window, PST_FLAG, PST_IS(1), 0, 1,                              \
	  "take the initial congestion window from the SYN-ACK's window",     \
	  "nis-2004 section 13.3")

#define PST_ETCP_STATE(S)                                                     \
	S(initial_bytes, PST_BYTES, "initial window (IW)")                    \
	S(fallback, PST_FLAG, "a timeout came: slow start up to ssthresh")

#define PST_ETCP_1_PARAMS(P) PST_ETCP_PARAMS(P)
#define PST_ETCP_2_PARAMS(P) PST_ETCP_PARAMS(P)
#define PST_ETCP_3_PARAMS(P) PST_ETCP_PARAMS(P)
#define PST_ETCP_3B_PARAMS(P) PST_ETCP_PARAMS(P)
#define PST_ETCP_1_STATE(S) PST_ETCP_STATE(S)
#define PST_ETCP_2_STATE(S) PST_ETCP_STATE(S)
#define PST_ETCP_3_STATE(S) PST_ETCP_STATE(S)
#define PST_ETCP_3B_STATE(S) PST_ETCP_STATE(S)

/* W * 2^(log2_q32 / @over_bytes), in segments, at most A. */
PST_FN u64 pst_etcp_root(u64 cwnd_bytes, u64 log2_q32, u64 mss_bytes,
			 u64 over_bytes, u64 most_bytes)
{
	return pst_scale_exp2(cwnd_bytes,
			      log2_q32 * mss_bytes / pst_max(over_bytes, 1),
			      most_bytes);
}

PST_FN u64 pst_etcp_1_next(u64 cwnd_bytes, u64 offered_bytes, u64 mss_bytes,
			   u64 initial_bytes)
{
	(void)cwnd_bytes;
	(void)mss_bytes;
	(void)initial_bytes;
	return offered_bytes;
}

PST_FN u64 pst_etcp_2_next(u64 cwnd_bytes, u64 offered_bytes, u64 mss_bytes,
			   u64 initial_bytes)
{
	(void)initial_bytes;
	return pst_etcp_root(cwnd_bytes, PST_Q32_ONE, mss_bytes, cwnd_bytes,
			     offered_bytes);
}

/* log2(A / W); both below 2^40, scaled by 2^22 for precision. */
PST_FN u64 pst_etcp_ratio_q32(u64 cwnd_bytes, u64 offered_bytes)
{
	return pst_sub_floor(pst_log2_q32(offered_bytes << 22),
			     pst_log2_q32(cwnd_bytes << 22));
}

PST_FN u64 pst_etcp_3_next(u64 cwnd_bytes, u64 offered_bytes, u64 mss_bytes,
			   u64 initial_bytes)
{
	(void)initial_bytes;
	if (cwnd_bytes >= offered_bytes)
		return offered_bytes;
	return pst_etcp_root(cwnd_bytes,
			     pst_etcp_ratio_q32(cwnd_bytes, offered_bytes),
			     mss_bytes, cwnd_bytes, offered_bytes);
}

PST_FN u64 pst_etcp_3b_next(u64 cwnd_bytes, u64 offered_bytes, u64 mss_bytes,
			    u64 initial_bytes)
{
	if (offered_bytes > initial_bytes && initial_bytes > cwnd_bytes)
		return pst_etcp_root(
			cwnd_bytes, pst_etcp_ratio_q32(cwnd_bytes, offered_bytes),
			mss_bytes, initial_bytes, offered_bytes);
	return pst_etcp_3_next(cwnd_bytes, offered_bytes, mss_bytes,
			       initial_bytes);
}

/* The functions of each variant, with its own equation. */
#define PST_ETCP(name, NAME)                                                  \
	struct pst_##name##_params {                                          \
		PST_ETCP_PARAMS(PST_PARAM_FIELD)                              \
	};                                                                    \
	struct pst_##name##_state {                                           \
		PST_ETCP_STATE(PST_STATE_FIELD)                               \
	};                                                                    \
	PST_FN void pst_##name##_step(struct pst_##name##_state *s,           \
				      const struct pst_sender_view *v,        \
				      struct pst_cwnd *w)                     \
	{                                                                     \
		if (v->window_bytes)                                          \
			w->bytes = pst_max(                                   \
				pst_##name##_next(w->bytes, v->window_bytes,  \
						  v->mss_bytes,               \
						  s->initial_bytes),          \
				v->mss_bytes);                                \
	}                                                                     \
	PST_FN void pst_##name##_init(const struct pst_##name##_params *p,    \
				      struct pst_##name##_state *s,           \
				      const struct pst_sender_view *v,        \
				      struct pst_cwnd *w)                     \
	{                                                                     \
		s->initial_bytes = w->bytes;                                  \
		if (p->syn_window)                                            \
			pst_##name##_step(s, v, w);                           \
	}                                                                     \
	PST_FN void pst_##name##_on_ack(const struct pst_##name##_params *p,  \
					struct pst_##name##_state *s,         \
					const struct pst_sender_view *v,      \
					struct pst_cwnd *w)                   \
	{                                                                     \
		if (s->fallback && w->bytes < w->ssthresh_bytes) {            \
			pst_slow_start(w, v, p->abc_limit);                   \
			return;                                               \
		}                                                             \
		s->fallback = 0;                                              \
		pst_##name##_step(s, v, w);                                   \
	}                                                                     \
	PST_FN u32 pst_##name##_paces(const struct pst_##name##_state *s)     \
	{                                                                     \
		(void)s;                                                      \
		return PST_ETCP_BURST_SEGMENTS;                               \
	}                                                                     \
	PST_FN u64 pst_##name##_on_congestion(                                \
		const struct pst_##name##_params *p,                          \
		struct pst_##name##_state *s,                                 \
		const struct pst_sender_view *v, const struct pst_cwnd *w,    \
		enum pst_congestion why)                                      \
	{                                                                     \
		(void)p;                                                      \
		(void)w;                                                      \
		s->fallback = why == PST_TIMEOUT;                             \
		return pst_half_of_flight(v);                                 \
	}

PST_ETCP(etcp_1, ETCP_1)
PST_ETCP(etcp_2, ETCP_2)
PST_ETCP(etcp_3, ETCP_3)
PST_ETCP(etcp_3b, ETCP_3B)
#undef PST_ETCP

#endif
