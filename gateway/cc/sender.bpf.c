/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The senders of core/ as the kernel's congestion controls: one set of programs per line
 * of the registry, of which the tool loads the requested one.
 *
 * Loss recovery and the window during recovery (PRR) are the kernel's, as they are the
 * simulator's there; a method decides growth and reductions. cong_control is not used,
 * because its signature changed in Linux 6.10.
 */
#include "connection.h"

char LICENSE[] SEC("license") = "GPL";

static __always_inline void cc_init(struct sock *sk, u32 method)
{
	struct tcp_sock *tp = cc_tcp(sk);
	struct pst_sender_view v = {};
	struct cc_connection *c;

	c = bpf_sk_storage_get(&cc_connections, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!c)
		return;
	__builtin_memset(c, 0, sizeof(*c));
	cc_take_window(tp, &c->window);
	cc_view(tp, c, 0, &v);
	pst_sender_init(method, cc_parameters(), &c->state, &v, &c->window);
	tp->snd_cwnd = cc_segments(tp, c->window.bytes, 1);
}

static __always_inline void cc_pkts_acked(struct sock *sk, const struct ack_sample *sample,
					  u32 method)
{
	struct cc_connection *c = cc_connection_of(sk);
	struct tcp_sock *tp = cc_tcp(sk);
	struct pst_sender_view v = {};

	if (!c)
		return;
	c->reduced = false;
	c->rtt_ns = sample->rtt_us > 0 ? (u64)sample->rtt_us * 1000 : 0;
	if (!pst_sender_samples(method))
		return;
	cc_take_window(tp, &c->window);
	cc_view(tp, c, sample->pkts_acked * cc_mss(tp), &v);
	pst_sender_sample(method, cc_parameters(), &c->state, &v, &c->window);
}

static __always_inline void cc_cong_avoid(struct sock *sk, u32 acked, u32 method)
{
	struct cc_connection *c = cc_connection_of(sk);
	struct tcp_sock *tp = cc_tcp(sk);
	struct pst_sender_view v = {};

	if (!c)
		return;
	cc_take_window(tp, &c->window);
	cc_view(tp, c, acked * cc_mss(tp), &v);
	pst_sender_ack(method, cc_parameters(), &c->state, &v, &c->window);
	tp->snd_cwnd = cc_segments(tp, c->window.bytes, 1);
}

static __always_inline u64 cc_reduce(struct tcp_sock *tp, struct cc_connection *c,
				     enum pst_congestion why, u32 method)
{
	struct pst_sender_view v = {};

	cc_view(tp, c, 0, &v);
	return pst_sender_congestion(method, cc_parameters(), &c->state, &v, &c->window, why);
}

/* Nothing is lost or missing: the receiver has echoed a mark. */
static __always_inline enum pst_congestion cc_reason(const struct tcp_sock *tp)
{
	return tp->lost_out || tp->sacked_out ? PST_LOSS : PST_ECN;
}

static __always_inline u32 cc_ssthresh(struct sock *sk, u32 method)
{
	struct cc_connection *c = cc_connection_of(sk);
	struct tcp_sock *tp = cc_tcp(sk);

	if (!c)
		return tp->snd_ssthresh;
	cc_take_window(tp, &c->window);
	c->window_before = c->window;
	c->state_before = c->state;
	c->reduced = true;
	c->window.ssthresh_bytes = cc_reduce(tp, c, cc_reason(tp), method);
	return cc_segments(tp, c->window.ssthresh_bytes, CC_LEAST_SEGMENTS);
}

static __always_inline void cc_recovered(struct tcp_sock *tp, struct cc_connection *c, u32 method)
{
	struct pst_sender_view v = {};

	cc_take_window(tp, &c->window);
	cc_view(tp, c, 0, &v);
	pst_sender_recovered(method, cc_parameters(), &c->state, &v, &c->window);
	tp->snd_cwnd = cc_segments(tp, c->window.bytes, 1);
}

