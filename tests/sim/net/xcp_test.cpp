// SPDX-License-Identifier: GPL-2.0-only
// XCP in whole runs: what its theory promises, and what becomes of it where a part of the
// path does not speak it.
#include "tests/sim/net/star.h"

namespace penstock::net {
namespace {

Star ten_to_400_ms(bool pacing) {
  Star star;
  for (const std::uint64_t ms : {10, 20, 40, 60, 100, 150, 200, 250, 300, 400})
    star.rtt_ns.push_back(ms * kMs);
  star.pacing = pacing;
  return star;
}

TEST(Xcp, FlowsOfTenTo400MillisecondsGetEqualRatesWithoutALoss) {
  const Result result = build(ten_to_400_ms(true)).run({100 * kSecond, 50 * kSecond});
  EXPECT_LT(unfairness(result), 0.05);
  EXPECT_GT(result.queues[0].utilisation, 0.98);
  EXPECT_EQ(result.queues[0].counters.drops(), 0U);
  EXPECT_LT(result.queues[0].bytes_mean, 50'000);
}

// Bursts of the others make the round trip of the shortest vary, and p grows with its square.
TEST(Xcp, WithoutPacingTheShortestRoundTripGetsATenthMore) {
  const Result result = build(ten_to_400_ms(false)).run({100 * kSecond, 50 * kSecond});
  EXPECT_LT(unfairness(result), 0.12);
  EXPECT_GT(result.queues[0].utilisation, 0.98);
  EXPECT_EQ(result.queues[0].counters.drops(), 0U);
}

TEST(Xcp, AHundredFlowsThatJoinGetTheirPart) {
  Star star;
  star.pacing = true;
  for (std::uint64_t i = 0; i < 120; ++i) {
    star.rtt_ns.push_back((40 + i) * kMs);
    star.start_ns.push_back(i < 20 ? i * 50 * kMs : 30 * kSecond + i * 10 * kMs);
  }
  const Network network = build(star);
  const Result joined = network.run({40 * kSecond, 29 * kSecond});
  EXPECT_EQ(joined.queues[0].counters.drops(), 0U);
  EXPECT_GT(joined.queues[0].utilisation, 0.95);
  const Result steady = network.run({110 * kSecond, 70 * kSecond});
  EXPECT_LT(unfairness(steady), 0.10);  // of windows of three to five segments
  EXPECT_GT(steady.queues[0].utilisation, 0.98);
  EXPECT_EQ(steady.queues[0].counters.drops(), 0U);
}

TEST(Xcp, WithoutTheBottleneckItIsNewReno) {
  const Star plain{.variant = PST_VARIANT_DROPTAIL, .sender = PST_SENDER_NEWRENO};
  const Result newreno = play(plain);
  EXPECT_GT(newreno.queues[0].counters.drops(), 0U);
  Star star{.variant = PST_VARIANT_DROPTAIL};
  expect_same(play(star), newreno);
}

TEST(Xcp, WithoutTheReceiverItIsNewReno) {
  const Star plain{.sender = PST_SENDER_NEWRENO};
  const Star star{.receivers_speak = false};
  expect_same(play(star), play(plain));
}

TEST(Xcp, WithAQueueOnTheWayThatDoesNotSpeakItIsNewReno) {
  const Star plain{.sender = PST_SENDER_NEWRENO, .second_queue = true};
  const Star star{.second_queue = true};
  expect_same(play(star), play(plain));
}

TEST(Xcp, BytesOfItsHeaderCountWhereTheyAreToldTo) {
  const Result without = play({});
  const Result with = play({.count_feedback = true});
  const auto mean = [](const Result& r) {
    const QueueCounters& c = r.queues[0].counters;
    return static_cast<double>(c.arrived_bytes) / static_cast<double>(c.arrivals);
  };
  EXPECT_NEAR(mean(with) - mean(without), 16, 0.1);
}

// FXCP keeps a quarter of the buffer filled, which the round trips hide each other's bursts in.
TEST(Fxcp, FlowsOfTenTo400MillisecondsGetEqualRatesWithoutALoss) {
  for (const bool pacing : {true, false}) {
    Star star = ten_to_400_ms(pacing);
    star.variant = PST_VARIANT_FXCP;
    const Result result = build(star).run({100 * kSecond, 50 * kSecond});
    EXPECT_LT(unfairness(result), 0.05) << pacing;
    EXPECT_GT(result.queues[0].utilisation, 0.999);
    EXPECT_EQ(result.queues[0].counters.drops(), 0U);
    EXPECT_NEAR(result.queues[0].bytes_mean / 1'500'000, 0.27, 0.05);
  }
}

TEST(Fxcp, WithoutTheReceiverItIsNewReno) {
  const Star plain{.variant = PST_VARIANT_FXCP, .sender = PST_SENDER_NEWRENO};
  const Star star{.variant = PST_VARIANT_FXCP, .receivers_speak = false};
  expect_same(play(star), play(plain));
}

}  // namespace
}  // namespace penstock::net
