// SPDX-License-Identifier: GPL-2.0-only
// A phantom queue counts what a link would hold, and delays no packet: round trips and windows.
#include <gtest/gtest.h>

#include "core/describe.h"

namespace {

constexpr u64 kMs = 1'000'000;
constexpr u32 kMss = 1448;
constexpr u64 kRate = 2'500'000;  // bytes per second
constexpr u64 kPath = 100'000;    // that times 40 ms
constexpr u64 kTarget = 20'000;

class Phantom : public testing::Test {
 protected:
  Phantom() {
    queue_.limit_bytes = 97'000;
    queue_.rate_bytes_per_s = kRate;
    queue_.mss_bytes = kMss;
    queue_.flows = 1;
    queue_.now_ns = 1000 * kMs;
    queue_.phantom = true;
    pst_variant_config(&config_, PST_VARIANT_PENSTOCK, queue_.limit_bytes);
    pst_port_init(&port_, &queue_);
    state_.law.penstock.target_bytes = kTarget;
  }

  u64 free_bytes(u64 queue_bytes) {
    queue_.bytes = queue_bytes;
    return pst_penstock_free_bytes(&state_.law.penstock, &queue_, kPath + kTarget);
  }

  pst_port port_{};
  pst_gateway_config& config_ = port_.config;
  pst_gateway_state& state_ = port_.state;
  pst_queue queue_{};
};

TEST_F(Phantom, WindowsAddUpToThePathAndHalfOfTheError) {
  EXPECT_EQ(free_bytes(kTarget), kPath);
  EXPECT_EQ(free_bytes(0), kPath + kTarget / 2);
  EXPECT_EQ(free_bytes(kTarget + 30'000), kPath - 15'000);
  queue_.phantom = false;
  EXPECT_EQ(free_bytes(kTarget), kPath + kTarget) << "packets that wait are part of windows";
}

TEST_F(Phantom, WhatABurstWillBringIsStillWithheld) {
  state_.law.penstock.coming_bytes = kTarget + 50'000;
  EXPECT_EQ(free_bytes(0), kPath + kTarget - 50'000);
}

TEST_F(Phantom, RoundTripsHaveNoWaitToTakeOff) {
  for (const bool phantom : {true, false}) {
    pst_gateway_flow f{};
    f.rtt.near_ns = 10 * kMs;
    queue_.phantom = phantom;
    queue_.bytes = 25'000;  // 10 ms
    queue_.now_ns = 2000 * kMs;
    pst_data_header h{};
    h.seq = 1000;
    h.payload_bytes = kMss;
    h.segment_bytes = kMss;
    pst_gateway_forward(&port_, &f, nullptr, &queue_, &h);
    EXPECT_EQ(f.rtt.probe_ns, (phantom ? 2000 : 2010) * kMs);
  }
}

}  // namespace
