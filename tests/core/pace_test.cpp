// SPDX-License-Identifier: GPL-2.0-only
// ACKs that are delayed where flows are too many for windows (beyond): when each may go.
#include <gtest/gtest.h>

#include <vector>

#include "core/describe.h"

namespace {

constexpr u64 kMs = 1'000'000;
constexpr u64 kBuffer = 97'000;

// One whose ACK waits for its turn.
pst_pace_flow waiting() {
  pst_pace_flow flow{};
  flow.waits = true;
  return flow;
}

TEST(Pace, AClockOfTheLinkGivesEachItsTurn) {
  pst_pace clock{};
  std::vector<pst_pace_flow> flows(20, waiting());
  for (u64 i = 0; i < flows.size(); ++i)
    EXPECT_EQ(pst_pace_release_ns(&clock, &flows[i], 5 * kMs, kMs, false), 5 * kMs + i * kMs);
}

TEST(Pace, AHoldGrowsByLessThanATimeoutLeaves) {
  pst_pace clock{};
  pst_pace_flow flow = waiting();
  clock.turn_ns = 2000 * kMs;
  u64 now_ns = 0, before_ns = 0;
  for (int i = 0; i < 5; ++i) {
    clock.turn_ns += 10'000 * kMs;
    const u64 hold_ns = pst_pace_release_ns(&clock, &flow, now_ns, kMs, false) - now_ns;
    EXPECT_EQ(hold_ns, before_ns + 50 * kMs);
    before_ns = hold_ns;
    now_ns += hold_ns + 40 * kMs;
  }
}

TEST(Pace, ASynAckWaitsForItsTurn) {
  pst_pace clock{.turn_ns = 4000 * kMs};
  pst_pace_flow flow = waiting();
  EXPECT_EQ(pst_pace_release_ns(&clock, &flow, 0, 2 * kMs, true), 4000 * kMs);
  EXPECT_EQ(pst_pace_release_ns(&clock, &flow, 10 * kMs, 0, true), 4000 * kMs)
      << "and so does the one that is sent again";
}

TEST(Pace, NoAckOvertakesAnother) {
  pst_pace clock{.turn_ns = 40 * kMs};
  pst_pace_flow flow = waiting(), other = waiting();
  EXPECT_EQ(pst_pace_release_ns(&clock, &flow, 0, kMs, false), 40 * kMs);
  EXPECT_EQ(pst_pace_release_ns(&clock, &flow, 20 * kMs, 0, false), 40 * kMs);
  EXPECT_EQ(pst_pace_release_ns(&clock, &other, 20 * kMs, 0, false), 20 * kMs);
}

TEST(Pace, AnAckThatDoesNotWaitIsBooked) {
  pst_pace clock{.turn_ns = 40 * kMs};
  pst_pace_flow flow{}, opening = waiting();
  EXPECT_EQ(pst_pace_release_ns(&clock, &flow, 20 * kMs, 5 * kMs, false), 20 * kMs);
  EXPECT_EQ(pst_pace_release_ns(&clock, &opening, 20 * kMs, kMs, true), 45 * kMs);
}

TEST(Pace, WhatWasLetOutIsBookedOnce) {
  pst_flow f{};
  f.sent = 5000;
  f.has_sent = true;
  f.mss_bytes = 1000;
  pst_pace_flow p{};
  pst_ack_header h{4000, 2000, false, true};
  EXPECT_EQ(pst_pace_let_out(&p, &f, &h, 2000), 1000U);
  EXPECT_EQ(pst_pace_let_out(&p, &f, &h, 2000), 0U);
  EXPECT_EQ(pst_pace_let_out(&p, &f, &h, 2900), 0U) << "a sender cuts whole segments";
  h.ack = 5000;
  EXPECT_EQ(pst_pace_let_out(&p, &f, &h, 2000), 1000U);
  pst_pace_flow opening{};
  pst_flow fresh{};
  fresh.mss_bytes = 1000;
  h.syn = true;
  EXPECT_EQ(pst_pace_let_out(&opening, &fresh, &h, 65535), 10'000U) << "ten segments, RFC 6928";
}

// C (RTT + 40 ms) + target is 200 kB + 29 kB: 151 segments of 1,514 bytes.
class Law : public testing::Test {
 protected:
  Law() {
    pst_variant_config(&config_, PST_VARIANT_PENSTOCK, kBuffer);
    config_.law_params.penstock.target_ns = PST_MAX_NS;
    q_.limit_bytes = kBuffer;
    q_.rate_bytes_per_s = 2'500'000;
    q_.mss_bytes = 1448;
    q_.bytes = 29'100;
    a_.mss_bytes = 1448;
    a_.rtt_ns = 40 * kMs;
    pst_law_init(config_.law, &config_.law_params, &s_, &q_);
    s_.penstock.rtt_ns_q16 = (40 * kMs) << 16;
  }
  u64 ns(u64 flows, u64 bytes = 1448, u64 booked_ns = 0) {
    q_.flows_q16 = flows << 16;
    return pst_law_pace_ns(config_.law, &config_.law_params, &s_, &q_, &a_, bytes, booked_ns,
                           &waits_);
  }
  pst_gateway_config config_{};
  union pst_law_state s_{};
  pst_queue q_{};
  pst_ack a_{};
  bool waits_ = false;
};

TEST_F(Law, NothingWaitsWhileASegmentOfEachFits) {
  EXPECT_EQ(ns(1), 0U);
  EXPECT_EQ(ns(151), 0U);
  EXPECT_NE(ns(152), 0U);
}

TEST_F(Law, ASegmentTakesItsTimeAndTheQueueComesToItsTarget) {
  const double each = 1514 / 2.5e6 * 1e9;
  EXPECT_NEAR(static_cast<double>(ns(200)), each, 0.01 * each);
  q_.bytes = 0;
  EXPECT_NEAR(static_cast<double>(ns(200)), 7 * each / 8, 0.01 * each);
  q_.bytes = kBuffer;
  EXPECT_NEAR(static_cast<double>(ns(200)), 9 * each / 8, 0.01 * each);
}

// What has been booked counts as queue before it arrives, and what arrives unbooked soon after.
TEST_F(Law, BookingsForeseeTheQueueThatTheyMake) {
  const double each = 1514 / 2.5e6 * 1e9;
  q_.bytes = 0;
  u64 first_ns = ns(1300), sum_ns = first_ns, last_ns = 0;
  for (int i = 1; i < 1000; ++i) sum_ns += last_ns = ns(1300, 1448, sum_ns);
  EXPECT_NEAR(static_cast<double>(first_ns), 7 * each / 8, 0.01 * each);
  EXPECT_NEAR(static_cast<double>(last_ns), each, 0.05 * each);
  // The target ahead of the link's rate, and less than as much again for an error that stays.
  const double ahead = 1000 * 1514 - static_cast<double>(sum_ns) * 2.5e-3;
  EXPECT_GT(ahead, 29'100);
  EXPECT_LT(ahead, 2 * 29'100);
  q_.bytes = kBuffer;
  for (int i = 0; i < 4000; ++i) last_ns = ns(1300, 1448, 700 * kMs);
  // 1/e of the queue's error per round of 740 ms.
  const double slower = 1 + (kBuffer - 29'100) / 2.718 / (2.5e6 * 0.74);
  EXPECT_NEAR(static_cast<double>(last_ns), slower * each, 0.003 * each);
}

// Where those of short RTTs would fill the link, they would otherwise never be booked.
TEST_F(Law, FlowsOfLongRoundTripsAreBookedWithTheOthers) {
  a_.rtt_ns = 400 * kMs;
  EXPECT_NE(ns(152), 0U);
}

// With the segment that the first ACK will let out, as it comes while others wait.
TEST_F(Law, AnOpenerWaitsWhileTheQueueToComeIsAboveTheTarget) {
  const double each = 1514 / 2.5e6 * 1e9;
  a_.opens = true;
  s_.penstock.coming_bytes = s_.penstock.target_bytes;
  EXPECT_EQ(ns(10, 2896), 0U);
  ++s_.penstock.coming_bytes;
  EXPECT_NEAR(static_cast<double>(ns(10, 2896)), 3 * each, 20'000);
  EXPECT_TRUE(waits_);
  a_.opens = false;
  EXPECT_EQ(ns(10), 0U);
}

TEST_F(Law, WhileOpenersWaitOtherAcksAreBookedAndDoNotWait) {
  EXPECT_EQ(ns(10), 0U);
  EXPECT_NE(ns(10, 1448, 20 * kMs), 0U);
  EXPECT_FALSE(waits_);
}

// Those that open count as well: 100 and 60 are more than the 151 that fit.
TEST_F(Law, OpenersThatDoNotFitAreFlowsThatAreTooMany) {
  const double each = 1514 / 2.5e6 * 1e9;
  a_.opens = true;
  s_.penstock.opening = 60;
  EXPECT_NEAR(static_cast<double>(ns(100, 2896)), 2 * each, 20'000);
}

TEST_F(Law, OtherLawsDelayNothing) {
  config_.law = PST_LAW_INTEGRAL;
  EXPECT_EQ(ns(1000), 0U);
}

}  // namespace
