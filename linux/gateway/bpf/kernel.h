/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The backlog of a device's root qdisc, from the kernel's own structures. Their layout is
 * relocated by the running kernel's BTF when the program is loaded, so only the fields
 * that are read are declared here.
 *
 * They are read with bpf_probe_read_kernel(), and those that each packet needs by a kfunc, in an
 * object of its own: libbpf looks for a kfunc that the kernel lacks in all modules' BTF, which
 * needs CAP_SYS_ADMIN.
 */
#ifndef PENSTOCK_GATEWAY_KERNEL_H
#define PENSTOCK_GATEWAY_KERNEL_H

#include <bpf/bpf_core_read.h>

#define GW_TCQ_F_MQROOT 8
#define GW_QDISC_BUCKETS_LOG2 4
#define GW_MAX_QDISCS_OF_BUCKET 64

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct gnet_stats_queue {
	u32 backlog;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct Qdisc {
	unsigned int flags;
	struct hlist_node hash;
	u32 handle;
	u32 parent;
	struct gnet_stats_queue qstats;
};

struct netdev_queue {
	struct Qdisc *qdisc;
};

struct net_device {
	struct netdev_queue *_tx;
	unsigned int real_num_tx_queues;
	struct Qdisc *qdisc;
	struct hlist_head qdisc_hash[1 << GW_QDISC_BUCKETS_LOG2];
};

struct sk_buff {
	struct net_device *dev;
};

#pragma clang attribute pop

struct gw_adding {
	u64 first;		/* address of a struct netdev_queue */
	u64 bytes;
};

static long gw_add_backlog(u32 i, struct gw_adding *a)
{
	struct netdev_queue *queue =
		(void *)a->first + (u64)i * bpf_core_type_size(struct netdev_queue);

	a->bytes += BPF_CORE_READ(queue, qdisc, qstats.backlog);
	return 0;
}

/*
 * The root "mq" does not update its own count, but its queues do. Any other root includes
 * the count of its children, and is the qdisc of every queue. A global function, as in forward.h.
 */
__attribute__((noinline)) u64 gw_queues_backlog(u64 device)
{
	struct net_device *dev = (struct net_device *)device;
	struct gw_adding a = { (u64)BPF_CORE_READ(dev, _tx), 0 };
	u32 count = BPF_CORE_READ(dev, real_num_tx_queues);

	bpf_loop(pst_min(count, GW_MAX_TX_QUEUES), gw_add_backlog, &a, 0);
	return a.bytes;
}

/*
 * The qdisc under a class. The kernel hashes a device's qdiscs by their handles, with
 * hash_32(); the default qdisc of a class has none.
 */
__attribute__((noinline)) u64 gw_leaf_backlog(u64 device, u32 handle, u32 parent)
{
	u32 bucket = (handle * 0x61c88647U) >> (32 - GW_QDISC_BUCKETS_LOG2);
	struct hlist_node *node = NULL;
	u32 i;

	bpf_probe_read_kernel(&node, sizeof(node),
			      (void *)device + bucket * sizeof(struct hlist_head) +
			      bpf_core_field_offset(struct net_device, qdisc_hash));
	for (i = 0; i < GW_MAX_QDISCS_OF_BUCKET && node; i++) {
		struct Qdisc *q = (void *)node - bpf_core_field_offset(struct Qdisc, hash);

		if (BPF_CORE_READ(q, parent) == parent &&
		    BPF_CORE_READ(q, handle) == handle)
			return BPF_CORE_READ(q, qstats.backlog);
		node = BPF_CORE_READ(node, next);
	}
	return 0;
}

/*
 * Two reads for each packet. With GW_KERNEL_CASTS, of Linux 6.2, they are loads; else each calls
 * a helper.
 */
#ifdef GW_KERNEL_CASTS
extern void *bpf_rdonly_cast(const void *address, u32 type) __ksym;
#define GW_TYPED(type, address) \
	((type *)bpf_rdonly_cast((const void *)(address), bpf_core_type_id_kernel(type)))
#define GW_READ(from, field) ((from)->field)
#define GW_READER PST_FN
#else
#define GW_TYPED(type, address) ((type *)(address))
#define GW_READ(from, field) BPF_CORE_READ(from, field)
#define GW_READER static __attribute__((noinline))
#endif

/*
 * The sort of the root is read once; the sweep forgets it, since another qdisc may have come to
 * the same address.
 */
GW_READER u64 gw_device_backlog(struct gw_shared *g)
{
	struct net_device *dev;
	struct Qdisc *q;

	if (!g || !g->device)
		return 0;
	dev = GW_TYPED(struct net_device, g->device);
	q = GW_READ(dev, qdisc);
	if (!q)
		return 0;
	if ((u64)q != g->root) {
		g->sums_queues = GW_READ(q, flags) & GW_TCQ_F_MQROOT;
		g->root = (u64)q;
	}
	if (g->sums_queues)
		return gw_queues_backlog(g->device);
	return GW_READ(q, qstats.backlog);
}

PST_FN u64 gw_kernel_device(struct __sk_buff *skb)
{
	return (u64)BPF_CORE_READ((struct sk_buff *)skb, dev);
}

#endif
