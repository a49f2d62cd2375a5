// SPDX-License-Identifier: GPL-2.0-only
// Two senders of an ensemble, step by step: nis-2004 section 5.3.6.
#include <gtest/gtest.h>

#include "core/describe.h"
#include "sender_steps.h"

namespace penstock::tcp {
namespace {

SenderConfig member(const char* sharing) {
  SenderConfig c = test_sender();
  c.limited_transmit = false;
  c.sharing = pst_sharing_find(sharing);
  pst_sharing_defaults(c.sharing, &c.sharing_params);
  return c;
}

// Two connections of an ensemble that have sent their ten segments each.
struct Two {
  explicit Two(const SenderConfig& config) : first(config), second(config) {
    tells = first.endpoint.share(ensemble);
    second.endpoint.share(ensemble);
    connect(first);
    first(ExpectBurst{0, 10});
    connect(second);
    second(ExpectBurst{0, 10});
  }

  pst_ensemble ensemble{};
  SenderBench first, second;
  bool tells = false;
};

void tell(SenderBench& of) { of.endpoint.on_share(of.now_ns, of); }

TEST(Ensemble, AMemberOfEfcmSendsWhatTheAckOfAnotherGivesIt) {
  Two t(member("efcm"));
  EXPECT_TRUE(t.tells);
  t.first(Ack{1000})(ExpectBurst{10000, 2})(Ack{2000})(ExpectSegment{12000, 1000})(Nothing{});
  tell(t.second);
  t.second(ExpectSegment{10000, 1000})(Nothing{});
  tell(t.second);
  t.second(Nothing{});
}

TEST(Ensemble, WithoutCommonControlNobodyIsTold) {
  Two t(member("fs_tcbi"));
  EXPECT_FALSE(t.tells);
}

TEST(Ensemble, MembersOfEfcmThatLeaveAreFollowedAtOnce) {
  Two t(member("efcm"));
  SenderBench& last = t.second;
  last(Ack{10000})(Skip{});
  const std::uint64_t before = last.endpoint.cwnd_bytes();
  // The first one ends with its window of half of what both have.
  SenderConfig c = member("efcm");
  SenderBench third(c, 1000);
  third.endpoint.share(t.ensemble);
  connect(third);
  third(ExpectSegment{0, 1000}.fin());
  tell(last);
  EXPECT_LT(last.endpoint.cwnd_bytes(), before);
  last(Skip{});
  const std::uint64_t with_it = last.endpoint.cwnd_bytes();
  third(Ack{1001});
  ASSERT_TRUE(third.endpoint.done());
  tell(last);
  EXPECT_GT(last.endpoint.cwnd_bytes(), with_it);
  last(Skip{});
}

TEST(Ensemble, OneInFastRecoveryKeepsItsWindowUntilItIsOver) {
  Two t(member("efcm"));
  t.first(Ack{0})(Ack{0})(Ack{0})(Skip{});
  ASSERT_TRUE(t.first.endpoint.in_recovery());
  const std::uint64_t window = t.first.endpoint.cwnd_bytes();
  t.second(Ack{10000})(Skip{});
  tell(t.first);
  EXPECT_EQ(t.first.endpoint.cwnd_bytes(), window);
}

TEST(Ensemble, PacesByTheWindowOfAllUnderEfcm) {
  for (const bool as_one : {true, false}) {
    SenderConfig c = member(as_one ? "efcm" : "fs_tcbi");
    c.pacing = true;
    c.pacing_burst_segments = 2;
    c.pacing_gain_percent = c.pacing_gain_percent_slow_start = 100;
    pst_ensemble ensemble{};
    SenderBench first(c), second(c);
    first.endpoint.share(ensemble);
    second.endpoint.share(ensemble);
    connect(first);  // SRTT 100 ms, cwnd 10 segments
    first(ExpectBurst{0, 2})(Wait{19.9})(Nothing{});
    connect(second);
    // Two of twenty segments, or of ten.
    const double gap_ms = as_one ? 10 : 20;
    second(ExpectBurst{0, 2})(Wait{gap_ms - 0.1})(Nothing{})(Wait{0.1})(ExpectBurst{2000, 2});
  }
}

// Figure 5.1: half of CWND, of which only four segments are in flight.
TEST(Ensemble, ALossTakesHalfOfTheMembersWindowUnderEfcm) {
  for (const bool of_window : {true, false}) {
    SenderConfig c = member(of_window ? "efcm" : "fs_tcbi");
    pst_ensemble ensemble{};
    SenderBench first(c), second(c, 4000);
    first.endpoint.share(ensemble);
    second.endpoint.share(ensemble);
    connect(first);
    first(Skip{});
    connect(second);
    const std::uint64_t before = ensemble.ssthresh_bytes;
    second(ExpectBurst{0, 3})(ExpectSegment{3000, 1000}.fin())(Wait{2000})(Skip{});
    EXPECT_EQ(ensemble.ssthresh_bytes, before / 2 + (of_window ? 5'000 : 2'000));
  }
}

}  // namespace
}  // namespace penstock::tcp
