/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The connections of this host to another host as an ensemble of core/sharing. A program
 * cannot write another connection's window, so each takes its share at its own next event.
 */
#ifndef PENSTOCK_CC_ENSEMBLE_H
#define PENSTOCK_CC_ENSEMBLE_H

#include "connection.h"

#include "core/sharing/control.h"

#define CC_MOST_ENSEMBLES 65536
#define CC_MOST_REMEMBERED 16384
#define CC_AF_INET6 10

/* The other host, an IPv4 address as IPv6 has it, and the namespace that it is seen from. */
struct cc_path {
	u64 net;
	u32 address[4];
};

struct cc_ensemble {
	struct bpf_spin_lock lock;
	u64 made_ns; /* tells it from an earlier one of the same path */
	struct pst_ensemble shared;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, CC_MOST_ENSEMBLES);
	__type(key, struct cc_path);
	__type(value, struct cc_ensemble);
} cc_ensembles SEC(".maps");

/* Ensembles without members, of methods that cache; what is unused the longest is forgotten. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, CC_MOST_REMEMBERED);
	__type(key, struct cc_path);
	__type(value, struct pst_ensemble);
} cc_remembered SEC(".maps");

struct cc_membership {
	struct cc_path path;
	u64 made_ns;
	struct pst_member member;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct cc_membership);
} cc_memberships SEC(".maps");

const volatile union pst_sharing_params cc_sharing SEC(".rodata.sharing");

enum cc_event {
	CC_JOIN,
	CC_PULL,
	CC_ASK,
	CC_PUSH,
	CC_LEAVE,
};

/* Why a window has changed. */
enum cc_cause {
	CC_ACK,
	CC_CONGESTION,
	CC_TIMEOUT,
};

static __always_inline const union pst_sharing_params *cc_sharing_parameters(void)
{
	const volatile union pst_sharing_params *p = &cc_sharing;

	asm volatile("" : "+r"(p));
	return (const union pst_sharing_params *)p;
}

static __always_inline void cc_path_of(struct sock *sk, struct cc_path *path)
{
	struct sock_common *common = &sk->__sk_common;

	path->net = BPF_CORE_READ(common, skc_net.net, net_cookie);
	if (common->skc_family == CC_AF_INET6 &&
	    bpf_core_field_exists(common->skc_v6_daddr)) {
		for (int i = 0; i < 4; i++)
			path->address[i] = common->skc_v6_daddr.in6_u.u6_addr32[i];
		return;
	}
	path->address[2] = bpf_htonl(0xffff);
	path->address[3] = common->skc_daddr;
}

static __always_inline u8 cc_state(struct tcp_sock *tp)
{
	return BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_state);
}

/* Nothing is unsent or unacknowledged. */
static __always_inline bool cc_is_idle(const struct tcp_sock *tp)
{
	return tp->snd_una == tp->write_seq;
}

static __always_inline void cc_tcb(struct tcp_sock *tp, const struct cc_connection *c,
				   struct pst_tcb *t)
{
	t->cwnd = c->window;
	t->srtt_ns = tp->srtt_us * 1000ULL / 8;
	t->rttvar_ns = tp->mdev_us * 1000ULL / 4;
	t->now_ns = bpf_ktime_get_ns();
	t->mss_bytes = (u32)cc_mss(tp);
	t->idle = cc_is_idle(tp);
}

/* Creates the path's ensemble unless it exists, from the cached state of the last one. */
static __always_inline void cc_make(const struct cc_path *path, u32 sharing)
{
	struct cc_ensemble fresh = {};
	const struct pst_ensemble *before = NULL;

	if (pst_sharing_caches(sharing))
		before = bpf_map_lookup_elem(&cc_remembered, path);
	if (before)
		fresh.shared = *before;
	fresh.made_ns = bpf_ktime_get_ns();
	bpf_map_update_elem(&cc_ensembles, path, &fresh, BPF_NOEXIST);
}

/* The last member of an ensemble has left. */
static __always_inline void cc_forget(const struct cc_path *path,
				      const struct pst_ensemble *last, u32 sharing)
{
	if (pst_sharing_caches(sharing))
		bpf_map_update_elem(&cc_remembered, path, last, BPF_ANY);
	bpf_map_delete_elem(&cc_ensembles, path);
}

/* True if the member has nothing to send, and so no share: its next segment asks for one. */
static __always_inline bool cc_rests(const struct pst_tcb *t, u32 sharing)
{
	return pst_sharing_asks(sharing) && t->idle;
}

static __always_inline void cc_enter(struct cc_ensemble *e, struct cc_membership *m,
				     struct pst_tcb *t, u32 sharing)
{
	const union pst_sharing_params *p = cc_sharing_parameters();

	__builtin_memset(&m->member, 0, sizeof(m->member));
	m->made_ns = e->made_ns;
	pst_sharing_join(sharing, p, &e->shared, &m->member, t);
	if (cc_rests(t, sharing))
		pst_sharing_ask(sharing, p, &e->shared, &m->member, t);
}

/* Any event but that of joining, of a member of this ensemble. */
static __always_inline void cc_apply(struct pst_ensemble *e, struct pst_member *m,
				     struct pst_tcb *t, enum cc_event event, u32 sharing)
{
	const union pst_sharing_params *p = cc_sharing_parameters();

	if (event == CC_PULL)
		pst_sharing_pull(sharing, p, e, m, t);
	else if (event == CC_ASK)
		pst_sharing_ask(sharing, p, e, m, t);
	else if (event == CC_PUSH)
		pst_sharing_push(sharing, p, e, m, t);
	else
		pst_sharing_leave(sharing, p, e, m, t);
}

