/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of the kernel's TCP that a congestion control reads. Their layout is
 * relocated by the running kernel's BTF when the program is loaded, so only these are
 * declared here.
 */
#ifndef PENSTOCK_CC_KERNEL_TCP_H
#define PENSTOCK_CC_KERNEL_TCP_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_tracing.h>

#define CC_NAME_BYTES 16
#define CC_NON_RESTRICTED 1	/* any user may choose it (TCP_CONG_NON_RESTRICTED) */

/* enum tcp_ca_state; a larger one is further from normal. */
enum {
	CC_OPEN = 0,
	CC_CWR = 2,
	CC_RECOVERY = 3,
	CC_LOSS = 4,
};

/* enum tcp_ca_event */
enum {
	CC_EVENT_TX_START = 0,
	CC_EVENT_COMPLETE_CWR = 2,
	CC_EVENT_LOSS = 3,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr {
	union {
		__u32 u6_addr32[4];
	} in6_u;
};

struct net {
	__u64 net_cookie;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct sock_common {
	__u32 skc_daddr;
	unsigned short skc_family;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr;
};

struct sock {
	struct sock_common __sk_common;
};

struct inet_connection_sock {
	__u8 icsk_ca_state : 5;
};

struct minmax_sample {
	__u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u64 bytes_acked;
	__u32 snd_una;
	__u32 snd_nxt;
	__u32 write_seq;
	__u32 snd_wnd;
	__u32 snd_cwnd;
	__u32 snd_ssthresh;
	__u32 prior_cwnd;
	__u32 mss_cache;
	__u32 srtt_us;			/* in eighths of a microsecond */
	__u32 mdev_us;			/* in quarters */
	__u32 sacked_out;
	__u32 lost_out;
	__u32 max_packets_out;
	__u8 is_cwnd_limited : 1;
	struct minmax rtt_min;
};

struct ack_sample {
	__u32 pkts_acked;
	__s32 rtt_us;
	__u32 in_flight;
};

struct tcp_congestion_ops {
	char name[CC_NAME_BYTES];
	__u32 flags;
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	void (*set_state)(struct sock *sk, __u8 new_state);
	void (*cwnd_event)(struct sock *sk, __u32 event);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	__u32 (*undo_cwnd)(struct sock *sk);
};

#pragma clang attribute pop

#endif
