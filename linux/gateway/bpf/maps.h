/* SPDX-License-Identifier: GPL-2.0-only */
/* The maps, all pinned: they outlive the tool and a change of program. */
#ifndef PENSTOCK_GATEWAY_MAPS_H
#define PENSTOCK_GATEWAY_MAPS_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "core/base.h"

#define PST_STAGES "linux/gateway/bpf/stage.h"
/* Random bits are made for the few packets that need them. */
#define PST_RANDOM_ELSEWHERE
struct pst_queue;
/* The queue is this machine's, but in the objects for those further down and upstream. */
#ifndef GW_DOWN
#define PST_NEVER_UPSTREAM
#endif
#ifdef GW_PASSIVE
#define PST_ALWAYS_PASSIVE
/* Its frames are larger, so a chain of calls has one fewer. */
#define GW_APART PST_FN
#else
#define PST_NEVER_PASSIVE
#define GW_APART static __attribute__((noinline))
#endif
PST_FN u32 pst_queue_random(const struct pst_queue *q);

#include "shared.h"
#include "core/packet/identity.h"
#include "core/packet/stamp.h"

enum gw_clock_id {
	GW_CLOCK_GATEWAY,	/* discipline and law */
	GW_CLOCK_SWEEP,
	GW_CLOCK_COUNT,
};

struct gw_clock {
	struct bpf_timer timer;
};

#define GW_CHUNK_BYTES 512 /* the limit of bpf_csum_diff() on all kernels */

/* What gw_contend() has found so far. */
struct gw_contest {
	u64 best;	/* fit of the chosen one */
	int count;
	u8 chosen;
	u8 last;
};

/* Data too large for the stack, or whose values the verifier is not to follow. */
struct gw_scratch {
	u32 words[GW_CHUNK_BYTES / 4 + 1]; /* the verifier assumes that one more is possible */
	u8 header[PST_TCP_BYTES + PST_OPTION_ROOM];
	struct gw_flow flow;
	struct gw_half_open half_open;
	struct gw_key key;
	struct gw_selector selector;
	struct pst_syn syn;
	struct gw_contest contest;
	struct pst_queue queue;	/* as the current event finds it */
	struct pst_segment segment; /* which passes back */
	struct pst_identity identity; /* of what rules may spare */
	u64 pair;		/* of hosts, a hash, of what is no segment; 0 none */
	struct pst_stamp_scan stamp;
	struct pst_packet packet; /* as a shape names its flow */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, GW_MAX_FLOWS);
	__type(key, struct gw_key);
	__type(value, struct gw_flow);
} flows SEC(".maps");

#ifdef GW_PASSIVE
#define GW_RETURNS 16384U

/* What the ACKs of the flow with that key have waited. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, GW_RETURNS);
	__type(key, struct gw_key);
	__type(value, struct pst_return);
} returns SEC(".maps");
#endif

/* Another connection has the key now. */
PST_FN void gw_forget_returned(const struct gw_key *k)
{
#ifdef GW_PASSIVE
	bpf_map_delete_elem(&returns, k);
#else
	(void)k;
#endif
}

/* Separate, so that a SYN flood evicts other SYNs and no flow (R27). */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, GW_MAX_HALF_OPEN);
	__type(key, struct gw_key);
	__type(value, struct gw_half_open);
} half_open SEC(".maps");

