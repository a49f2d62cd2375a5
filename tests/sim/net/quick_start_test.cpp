// SPDX-License-Identifier: GPL-2.0-only
// Quick-Start and AntiECN in whole runs: what they gain on an idle link, and that they are
// NewReno where a part of the path does not speak them.
#include "tests/sim/net/star.h"

namespace penstock::net {
namespace {

struct Pair {
  std::uint32_t variant, sender;
};
constexpr Pair kQuickStart{PST_VARIANT_QUICK_START, PST_SENDER_QUICK_START_SENDER};
constexpr Pair kAntiEcn{PST_VARIANT_ANTIECN, PST_SENDER_ANTIECN_SENDER};
constexpr Pair kNewReno{PST_VARIANT_DROPTAIL, PST_SENDER_NEWRENO};

Star of(Pair pair, std::size_t flows, std::uint64_t size_bytes) {
  Star star{.variant = pair.variant, .sender = pair.sender, .size_bytes = size_bytes};
  for (std::size_t i = 0; i < flows; ++i) {
    star.rtt_ns.push_back(100 * kMs);
    star.start_ns.push_back(i * 5 * kSecond);
  }
  return star;
}

double seconds(const FlowResult& flow) {
  return static_cast<double>(flow.done_ns - static_cast<std::int64_t>(flow.start_ns)) / 1e9;
}

// 10.24 Mbit/s at 100 ms are 124 kB: the first window has what slow start reaches in the fourth.
TEST(QuickStart, SendsItsFirstWindowAtTheApprovedRate) {
  const Result fast = build(of(kQuickStart, 1, 120'000)).run(10 * kSecond);
  const Result slow = build(of(kNewReno, 1, 120'000)).run(10 * kSecond);
  EXPECT_NEAR(seconds(fast.flows[0]), 0.26, 0.02);  // handshake, a window over a round trip
  EXPECT_GT(seconds(slow.flows[0]), 0.40);
  EXPECT_EQ(fast.queues[0].counters.drops(), 0U);
  EXPECT_LT(fast.queues[0].bytes_max, 5'000);  // spread, not in a burst
}

TEST(QuickStart, ABusyLinkApprovesNothing) {
  Star star = of(kQuickStart, 2, 1ULL << 40);
  star.start_ns = {0, 20 * kSecond};
  star.queue_bytes = 600'000;
  const Network network = build(star);
  const Result before = network.run(20 * kSecond);
  EXPECT_GT(before.queues[0].utilisation, 0.8);
  const Result after = network.run(20 * kSecond + 200 * kMs);  // a round trip of data
  EXPECT_LE(after.flows[1].sender.segments_sent, 10U);
}

TEST(AntiEcn, FillsAnIdleLinkFasterAfterALoss) {
  for (const std::uint64_t queue_bytes : {100'000U, 300'000U}) {
    Star star = of(kAntiEcn, 1, 1ULL << 40);
    star.queue_bytes = queue_bytes;
    Star plain = of(kNewReno, 1, 1ULL << 40);
    plain.queue_bytes = queue_bytes;
    const auto bytes = [](const Star& each) {
      return static_cast<double>(build(each).run(60 * kSecond).flows[0].receiver.delivered_bytes);
    };
    EXPECT_GT(bytes(star), 1.05 * bytes(plain)) << queue_bytes;
  }
}

class SilentEnds : public testing::TestWithParam<Pair> {};

TEST_P(SilentEnds, AreNewRenoWhereAPartDoesNotSpeak) {
  const auto [variant, sender] = GetParam();
  const Star silent_router{.variant = PST_VARIANT_DROPTAIL, .sender = sender};
  expect_same(play(silent_router),
              play({.variant = PST_VARIANT_DROPTAIL, .sender = PST_SENDER_NEWRENO}));
  const Star silent_receiver{.variant = variant, .sender = sender, .receivers_speak = false};
  expect_same(play(silent_receiver), play({.variant = variant, .sender = PST_SENDER_NEWRENO}));
  const Star second{.variant = variant, .sender = sender, .second_queue = true};
  expect_same(play(second),
              play({.variant = variant, .sender = PST_SENDER_NEWRENO, .second_queue = true}));
}

INSTANTIATE_TEST_SUITE_P(All, SilentEnds, testing::Values(kQuickStart, kAntiEcn));

}  // namespace
}  // namespace penstock::net
