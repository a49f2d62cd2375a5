// SPDX-License-Identifier: GPL-2.0-only
// Responsiveness and quality of outcome at a gateway, against values by hand.
#include "linux/gateway/tool/view/outcome.h"

#include <gtest/gtest.h>

#include <cmath>

namespace penstock::test {
namespace {

constexpr std::uint64_t kSecond = PST_NS_PER_S;

TEST(Outcomes, AreThoseOfTheDraftsByHand) {
  // 20 ms and 10 ms are 2,000 round trips a minute; 50 ms and 10 ms are 1,000.
  auto found = gw::outcome_of({0.02, 0.05}, std::vector(200, 0.01), 0);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->rpm, 1500, 1e-6);
  EXPECT_NEAR(found->qoo_percent, 100, 1e-9);
  // 20 ms and 130 ms are half way from the best to useless, and 1.525 % of loss three quarters.
  found = gw::outcome_of({0.02}, std::vector(200, 0.13), 0);
  EXPECT_NEAR(found->rpm, 400, 1e-6);
  EXPECT_NEAR(found->qoo_percent, 50, 1e-6);
  EXPECT_NEAR(gw::outcome_of({0.02}, std::vector(200, 0.13), 0.01525)->qoo_percent, 25, 1e-6);
}

TEST(Outcomes, TheLongestWaitsCountForNothing) {
  // Of 200 looks ten are the longest 5 %, of which two are the longest 1 %.
  std::vector<double> waits_s(200, 0.01);
  for (int i = 0; i < 10; ++i) waits_s[static_cast<std::size_t>(19 * i)] = i < 2 ? 9 : 0.13;
  const auto found = gw::outcome_of({0.02}, waits_s, 0);
  EXPECT_NEAR(found->rpm, 2000, 1e-6);
  EXPECT_NEAR(found->qoo_percent, 50, 1e-6) << "the 99th percentile is one of 130 ms";
}

TEST(Outcomes, AreNotKnownWithoutAPathAWaitOrData) {
  EXPECT_FALSE(gw::outcome_of({}, {0.01}, 0));
  EXPECT_FALSE(gw::outcome_of({0.02}, {}, 0));
  EXPECT_FALSE(gw::outcome_of({0.02}, {0.01}, std::nan("")));
}

gw::Snapshot snapshot(std::uint64_t at_s, std::uint64_t backlog_bytes, std::uint64_t data_bytes,
                      std::uint64_t again_bytes) {
  gw::Snapshot s;
  s.state = gw::State::kLive;
  s.taken_ns = at_s * kSecond;
  s.attachment.since_ns = 1;
  s.attachment.config.rate_bytes_per_s = 1'000'000;
  s.backlog_bytes = backlog_bytes;
  s.counters.value[GW_COUNT_data_bytes] = data_bytes;
  s.counters.value[GW_COUNT_retransmitted_bytes] = again_bytes;
  return s;
}

TEST(Outcomes, AWindowIsOfTheLastTenSeconds) {
  gw::OutcomeWindow window;
  EXPECT_FALSE(window.outcome({0.02}));
  window.look(snapshot(100, 900'000, 0, 0));
  window.look(snapshot(101, 10'000, 1'000'000, 500'000));
  EXPECT_EQ(window.begin_ns(), 100 * kSecond);
  window.look(snapshot(111, 10'000, 2'000'000, 515'250));
  EXPECT_EQ(window.begin_ns(), 101 * kSecond);
  const auto found = window.outcome({0.02});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->rpm, 2000, 1e-6);
  EXPECT_NEAR(found->qoo_percent, 25, 1e-6) << "15,250 of 1,000,000 bytes came again";
}

TEST(Outcomes, AnotherAttachmentBeginsAnotherWindow) {
  gw::OutcomeWindow window;
  window.look(snapshot(100, 10'000, 1'000'000, 0));
  gw::Snapshot other = snapshot(101, 10'000, 5'000, 0);
  other.attachment.since_ns = 2;
  window.look(other);
  EXPECT_EQ(window.begin_ns(), 101 * kSecond);
  EXPECT_FALSE(window.outcome({0.02})) << "nothing was sent yet";
  other.state = gw::State::kDegraded;
  other.taken_ns += kSecond;
  window.look(other);
  EXPECT_EQ(window.begin_ns(), 101 * kSecond);
}

TEST(Outcomes, APathIsThatOfAFlowThatSends) {
  gw_flow flow{};
  EXPECT_FALSE(gw::path_s(flow, 0)) << "not known";
  flow.gateway.rtt.near_ns = 5'000'000;
  flow.gateway.rtt.far_ns = 20'000'000;
  flow.seen_ns = 7 * kSecond;
  EXPECT_NEAR(gw::path_s(flow, 7 * kSecond).value(), 0.025, 1e-9);
  EXPECT_FALSE(gw::path_s(flow, 8 * kSecond)) << "sent nothing since then";
}

}  // namespace
}  // namespace penstock::test
