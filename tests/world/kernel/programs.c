/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gateway's programs as the kernel runs them, compiled for the host that runs the tests: a
 * contract that does not hold ends the world. And what the simulated kernel needs of them.
 */
#include "tests/world/kernel/programs.h"

#define PST_REQUIRE(claim) ((claim) ? (void)0 : world_broken(#claim, __FILE__, __LINE__))
#define PST_ENSURE(claim) PST_REQUIRE(claim)

#include "linux/gateway/bpf/gateway.bpf.c"

#define WORLD_MAP(name, kind) \
  {#name,                     \
   &(name),                   \
   kind,                      \
   sizeof(*(name).key),       \
   sizeof(*(name).value),     \
   sizeof(*(name).max_entries) / sizeof(int)}

const struct world_map world_maps[] = {
    WORLD_MAP(flows, WORLD_LRU),
    WORLD_MAP(half_open, WORLD_LRU),
    WORLD_MAP(groups, WORLD_LRU),
    WORLD_MAP(scone_paths, WORLD_LRU),
    WORLD_MAP(held, WORLD_LRU),
    WORLD_MAP(shapes, WORLD_HASH),
    WORLD_MAP(shape_selectors, WORLD_HASH),
    WORLD_MAP(shape_prefixes, WORLD_HASH),
    WORLD_MAP(shared, WORLD_ARRAY),
    WORLD_MAP(fairness, WORLD_ARRAY),
    WORLD_MAP(rates, WORLD_ARRAY),
    WORLD_MAP(clocks, WORLD_ARRAY),
    WORLD_MAP(half_open_slots, WORLD_ARRAY),
    WORLD_MAP(attachment, WORLD_ARRAY),
    WORLD_MAP(shape_cache, WORLD_PER_CPU),
    WORLD_MAP(counters, WORLD_PER_CPU),
    WORLD_MAP(options, WORLD_PER_CPU),
    WORLD_MAP(scratch, WORLD_PER_CPU),
};
const unsigned int world_map_count = sizeof(world_maps) / sizeof(world_maps[0]);

void* const world_constants = (void*)&gw_constants;
void* const world_settings = (void*)&gw_changing;
