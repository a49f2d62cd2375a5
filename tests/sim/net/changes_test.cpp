// SPDX-License-Identifier: GPL-2.0-only
// Links that change, and links that follow a trace.
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "sim/net/network.h"
#include "sim/net/opportunities.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

constexpr std::uint64_t kChangingRateBps = 8'000'000;  // a byte each microsecond

// Datagrams of 1,000 bytes, headers included, over one link.
struct Line {
  std::vector<LinkChange> changes{};
  std::vector<std::uint32_t> trace_ms{};
  std::uint64_t udp_bps = 4'000'000;
  std::uint64_t stop_ns = kSecond;
  std::uint32_t payload_bytes = 972;
  std::uint64_t queue_bytes = 1'000'000;

  Result run(std::uint64_t until_ns, std::uint64_t warm_up_ns = 0) const {
    Network network(1);
    const std::uint32_t a = network.node("a"), b = network.node("b");
    LinkSpec link{.src = a, .dst = b, .rate_bps = kChangingRateBps, .delay_ns = 10 * kMs};
    link.mtu_bytes = 4'000;
    link.queue_bytes = queue_bytes;
    link.changes = changes;
    if (!trace_ms.empty())
      link.trace_ms = std::make_shared<const std::vector<std::uint32_t>>(trace_ms);
    network.link(link);
    network.udp({.src = a,
                 .dst = b,
                 .rate_bps = udp_bps * 972 / 1000,
                 .payload_bytes = payload_bytes,
                 .stop_ns = stop_ns});
    return network.run({until_ns, warm_up_ns});
  }
};

std::uint64_t delivered(const Result& result) { return result.flows[0].packets_delivered; }

TEST(Change, PacketsThatWaitAreSentAtTheNewRate) {
  // 4 Mbit/s arrive; from 200 ms on 2 Mbit/s leave, from 600 ms on 8 again.
  const Line line{.changes = {{.at_ns = 200 * kMs, .rate_bps = 2'000'000},
                              {.at_ns = 600 * kMs, .rate_bps = 8'000'000}}};
  const Result half = line.run(600 * kMs);
  // 100 packets until 200 ms, then one each 4 ms; what is on the way is 10 ms of it.
  EXPECT_NEAR(static_cast<double>(delivered(half)), 100 + 100 - 3, 2);
  const Result whole = line.run(2 * kSecond);
  EXPECT_EQ(delivered(whole), 500U);
  EXPECT_EQ(whole.queues[0].counters.drops(), 0U);
  // At 600 ms 100 packets wait; the queue loses 4 Mbit/s, so it is empty at 800 ms.
  EXPECT_NEAR(whole.queues[0].delay.max_ns, 200.0 * kMs, 4.0 * kMs);
}

