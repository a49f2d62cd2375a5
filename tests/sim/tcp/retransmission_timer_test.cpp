// SPDX-License-Identifier: GPL-2.0-only
// The timer of a sender alone: RTO, backoff, and what it runs for.
#include "sim/tcp/retransmission_timer.h"
#include "tests/sim/times.h"

#include <gtest/gtest.h>

namespace penstock::tcp {
namespace {

TEST(RetransmissionTimer, RunsForAnRtoWhileDataIsOutstanding) {
  const SenderConfig config;
  RetransmissionTimer timer(config);
  EXPECT_EQ(timer.at_ns(), kNever);
  timer.guard(false, 0);
  EXPECT_EQ(timer.at_ns(), 1'000 * kMs);
  timer.guard(false, 100 * kMs);  // it runs already
  EXPECT_EQ(timer.at_ns(), 1'000 * kMs);
  timer.guard(true, 100 * kMs);
  EXPECT_EQ(timer.at_ns(), 1'100 * kMs);
  EXPECT_FALSE(timer.expired(1'100 * kMs - 1));
  EXPECT_TRUE(timer.expired(1'100 * kMs));
}

TEST(RetransmissionTimer, DoublesTheRtoUntilASample) {
  const SenderConfig config;
  RetransmissionTimer timer(config);
  EXPECT_TRUE(timer.expire());
  EXPECT_FALSE(timer.expire());  // the same segment again
  EXPECT_EQ(timer.rto_ns(), 4'000 * kMs);
  timer.on_progress();
  EXPECT_TRUE(timer.expire());
  EXPECT_EQ(timer.rto_ns(), 8'000 * kMs);
  timer.take_sample(100 * kMs);
  EXPECT_EQ(timer.rto_ns(), 300 * kMs);
}

TEST(RetransmissionTimer, NeverExceedsTheLargestRto) {
  const SenderConfig config;
  RetransmissionTimer timer(config);
  for (int i = 0; i < 300; ++i) timer.expire();
  EXPECT_EQ(timer.rto_ns(), config.max_rto_ns);
}

TEST(RetransmissionTimer, AfterALostSynAsksForThreeSecondsUntilASample) {
  const SenderConfig config;
  RetransmissionTimer timer(config);
  timer.expire();
  timer.fall_back();
  timer.reset();
  EXPECT_EQ(timer.rto_ns(), 3'000 * kMs);
  EXPECT_TRUE(timer.expire());  // the SYN was no data
  timer.take_sample(100 * kMs);
  EXPECT_EQ(timer.rto_ns(), 300 * kMs);
}

TEST(RetransmissionTimer, PersistsWithABackoffOfItsOwn) {
  const SenderConfig config;
  RetransmissionTimer timer(config);
  timer.take_sample(100 * kMs);
  timer.persist(true, 0);
  EXPECT_TRUE(timer.persists());
  EXPECT_EQ(timer.at_ns(), 300 * kMs);
  timer.persist(true, 200 * kMs);  // it runs already
  EXPECT_EQ(timer.at_ns(), 300 * kMs);
  timer.probe_again(300 * kMs);
  EXPECT_EQ(timer.at_ns(), 900 * kMs);
  EXPECT_EQ(timer.rto_ns(), 300 * kMs);
  timer.guard(false, 400 * kMs);  // the window opened, and data left
  EXPECT_FALSE(timer.persists());
  EXPECT_EQ(timer.at_ns(), 700 * kMs);
  timer.persist(false, 500 * kMs);
  EXPECT_EQ(timer.at_ns(), kNever);
}

}  // namespace
}  // namespace penstock::tcp
