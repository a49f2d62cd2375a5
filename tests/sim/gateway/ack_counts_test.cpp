// SPDX-License-Identifier: GPL-2.0-only
// The counts of a gateway's ACKs alone.
#include "sim/gateway/ack_counts.h"

#include <gtest/gtest.h>

namespace penstock::gateway {
namespace {

pst_rewrite written(std::uint16_t field) {
  pst_rewrite out{};
  out.field = field;
  out.limit = PST_BY_METHOD;
  return out;
}

TEST(AckCounts, ScaleWindowsButThoseOfSyns) {
  AckCounts acks;
  tcp::Segment s{};
  s.window = 100;
  s.flags = tcp::kAck;
  acks.count(s, written(100), 3);
  EXPECT_EQ(acks.last_window_bytes(), 800U);
  EXPECT_EQ(acks.counters().acks_rewritten, 0U);
  s.flags = tcp::kSyn | tcp::kAck;
  acks.count(s, written(50), 3);
  EXPECT_EQ(acks.last_window_bytes(), 50U);
  EXPECT_EQ(acks.counters().acks_seen, 2U);
  EXPECT_EQ(acks.counters().acks_rewritten, 1U);
  EXPECT_EQ(acks.counters().window_bytes_sum, 850U);
  EXPECT_EQ(acks.counters().acks_by[PST_BY_METHOD], 2U);
}

TEST(AckCounts, BeginAnewWithoutForgettingTheWindow) {
  AckCounts acks;
  tcp::Segment s{};
  acks.count(s, written(100), 0);
  acks.begin();
  EXPECT_EQ(acks.counters().acks_seen, 0U);
  EXPECT_EQ(acks.last_window_bytes(), 100U);
}

}  // namespace
}  // namespace penstock::gateway
