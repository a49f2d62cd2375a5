/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the gateway's programs and the simulated kernel. */
#ifndef PENSTOCK_WORLD_PROGRAMS_H
#define PENSTOCK_WORLD_PROGRAMS_H

#ifdef __cplusplus
extern "C" {
#endif

enum world_map_kind {
  WORLD_LRU,
  WORLD_HASH,
  WORLD_ARRAY,
  WORLD_PER_CPU,
};

/* A map as the programs declare it. */
struct world_map {
  const char* name;
  const void* address;
  enum world_map_kind kind;
  unsigned int key_bytes;
  unsigned int value_bytes;
  unsigned int max_entries;
};

extern const struct world_map world_maps[];
extern const unsigned int world_map_count;

/* Both are a struct gw_config. */
extern void* const world_constants;
extern void* const world_settings;

struct __sk_buff;
int penstock_forward(struct __sk_buff* skb);
int penstock_reverse(struct __sk_buff* skb);
int penstock_start(struct __sk_buff* skb);

/* A contract that does not hold; does not return. */
#ifdef __cplusplus
[[noreturn]]
#else
__attribute__((noreturn))
#endif
void world_broken(const char* claim, const char* file, int line);

#ifdef __cplusplus
}
#endif

#endif