/* Empty where the link is divided by flows. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, GW_MAX_GROUPS);
	__type(key, struct gw_group_key);
	__type(value, struct pst_flow_group);
} groups SEC(".maps");

/* The tool changes `link` in its place. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct gw_shared);
} shared SEC(".maps");

/* By number, as the look-up in a hash table costs more than all else that a shape adds. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct gw_shape);
} shapes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct gw_selector);
	__type(value, u32);
} shape_selectors SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct gw_prefix);
	__type(value, u32);
} shape_prefixes SEC(".maps");

/* A cache of shape_prefixes, whose look-up is slow. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct gw_known_shape);
} shape_cache SEC(".maps");

/*
 * The rate of each flow, for a discipline that uses it: one map for the device's own queue,
 * the others for the flows of all shapes.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct pst_fair_table);
} fairness SEC(".maps");

/* The rate of each flow, for a discipline that labels; flows that share one are rare. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, GW_RATES);
	__type(key, u32);
	__type(value, struct pst_rate);
} rates SEC(".maps");

/* Where advice was written to QUIC's packets, by the hash of their flow. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, GW_MAX_SCONE_PATHS);
	__type(key, u64);
	__type(value, struct pst_scone_path);
} scone_paths SEC(".maps");

/* The flows of which the discipline dropped or marked packets. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, GW_MAX_HELD);
	__type(key, struct gw_held_key);
	__type(value, struct gw_held);
} held SEC(".maps");

/* What each rule spares. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PST_MAX_RULES);
	__type(key, u32);
	__type(value, struct pst_spared);
} spared SEC(".maps");

/* And which flows; where there are more, those of the last packets. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, GW_MAX_SPARED);
	__type(key, struct gw_held_key);
	__type(value, struct gw_spared);
} spared_flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct gw_counts);
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, GW_CLOCK_COUNT);
	__type(key, u32);
	__type(value, struct gw_clock);
} clocks SEC(".maps");

/* Where none waits, a segment of an unknown flow needs no second hash table look-up. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, GW_HALF_OPEN_SLOTS);
	__type(key, u32);
	__type(value, struct gw_slot);
} half_open_slots SEC(".maps");

/* The options of the current SYN. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct pst_options);
} options SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct gw_scratch);
} scratch SEC(".maps");

/* Not read by the programs. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct gw_attachment);
} attachment SEC(".maps");

/*
 * The only object in its section, so that the tool finds it at offset 0. Opaque to the
 * compiler: only the verifier knows the values.
 */
const volatile struct gw_config gw_constants SEC(".rodata.gateway");

PST_FN const struct gw_config *gw_config(void)
{
	const volatile struct gw_config *c = &gw_constants;

	asm volatile("" : "+r"(c));
	return (const struct gw_config *)c;
}

PST_FN const struct pst_gateway_config *gw_gateway_config(void)
{
	return &gw_config()->gateway;
}

/* How many shapes there may be; their rates are given. */
PST_FN u32 gw_max_shapes(void)
{
#ifdef GW_PASSIVE
	return 0;
#else
	return gw_config()->max_shapes;
#endif
}

/*
 * The fields that GW_SETTINGS() names, which the tool may change while the program runs,
 * word by word, and which the verifier does not know; and the time that a test sets. Likewise
 * the only object in its section.
 */
volatile struct gw_config gw_changing SEC(".data.gateway");

PST_FN const struct gw_config *gw_settings(void)
{
	const volatile struct gw_config *c = &gw_changing;

	asm volatile("" : "+r"(c));
	return (const struct gw_config *)c;
}

/* Without a branch where the verifier knows that no test has set it. */
PST_FN u64 gw_now_ns(void)
{
	return gw_config()->time_is_set ? gw_settings()->now_ns : bpf_ktime_get_ns();
}

PST_FN struct gw_shared *gw_shared(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&shared, &zero);
}

/* Where there is room for shapes and none is there, they cost nothing else. */
PST_FN bool gw_has_shapes(void)
{
	struct gw_shared *g;

	if (!gw_max_shapes())
		return false;
	g = gw_shared();
	return g && g->shape_count;
}

PST_FN struct pst_fair_table *gw_fair_table(u32 id)
{
	return bpf_map_lookup_elem(&fairness, &id);
}

PST_FN struct pst_fair_table *gw_fairness(void)
{
	return gw_fair_table(0);
}

/* Of the time of the event, by the secret key; bpf_get_prandom_u32() takes 14 ns. */
PST_FN u32 pst_queue_random(const struct pst_queue *q)
{
	struct pst_fair_table *t = gw_fairness();

	return t ? (u32)pst_fair_hash(t->key ^ q->now_ns) : 0;
}

PST_FN struct gw_counts *gw_counts(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&counters, &zero);
}

/* For counters chosen at run time; the verifier must see the bound on the same value. */
PST_FN void gw_count(struct gw_counts *n, u64 id)
{
	asm volatile("" : "+r"(id));
	if (id < GW_COUNTER_COUNT)
		n->value[id]++;
}

PST_FN struct pst_options *gw_options(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&options, &zero);
}

PST_FN struct gw_scratch *gw_scratch(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&scratch, &zero);
}

#endif
