/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A connection between the kernel, which counts segments, and core/sender, which counts
 * bytes: its state, the method's view of it, and the conversion of windows.
 */
#ifndef PENSTOCK_CC_CONNECTION_H
#define PENSTOCK_CC_CONNECTION_H

#include "kernel_tcp.h"

#include "core/sender/control.h"

struct cc_connection {
	struct pst_cwnd window;
	union pst_sender_state state;
	/* State before the last reduction, until it is known whether a timeout caused it. */
	struct pst_cwnd window_before;
	union pst_sender_state state_before;
	u64 rtt_ns;		/* the sample of this ACK, 0 if none */
	bool reduced;		/* just now, by ssthresh */
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct cc_connection);
} cc_connections SEC(".maps");

/*
 * The parameters of the loaded method, set by the tool: the only object in its section,
 * opaque to the compiler.
 */
const volatile union pst_sender_params cc_params SEC(".rodata.cc");

#define CC_INFINITE_SSTHRESH 0x7fffffffU	/* TCP_INFINITE_SSTHRESH */
#define CC_LEAST_SEGMENTS 2U

static __always_inline struct tcp_sock *cc_tcp(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static __always_inline struct cc_connection *cc_connection_of(struct sock *sk)
{
	return bpf_sk_storage_get(&cc_connections, sk, 0, 0);
}

static __always_inline const union pst_sender_params *cc_parameters(void)
{
	const volatile union pst_sender_params *p = &cc_params;

	asm volatile("" : "+r"(p));
	return (const union pst_sender_params *)p;
}

static __always_inline u64 cc_mss(const struct tcp_sock *tp)
{
	return pst_max(tp->mss_cache, 1);
}

/*
 * The kernel may have changed the window meanwhile (recovery, restart after idle, another
 * segment size): then its value is used; otherwise fractions of a segment are kept.
 */
static __always_inline void cc_take_window(const struct tcp_sock *tp, struct pst_cwnd *w)
{
	u64 mss = cc_mss(tp);

	if (w->bytes / mss != tp->snd_cwnd)
		w->bytes = tp->snd_cwnd * mss;
	if (tp->snd_ssthresh >= CC_INFINITE_SSTHRESH)
		w->ssthresh_bytes = PST_SSTHRESH_MAX;
	else if (w->ssthresh_bytes / mss != tp->snd_ssthresh)
		w->ssthresh_bytes = tp->snd_ssthresh * mss;
}

static __always_inline u32 cc_segments(const struct tcp_sock *tp, u64 bytes, u32 least)
{
	return (u32)pst_clamp(bytes / cc_mss(tp), least, CC_INFINITE_SSTHRESH);
}

/* tcp_is_cwnd_limited(): in slow start, half of the window used is enough. */
static __always_inline bool cc_is_limited(struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return true;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

static __always_inline void cc_view(struct tcp_sock *tp, const struct cc_connection *c,
				    u64 acked_bytes, struct pst_sender_view *v)
{
	u64 mss = cc_mss(tp);
	u64 outstanding = tp->snd_nxt - tp->snd_una;

	v->now_ns = bpf_ktime_get_ns();
	v->acked_bytes = acked_bytes;
	v->delivered_bytes = tp->bytes_acked + tp->sacked_out * mss;
	v->flight_bytes = outstanding + acked_bytes;
	v->window_bytes = tp->snd_wnd;
	v->rtt_ns = c->rtt_ns;
	v->srtt_ns = tp->srtt_us * 1000ULL / 8;
	v->min_rtt_ns = tp->rtt_min.s[0].v * 1000ULL;
	v->una = tp->bytes_acked;
	v->sent = tp->bytes_acked + outstanding;
	v->mss_bytes = (u32)mss;
	v->cwnd_limited = cc_is_limited(tp);
}

#endif