/*
 * True if the member's ensemble was deleted: the member joined after the last of the others
 * had left, but before the entry was gone.
 */
static __always_inline bool cc_lost(const struct cc_membership *m, const struct cc_ensemble *e)
{
	return m->member.joined && (!e || m->made_ns != e->made_ns);
}

/*
 * An event of the member, with its ensemble locked. A member that left it during a timeout
 * rejoins that of its path, which may be another one: the last member deletes its own. A
 * member whose ensemble was deleted joins that of its path.
 */
static __always_inline void cc_share(struct cc_membership *m, struct pst_tcb *t,
				     enum cc_event event, u32 sharing)
{
	struct cc_ensemble *e = bpf_map_lookup_elem(&cc_ensembles, &m->path);
	bool apart = event == CC_PUSH && pst_sharing_rejoins(sharing) && !m->member.joined;
	bool enters = event == CC_JOIN || (event != CC_LEAVE && cc_lost(m, e));
	struct pst_ensemble last = {};
	bool empty = false;

	if (!e && (enters || (apart && !t->timed_out))) {
		cc_make(&m->path, sharing);
		e = bpf_map_lookup_elem(&cc_ensembles, &m->path);
	}
	if (!e)
		return;
	bpf_spin_lock(&e->lock);
	if (apart)
		m->made_ns = e->made_ns;
	if (enters) {
		cc_enter(e, m, t, sharing);
	} else if (m->made_ns == e->made_ns) {
		cc_apply(&e->shared, &m->member, t, event, sharing);
		empty = event == CC_LEAVE && !e->shared.members;
		if (empty)
			last = e->shared;
		if (event == CC_LEAVE)
			m->made_ns = 0;
	}
	bpf_spin_unlock(&e->lock);
	if (empty)
		cc_forget(&m->path, &last, sharing);
	if (cc_rests(t, sharing))
		t->cwnd.bytes = t->mss_bytes;
}

/* The connection takes the window that the ensemble gives it. */
static __always_inline void cc_settle(struct tcp_sock *tp, struct cc_connection *c,
				      const struct pst_tcb *t)
{
	c->window = t->cwnd;
	tp->snd_cwnd = cc_segments(tp, c->window.bytes, 1);
	if (c->window.ssthresh_bytes != PST_SSTHRESH_MAX)
		tp->snd_ssthresh =
			cc_segments(tp, c->window.ssthresh_bytes, CC_LEAST_SEGMENTS);
}

static __always_inline void cc_join(struct sock *sk, struct cc_connection *c, u32 sharing)
{
	struct cc_membership *m;
	struct pst_tcb t = {};

	if (sharing >= PST_SHARING_COUNT)
		return;
	m = bpf_sk_storage_get(&cc_memberships, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!m)
		return;
	__builtin_memset(m, 0, sizeof(*m));
	cc_path_of(sk, &m->path);
	cc_tcb(cc_tcp(sk), c, &t);
	cc_share(m, &t, CC_JOIN, sharing);
	cc_settle(cc_tcp(sk), c, &t);
}

/*
 * In a recovery the window is the kernel's, and the share waits until that is over. The
 * others have the part of a member that goes idle at once.
 */
static __always_inline void cc_pull(struct sock *sk, struct cc_connection *c, u32 sharing)
{
	struct tcp_sock *tp = cc_tcp(sk);
	bool recovers = cc_state(tp) >= CC_CWR;
	struct cc_membership *m;
	struct pst_tcb t = {};
	bool asks;

	if (sharing >= PST_SHARING_COUNT)
		return;
	m = bpf_sk_storage_get(&cc_memberships, sk, 0, 0);
	if (!m)
		return;
	asks = pst_sharing_asks(sharing) && cc_is_idle(tp) != m->member.idle;
	if (recovers && !asks)
		return;
	cc_take_window(tp, &c->window);
	cc_tcb(tp, c, &t);
	cc_share(m, &t, asks ? CC_ASK : CC_PULL, sharing);
	if (!recovers)
		cc_settle(tp, c, &t);
}

/* The connection's own law has changed its window; the result is in it. */
static __always_inline void cc_push(struct sock *sk, struct cc_connection *c,
				    u64 acked_bytes, enum cc_cause cause, u32 sharing)
{
	struct cc_membership *m;
	struct pst_tcb t = {};

	if (sharing >= PST_SHARING_COUNT)
		return;
	m = bpf_sk_storage_get(&cc_memberships, sk, 0, 0);
	if (!m)
		return;
	cc_tcb(cc_tcp(sk), c, &t);
	t.acked_bytes = cc_rests(&t, sharing) ? 0 : acked_bytes;
	t.congested = cause != CC_ACK;
	t.timed_out = cause == CC_TIMEOUT || cc_state(cc_tcp(sk)) == CC_LOSS;
	cc_share(m, &t, CC_PUSH, sharing);
	c->window = t.cwnd;
}

static __always_inline void cc_leave(struct sock *sk, u32 sharing)
{
	struct cc_membership *m = bpf_sk_storage_get(&cc_memberships, sk, 0, 0);
	struct cc_connection *c = cc_connection_of(sk);
	struct pst_tcb t = {};

	if (!m || !c)
		return;
	cc_take_window(cc_tcp(sk), &c->window);
	cc_tcb(cc_tcp(sk), c, &t);
	cc_share(m, &t, CC_LEAVE, sharing);
}

#endif
