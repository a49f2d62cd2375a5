/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The senders of core/ as the kernel's congestion controls: one set of programs per line
 * of the registry, of which the tool loads the requested one.
 *
 * Loss recovery and the window during recovery (PRR) are the kernel's, as in the simulator
 * they are the simulator's; a method decides growth and reductions. cong_control is not
 * used, because its signature changed in Linux 6.10.
 */
#include "ensemble.h"

char LICENSE[] SEC("license") = "GPL";

static __always_inline void cc_init(struct sock *sk, u32 method, u32 sharing)
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
	cc_join(sk, c, sharing);
}

/* Reno's threshold, where the method cannot be asked. */
static __always_inline u32 cc_reno_ssthresh(u32 cwnd)
{
	return (u32)pst_max(cwnd >> 1, CC_LEAST_SEGMENTS);
}

/* As each threshold and window is in a kernel that runs all programs. */
static __always_inline bool cc_is_sound(u32 segments)
{
	return segments && segments <= CC_INFINITE_SSTHRESH;
}

/*
 * A kernel that does not run ssthresh or undo_cwnd takes what was on its stack for the
 * answer: one with changes of its own has done so. 0 would stop the connection for ever, as
 * nothing in flight means no timer.
 */
static __always_inline void cc_mend(struct tcp_sock *tp)
{
	if (cc_is_sound(tp->snd_ssthresh) && cc_is_sound(tp->snd_cwnd))
		return;
	if (!cc_is_sound(tp->snd_ssthresh))
		tp->snd_ssthresh = cc_reno_ssthresh(tp->prior_cwnd);
	tp->snd_cwnd = (u32)pst_clamp(tp->snd_cwnd, 1, pst_max(tp->prior_cwnd, 1));
}

static __always_inline void cc_pkts_acked(struct sock *sk, const struct ack_sample *sample,
					  u32 method, u32 sharing)
{
	struct cc_connection *c = cc_connection_of(sk);
	struct tcp_sock *tp = cc_tcp(sk);
	struct pst_sender_view v = {};

	cc_mend(tp);
	if (!c)
		return;
	c->reduced = false;
	c->rtt_ns = sample->rtt_us > 0 ? (u64)sample->rtt_us * 1000 : 0;
	cc_pull(sk, c, sharing);
	if (!pst_sender_samples(method))
		return;
	cc_take_window(tp, &c->window);
	cc_view(tp, c, sample->pkts_acked * cc_mss(tp), &v);
	pst_sender_sample(method, cc_parameters(), &c->state, &v, &c->window);
}

