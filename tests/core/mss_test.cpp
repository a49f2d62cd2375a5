// SPDX-License-Identifier: GPL-2.0-only
// The size of segments as data shows it (R31).
#include <gtest/gtest.h>

#include "core/packet/flow.h"

namespace {

struct Flow {
  pst_flow flow{};
  u32 at = 1000;
  Flow() {
    flow.mss_bytes = 8948;
    flow.has_ack = true;
    flow.ack = at;
  }
  void send(u32 bytes, u32 under_way_bytes) {
    pst_flow_on_data(&flow, at, bytes);
    at += bytes;
    flow.ack = at - under_way_bytes;
  }
};

TEST(Mss, R31FollowsAPathThatBecomesNarrower) {
  Flow f;
  for (int i = 0; i < 100; ++i) f.send(8948, 80'000);
  for (int i = 0; i < 100; ++i) f.send(1448, 80'000);
  EXPECT_EQ(f.flow.mss_bytes, 1448U);
  f.send(8948, 80'000);
  EXPECT_EQ(f.flow.mss_bytes, 8948U) << "and wider again";
}

TEST(Mss, R31IsNotWhatAnApplicationWritesAtATime) {
  Flow messages, pieces, odd;
  for (int i = 0; i < 1000; ++i) messages.send(1000, 0);
  for (int i = 0; i < 1000; ++i) pieces.send(100, 80'000);
  for (int i = 0; i < 1000; ++i) odd.send(600 + static_cast<u32>(i % 7), 80'000);
  for (const Flow& f : {messages, pieces, odd}) EXPECT_EQ(f.flow.mss_bytes, 8948U);
}

}  // namespace