/* The kernel asks for ssthresh before it reports that the timer expired. */
static __always_inline void cc_cwnd_event(struct sock *sk, u32 event, u32 method)
{
	struct cc_connection *c = cc_connection_of(sk);
	struct tcp_sock *tp = cc_tcp(sk);

	if (!c)
		return;
	if (event == CC_EVENT_COMPLETE_CWR) {
		cc_recovered(tp, c, method);
	} else if (event == CC_EVENT_LOSS && c->reduced) {
		c->window = c->window_before;
		c->state = c->state_before;
		c->reduced = false;
		c->window.ssthresh_bytes = cc_reduce(tp, c, PST_TIMEOUT, method);
		tp->snd_ssthresh = cc_segments(tp, c->window.ssthresh_bytes, CC_LEAST_SEGMENTS);
	}
}

static __always_inline void cc_set_state(struct sock *sk, u8 state, u32 method)
{
	struct cc_connection *c = cc_connection_of(sk);
	struct tcp_sock *tp = cc_tcp(sk);

	if (!c)
		return;
	c->reduced = false;
	if (state < CC_CWR && BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state) == CC_LOSS)
		cc_recovered(tp, c, method);
}

static __always_inline u32 cc_undo_cwnd(struct sock *sk)
{
	struct tcp_sock *tp = cc_tcp(sk);

	return (u32)pst_max(tp->snd_cwnd, tp->prior_cwnd);
}

#define CC_OPS(name_, NAME, ...)                                                          \
	SEC("struct_ops/init")                                                            \
	void BPF_PROG(name_##_init, struct sock *sk)                                      \
	{                                                                                 \
		cc_init(sk, PST_SENDER_##NAME);                                           \
	}                                                                                 \
	SEC("struct_ops/ssthresh")                                                        \
	__u32 BPF_PROG(name_##_ssthresh, struct sock *sk)                                 \
	{                                                                                 \
		return cc_ssthresh(sk, PST_SENDER_##NAME);                                \
	}                                                                                 \
	SEC("struct_ops/cong_avoid")                                                      \
	void BPF_PROG(name_##_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)        \
	{                                                                                 \
		cc_cong_avoid(sk, acked, PST_SENDER_##NAME);                              \
	}                                                                                 \
	SEC("struct_ops/set_state")                                                       \
	void BPF_PROG(name_##_set_state, struct sock *sk, __u8 state)                     \
	{                                                                                 \
		cc_set_state(sk, state, PST_SENDER_##NAME);                               \
	}                                                                                 \
	SEC("struct_ops/cwnd_event")                                                      \
	void BPF_PROG(name_##_cwnd_event, struct sock *sk, __u32 event)                   \
	{                                                                                 \
		cc_cwnd_event(sk, event, PST_SENDER_##NAME);                              \
	}                                                                                 \
	SEC("struct_ops/pkts_acked")                                                      \
	void BPF_PROG(name_##_pkts_acked, struct sock *sk, const struct ack_sample *sample) \
	{                                                                                 \
		cc_pkts_acked(sk, sample, PST_SENDER_##NAME);                             \
	}                                                                                 \
	SEC("struct_ops/undo_cwnd")                                                       \
	__u32 BPF_PROG(name_##_undo_cwnd, struct sock *sk)                                \
	{                                                                                 \
		return cc_undo_cwnd(sk);                                                  \
	}                                                                                 \
	SEC(".struct_ops")                                                                \
	struct tcp_congestion_ops pst_##name_ = {                                               \
		.name = PST_##NAME##_LINUX,                                               \
		.flags = CC_NON_RESTRICTED,                                               \
		.init = (void *)name_##_init,                                             \
		.ssthresh = (void *)name_##_ssthresh,                                     \
		.cong_avoid = (void *)name_##_cong_avoid,                                 \
		.set_state = (void *)name_##_set_state,                                   \
		.cwnd_event = (void *)name_##_cwnd_event,                                 \
		.pkts_acked = (void *)name_##_pkts_acked,                                 \
		.undo_cwnd = (void *)name_##_undo_cwnd,                                   \
	};

PST_SENDERS(CC_OPS)
