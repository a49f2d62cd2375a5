// SPDX-License-Identifier: GPL-2.0-only
// Observing winds nothing up (R37): a law that integrates starts live as a fresh one.
#include <gtest/gtest.h>

#include "core/describe.h"

namespace {

constexpr u64 kBuffer = 97'000;

pst_queue queue() {
  pst_queue q{};
  q.limit_bytes = kBuffer;
  q.rate_bytes_per_s = 2'500'000;
  q.mss_bytes = 1448;
  return q;
}

u64 allowed(pst_port& port, u64 now_ns) {
  pst_gateway_flow f{};
  pst_queue q = queue();
  q.now_ns = now_ns;
  q.bytes = 29'100;
  pst_ack a{};
  a.window_bytes = 1 << 24;
  a.rtt_ns = 40'000'000;
  a.mss_bytes = 1448;
  return pst_stage_allow(&port, &f, nullptr, &q, &a);
}

class Observe : public testing::TestWithParam<u32> {};
INSTANTIATE_TEST_SUITE_P(Integrators, Observe,
                         testing::Values(u32{PST_VARIANT_INTEGRAL}, u32{PST_VARIANT_AWM},
                                         u32{PST_VARIANT_RWNDQ}, u32{PST_VARIANT_PENSTOCK}));

TEST_P(Observe, R37GoingLiveStartsCalm) {
  for (const u64 level : {u64{0}, kBuffer}) {
    pst_port used{};
    pst_variant_config(&used.config, GetParam(), kBuffer);
    pst_port fresh = used;
    pst_queue q = queue();
    pst_port_init(&used, &q);
    pst_port_init(&fresh, &q);
    used.config.observe = true;
    pst_packet k{};
    k.bytes = 1500;
    for (u64 i = 1; i <= 1000; ++i) {
      q.now_ns = i * 10'000'000;
      q.bytes = level;
      pst_port_accepted(&used, &q, &k);
      pst_port_tick(&used, &q);
    }
    used.config.observe = false;
    // A law may keep what its last tick saw of the queue until the next one.
    q.now_ns += 10'000'000;
    q.bytes = 29'100;
    pst_port_tick(&used, &q);
    pst_port_tick(&fresh, &q);
    EXPECT_EQ(allowed(used, q.now_ns), allowed(fresh, q.now_ns)) << level;
  }
}

}  // namespace
