// SPDX-License-Identifier: GPL-2.0-only
// What penstock leaves to traffic that it cannot control (R36): 10 Mbit/s, five flows, one of them
// not controlled.
#include <gtest/gtest.h>

#include "core/describe.h"

namespace {

constexpr u64 kBuffer = 97'000, kTick = 10'000'000, kRate = 1'250'000;

class Yield : public testing::Test {
 protected:
  Yield() {
    pst_variant_config(&config_, PST_VARIANT_PENSTOCK, kBuffer);
    queue_.limit_bytes = kBuffer;
    queue_.rate_bytes_per_s = kRate;
    queue_.mss_bytes = 1448;
    queue_.flows_q16 = 5 * PST_Q16_ONE;
    queue_.others_q16 = PST_Q16_ONE;
    queue_.others_fill = true;
    pst_penstock_init(&params(), &state_, &queue_);
  }

  // The others send this, and this stands in the queue.
  void second(double others_mbps, u64 bytes) { ticks(100, others_mbps, bytes); }

  void ticks(int count, double others_mbps, u64 bytes) {
    queue_.others_use_q15 = static_cast<u16>(others_mbps / 10 * 32768);
    queue_.bytes = bytes;
    for (int i = 0; i < count; ++i, queue_.now_ns += kTick) {
      state_.acked_bytes = static_cast<u64>(acked_mbps_ * 1e6 / 8) * kTick / 1'000'000'000;
      pst_penstock_on_tick(&params(), &state_, &queue_);
    }
  }

  // Others that took what was yielded to them.
  void take() {
    second(3.0, target());  // is watched
    second(3.0, target());
    second(4.5, target());
    second(5.0, target());
    ASSERT_EQ(state_.yield_q16, 0U);
  }

  const pst_penstock_params& params() const { return config_.law_params.penstock; }
  u64 target() const { return params().target_bytes; }

  double acked_mbps_ = 0;
  pst_gateway_config config_{};
  pst_penstock_state state_{};
  pst_queue queue_{};
};

TEST_F(Yield, WhatSendsOnAtItsRateIsLeftIt) {
  for (int i = 0; i < 5; ++i) second(8, target());
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(state_.yield_q16, PST_Q16_ONE) << i;
    second(8, target());
  }
}

// What a loss takes from them tells already while they are watched.
TEST_F(Yield, R36WhatBacksOffIsYieldedNothing) {
  ticks(90, 4.0, kBuffer);
  for (int i = 0; i < 10; ++i) {
    second(3.0, kBuffer);
    EXPECT_EQ(state_.yield_q16, 0U) << i;
  }
}

TEST_F(Yield, WhatWasWatchedAndSendsOnIsLeftHalfAndThenAllOfIt) {
  second(8, kBuffer);
  EXPECT_EQ(state_.yield_q16, 0U);
  second(8, kBuffer);
  EXPECT_EQ(state_.yield_q16, PST_Q16_ONE / 2);
  second(8, kBuffer);
  EXPECT_EQ(state_.yield_q16, PST_Q16_ONE);
}

TEST_F(Yield, R36AQueueThatOthersFillLeavesPressedWindowsWhole) {
  take();
  second(5.0, kBuffer);
  EXPECT_EQ(state_.yield_q16, 0U);
  EXPECT_EQ(state_.target_bytes, kBuffer);
  EXPECT_GE(state_.scale_q16, PST_Q16_ONE);
}

TEST_F(Yield, R36OthersStayPressedAsLongAsTheyGiveWay) {
  take();
  for (int i = 0; i < 60; ++i) {
    second(2.6 + 0.5 * (i % 4), kBuffer / 2);
    EXPECT_EQ(state_.yield_q16, 0U) << i;
  }
  for (int i = 0; i < 12; ++i) second(5, kBuffer / 2);
  EXPECT_GT(state_.yield_q16, 0U);
}

// They had the whole link before the controlled flows came, and so cannot take more.
TEST_F(Yield, R36OthersThatFillTheQueueInSpiteOfItArePressed) {
  for (int i = 0; i < 6; ++i) second(9.8, kBuffer);
  EXPECT_EQ(state_.yield_q16, 0U);
  EXPECT_GE(state_.scale_q16, PST_Q16_ONE);
}

// Windows of a fifth of a segment, as flows are many: the queue is at its target on the mean.
TEST_F(Yield, AQueueAboutItsTargetIsNoAnswer) {
  queue_.flows_q16 = 500 * PST_Q16_ONE;
  for (int i = 0; i < 10; ++i) {
    ticks(50, 6, target() / 2);
    ticks(50, 6, target() + 3000);
    if (i >= 3) {
      EXPECT_EQ(state_.yield_q16, PST_Q16_ONE) << i;
    }
  }
}

// A fifth of the rate, which is fair: nothing presses them, and the target is the law's.
TEST_F(Yield, OthersAtTheirFairShareAreNotPressedForEver) {
  acked_mbps_ = 8;
  for (int i = 0; i < 4; ++i) second(2.0, 2 * target());
  EXPECT_EQ(state_.yield_q16, PST_Q16_ONE);
  EXPECT_EQ(state_.target_bytes, target());
}

// Told half of the rate, which the others nearly have: the flows keep what the link has beyond.
TEST_F(Yield, WhatIsInUseIsTheCapacityWhereItIsMoreThanTold) {
  acked_mbps_ = 10;
  queue_.others_use_q15 = 0;
  for (int i = 0; i < 4; ++i) second(9.5, 0);
  EXPECT_EQ(state_.yield_q16, PST_Q16_ONE);
  EXPECT_GT(pst_penstock_give_q16(&state_, &queue_), PST_Q16_ONE / 2);
}

TEST_F(Yield, R37ObservingYieldsNothing) {
  queue_.observed = true;
  for (int i = 0; i < 5; ++i) second(8, target());
  EXPECT_EQ(state_.yield_q16, 0U);
}

// The others, pressed, have half of the rate where a fifth is fair: up to four times the windows.
TEST_F(Yield, R36PressedFlowsMakeUpForWhatALossTakesFromThem) {
  take();
  acked_mbps_ = 5;
  second(5.0, kBuffer);
  EXPECT_GT(state_.factor_q32, PST_Q32_ONE * 5 / 4);
  for (int i = 0; i < 5; ++i) second(5.0, kBuffer);
  EXPECT_EQ(state_.factor_q32, 4 * PST_Q32_ONE);
  acked_mbps_ = 9.5;
  for (int i = 0; i < 9; ++i) second(0.5, kBuffer);
  EXPECT_EQ(state_.factor_q32, PST_Q32_ONE);
}

}  // namespace