static __always_inline void cc_cong_avoid(struct sock *sk, u32 acked, u32 method,
					  u32 sharing)
{
	struct cc_connection *c = cc_connection_of(sk);
	struct tcp_sock *tp = cc_tcp(sk);
	struct pst_sender_view v = {};

	if (!c)
		return;
	cc_take_window(tp, &c->window);
	cc_view(tp, c, acked * cc_mss(tp), &v);
	pst_sender_ack(method, cc_parameters(), &c->state, &v, &c->window);
	cc_push(sk, c, v.cwnd_limited ? v.acked_bytes : 0, CC_ACK, sharing);
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

static __always_inline u32 cc_ssthresh(struct sock *sk, u32 method, u32 sharing)
{
	struct cc_connection *c = cc_connection_of(sk);
	struct tcp_sock *tp = cc_tcp(sk);

	if (!c) /* no memory for it */
		return cc_reno_ssthresh(tp->snd_cwnd);
	cc_take_window(tp, &c->window);
	c->window_before = c->window;
	c->state_before = c->state;
	c->reduced = true;
	c->window.ssthresh_bytes = cc_reduce(tp, c, cc_reason(tp), method);
	if (sharing < PST_SHARING_COUNT)
		c->window.bytes = c->window.ssthresh_bytes;
	cc_push(sk, c, 0, CC_CONGESTION, sharing);
	return cc_segments(tp, c->window.ssthresh_bytes, CC_LEAST_SEGMENTS);
}

static __always_inline void cc_recovered(struct sock *sk, struct cc_connection *c, u32 method,
					 u32 sharing)
{
	struct tcp_sock *tp = cc_tcp(sk);
	struct pst_sender_view v = {};

	cc_take_window(tp, &c->window);
	cc_view(tp, c, 0, &v);
	pst_sender_recovered(method, cc_parameters(), &c->state, &v, &c->window);
	tp->snd_cwnd = cc_segments(tp, c->window.bytes, 1);
	cc_pull(sk, c, sharing);
}

/* The kernel asks for ssthresh before it reports that the timer expired. */
static __always_inline void cc_cwnd_event(struct sock *sk, u32 event, u32 method,
					  u32 sharing)
{
	struct cc_connection *c = cc_connection_of(sk);
	struct tcp_sock *tp = cc_tcp(sk);

	if (!c)
		return;
	if (event == CC_EVENT_TX_START) {
		cc_pull(sk, c, sharing);
	} else if (event == CC_EVENT_COMPLETE_CWR) {
		cc_recovered(sk, c, method, sharing);
	} else if (event == CC_EVENT_LOSS && c->reduced) {
		c->window = c->window_before;
		c->state = c->state_before;
		c->reduced = false;
		c->window.ssthresh_bytes = cc_reduce(tp, c, PST_TIMEOUT, method);
		if (sharing < PST_SHARING_COUNT)
			c->window.bytes = cc_mss(tp);
		cc_push(sk, c, 0, CC_TIMEOUT, sharing);
		tp->snd_ssthresh = cc_segments(tp, c->window.ssthresh_bytes, CC_LEAST_SEGMENTS);
	}
}

static __always_inline void cc_set_state(struct sock *sk, u8 state, u32 method,
					 u32 sharing)
{
	struct cc_connection *c = cc_connection_of(sk);
	struct tcp_sock *tp = cc_tcp(sk);

	if (!c)
		return;
	c->reduced = false;
	if (state < CC_CWR && cc_state(tp) == CC_LOSS)
		cc_recovered(sk, c, method, sharing);
}

static __always_inline u32 cc_undo_cwnd(struct sock *sk)
{
	struct tcp_sock *tp = cc_tcp(sk);

	return (u32)pst_max(tp->snd_cwnd, tp->prior_cwnd);
}

#define CC_PROGRAMS(name_, map_, linux_, method_, sharing_, ...)                                                          \
	SEC("struct_ops/init")                                                            \
	void BPF_PROG(name_##_init, struct sock *sk)                                      \
	{                                                                                 \
		cc_init(sk, method_, sharing_);                                           \
	}                                                                                 \
	SEC("struct_ops/ssthresh")                                                        \
	__u32 BPF_PROG(name_##_ssthresh, struct sock *sk)                                 \
	{                                                                                 \
		return cc_ssthresh(sk, method_, sharing_);                                \
	}                                                                                 \
	SEC("struct_ops/cong_avoid")                                                      \
	void BPF_PROG(name_##_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)        \
	{                                                                                 \
		cc_cong_avoid(sk, acked, method_, sharing_);                              \
	}                                                                                 \
	SEC("struct_ops/set_state")                                                       \
	void BPF_PROG(name_##_set_state, struct sock *sk, __u8 state)                     \
	{                                                                                 \
		cc_set_state(sk, state, method_, sharing_);                               \
	}                                                                                 \
	SEC("struct_ops/cwnd_event")                                                      \
	void BPF_PROG(name_##_cwnd_event, struct sock *sk, __u32 event)                   \
	{                                                                                 \
		cc_cwnd_event(sk, event, method_, sharing_);                              \
	}                                                                                 \
	SEC("struct_ops/pkts_acked")                                                      \
	void BPF_PROG(name_##_pkts_acked, struct sock *sk, const struct ack_sample *sample) \
	{                                                                                 \
		cc_pkts_acked(sk, sample, method_, sharing_);                             \
	}                                                                                 \
	SEC("struct_ops/undo_cwnd")                                                       \
	__u32 BPF_PROG(name_##_undo_cwnd, struct sock *sk)                                \
	{                                                                                 \
		return cc_undo_cwnd(sk);                                                  \
	}                                                                                 \
	SEC(".struct_ops")                                                                \
	struct tcp_congestion_ops map_ = {                                                \
		.name = linux_,                                               \
		.flags = CC_NON_RESTRICTED,                                               \
		.init = (void *)name_##_init,                                             \
		.ssthresh = (void *)name_##_ssthresh,                                     \
		.cong_avoid = (void *)name_##_cong_avoid,                                 \
		.set_state = (void *)name_##_set_state,                                   \
		.cwnd_event = (void *)name_##_cwnd_event,                                 \
		.pkts_acked = (void *)name_##_pkts_acked,                                 \
		.undo_cwnd = (void *)name_##_undo_cwnd,                                   \
		__VA_ARGS__                                                               \
	};

#define CC_SENDER(name, NAME, ...)                                                 \
	CC_PROGRAMS(name, pst_##name, PST_##NAME##_LINUX, PST_SENDER_##NAME, PST_SHARING_COUNT)
PST_LINUX_SENDERS(CC_SENDER)

/* What is shared, among connections that are NewReno's, as the paper has it. */
#define CC_ENSEMBLE(name, NAME, ...)                                                      \
	SEC("struct_ops/release")                                                         \
	void BPF_PROG(name##_release, struct sock *sk)                                    \
	{                                                                                 \
		cc_leave(sk, PST_SHARING_##NAME);                                         \
	}                                                                                 \
	CC_PROGRAMS(name, sh_##name, PST_##NAME##_LINUX, PST_SENDER_NEWRENO, PST_SHARING_##NAME, \
		    .release = (void *)name##_release)
PST_LINUX_SHARINGS(CC_ENSEMBLE)
