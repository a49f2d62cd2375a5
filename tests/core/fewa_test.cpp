// SPDX-License-Identifier: GPL-2.0-only
// FEWA's windows over the whole range of its queue.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/describe.h"

namespace {

constexpr u64 kBufferBytes = 99 * 1500;
constexpr int kWindows = 20'000;

TEST(Fewa, WindowsGoFromOneSegmentToThatOfAnEmptyQueue) {
  pst_gateway_config c;
  pst_variant_config(&c, PST_VARIANT_FEWA, kBufferBytes);
  pst_queue q{};
  q.limit_bytes = kBufferBytes;
  q.rate_bytes_per_s = 500'000;
  pst_law_state s;
  pst_law_init(c.law, &c.law_params, &s, &q);
  const pst_ack a{1 << 20, 0, 1460, 1, 0, 0, 0, false, true, false};
  std::mt19937 random(1);
  u64 least = ~0ULL, most = 0;
  for (int i = 0; i < kWindows; ++i) {
    q.now_ns += 10'000'000;
    q.bytes = random() % (kBufferBytes + 1);
    pst_law_tick(c.law, &c.law_params, &s, &q);
    const u64 window = pst_law_ack(c.law, &c.law_params, &s, nullptr, &q, &a);
    least = std::min(least, window);
    most = std::max(most, window);
  }
  EXPECT_EQ(least, 1460U);  // a full buffer
  EXPECT_EQ(most, 99U * 1460);  // an empty one: 15 * log2(99)
}

}  // namespace
