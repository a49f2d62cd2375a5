/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In the place of libbpf's header of this name: the helpers that the gateway's programs call,
 * which tests/world/kernel.cpp answers.
 */
#ifndef PENSTOCK_WORLD_BPF_HELPERS_H
#define PENSTOCK_WORLD_BPF_HELPERS_H

#include <linux/bpf.h>

/* The simulated kernel reads types and sizes of the maps from these. */
#define SEC(name)
#define __uint(name, val) int (*name)[val]
#define __type(name, val) __typeof__(val)* name

/* Under names of their own, as libbpf's calls of user space have those of the helpers. */
#define bpf_map_lookup_elem world_lookup
#define bpf_map_update_elem world_update
#define bpf_map_delete_elem world_delete
#define bpf_for_each_map_elem(map, callback, context, flags) \
  world_for_each(map, (world_visitor)(callback), context)
#define bpf_loop(most, step, context, flags) world_loop(most, (world_visitor)(step), context)
#define bpf_ktime_get_ns world_now_ns
#define bpf_get_prandom_u32 world_random
#define bpf_get_hash_recalc world_hash
#define bpf_skb_load_bytes world_load_bytes
#define bpf_skb_store_bytes world_store_bytes
#define bpf_skb_pull_data world_pull_data
#define bpf_skb_ecn_set_ce world_set_ce
#define bpf_skb_ancestor_cgroup_id world_cgroup
#define bpf_l4_csum_replace world_replace_sum
#define bpf_csum_diff world_sum
#define bpf_csum_level world_sum_level
#define bpf_timer_init world_timer_init
#define bpf_timer_set_callback(timer, callback) \
  world_timer_set_callback(timer, (world_visitor)(callback))
#define bpf_timer_start world_timer_start
#define bpf_timer_cancel world_timer_cancel

typedef void (*world_visitor)(void);

void* world_lookup(void* map, const void* key);
long world_update(void* map, const void* key, const void* value, __u64 flags);
long world_delete(void* map, const void* key);
long world_for_each(void* map, world_visitor visitor, void* context);
long world_loop(__u32 most, world_visitor step, void* context);
__u64 world_now_ns(void);
__u32 world_random(void);
__u32 world_hash(struct __sk_buff* skb);
long world_load_bytes(const struct __sk_buff* skb, __u32 offset, void* to, __u32 bytes);
long world_store_bytes(struct __sk_buff* skb, __u32 offset, const void* from, __u32 bytes,
                       __u64 flags);
long world_pull_data(struct __sk_buff* skb, __u32 bytes);
long world_set_ce(struct __sk_buff* skb);
__u64 world_cgroup(struct __sk_buff* skb, int depth);
long world_replace_sum(struct __sk_buff* skb, __u32 offset, __u64 from, __u64 to, __u64 flags);
__s64 world_sum(const void* from, __u32 from_bytes, const void* to, __u32 to_bytes, __u32 seed);
long world_sum_level(struct __sk_buff* skb, __u64 level);
long world_timer_init(struct bpf_timer* timer, void* map, __u64 flags);
long world_timer_set_callback(struct bpf_timer* timer, world_visitor callback);
long world_timer_start(struct bpf_timer* timer, __u64 after_ns, __u64 flags);
long world_timer_cancel(struct bpf_timer* timer);

#endif