TEST(Change, TheSameRateChangesNothing) {
  const Line plain{.udp_bps = 9'000'000, .queue_bytes = 20'000};
  Line same = plain;
  same.changes = {{.at_ns = 300 * kMs, .rate_bps = kChangingRateBps, .delay_ns = 10 * kMs}};
  const Result a = plain.run(kSecond), b = same.run(kSecond);
  EXPECT_EQ(delivered(a), delivered(b));
  EXPECT_EQ(a.queues[0].counters.drops(), b.queues[0].counters.drops());
  EXPECT_DOUBLE_EQ(a.queues[0].bytes_mean, b.queues[0].bytes_mean);
}

TEST(Change, DelayAndLossHoldFromTheirTime) {
  const Line later{.changes = {{.at_ns = 500 * kMs, .delay_ns = 300 * kMs}}};
  const Result delayed = later.run(790 * kMs);
  EXPECT_NEAR(static_cast<double>(delivered(delayed)), 250, 1);  // none since 510 ms
  const Line lossy{.changes = {{.at_ns = 500 * kMs, .loss_ratio = 0.5},
                               {.at_ns = 700 * kMs, .loss_ratio = 0.0}}};
  const Result lost = lossy.run(2 * kSecond);
  EXPECT_NEAR(static_cast<double>(lost.flows[0].packets_dropped_random), 50, 20);
  EXPECT_EQ(delivered(lost) + lost.flows[0].packets_dropped_random, 500U);
}

TEST(Trace, AnOpportunityTakes1500Bytes) {
  // One each 5 ms: 2.4 Mbit/s of the 4 that are asked for.
  const Line line{.trace_ms = {5, 10, 15, 20}, .stop_ns = 2 * kSecond};
  const Result result = line.run(kSecond);
  EXPECT_NEAR(static_cast<double>(delivered(result)), 1.5 * (990 / 5), 2);
  EXPECT_NEAR(result.queues[0].utilisation, 1.0, 0.02);
}

TEST(Trace, ABurstTakesSeveralAndALargePacketTwo) {
  Line line{.trace_ms = {100, 100, 100, 400}, .stop_ns = 50 * kMs};
  EXPECT_EQ(delivered(line.run(109 * kMs)), 0U);  // 10 ms of delay
  EXPECT_EQ(delivered(line.run(111 * kMs)), 4U);  // 4,500 bytes
  EXPECT_EQ(delivered(line.run(411 * kMs)), 6U);
  line.payload_bytes = 1'972;
  line.stop_ns = 1 * kMs;
  EXPECT_EQ(delivered(line.run(111 * kMs)), 1U);
}

TEST(Trace, RepeatsItselfAndLosesWhatNobodyUses) {
  Opportunities all(
      std::make_shared<const std::vector<std::uint32_t>>(std::vector<std::uint32_t>{2, 2, 5}));
  std::vector<std::uint64_t> ms;
  for (int i = 0; i < 7; ++i, all.pass()) ms.push_back(all.next_ns() / kMs);
  EXPECT_EQ(ms, (std::vector<std::uint64_t>{2, 2, 5, 7, 7, 10, 12}));
  for (const std::uint64_t until_ms : {0, 1, 2, 4, 5, 6, 9, 10, 11, 57, 1'000'000}) {
    Opportunities skipped(
        std::make_shared<const std::vector<std::uint32_t>>(std::vector<std::uint32_t>{2, 2, 5}));
    Opportunities stepped = skipped;
    while (stepped.next_ns() <= until_ms * kMs) stepped.pass();
    skipped.pass_until(until_ms * kMs);
    EXPECT_EQ(skipped.next_ns(), stepped.next_ns()) << until_ms;
    EXPECT_EQ(skipped.passed(), stepped.passed()) << until_ms;
  }
}

TEST(Trace, UtilisationCountsFromTheWarmUp) {
  const Line line{.trace_ms = {1}, .udp_bps = 6'000'000, .stop_ns = 500 * kMs};
  // Half of 12 Mbit/s for 500 ms; the last packet arrives 10 ms later.
  EXPECT_NEAR(line.run(kSecond).queues[0].utilisation, 0.5 * 500 / 510, 0.005);
  EXPECT_NEAR(line.run(kSecond, 400 * kMs).queues[0].utilisation, 0.5 * 100 / 110, 0.01);
}

TEST(Change, WhatMakesNoSenseIsRefused) {
  const auto refused = [](const Line& line) {
    EXPECT_THROW(line.run(kSecond), std::invalid_argument);
  };
  refused({.changes = {{.at_ns = 0, .rate_bps = 1}}});
  refused({.changes = {{.at_ns = 0, .loss_ratio = 1.0}}});
  refused({.changes = {{.at_ns = 0, .rate_bps = 8'000}}, .queue_bytes = 0});
  refused({.changes = {{.at_ns = 0, .rate_bps = 8'000}}, .trace_ms = {1}});
  refused({.trace_ms = {5, 3}});
  refused({.trace_ms = {0}});
}

}  // namespace
}  // namespace penstock::net
