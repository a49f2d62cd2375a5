// SPDX-License-Identifier: GPL-2.0-only
// The sender's part of ECN alone: what counts as an echo, and what new data says.
#include "sim/tcp/ecn_response.h"

#include <gtest/gtest.h>

namespace penstock::tcp {
namespace {

Segment echo() {
  Segment s{};
  s.flags = kAck | kEce;
  return s;
}

TEST(EcnResponse, IsSilentUnlessBothEndsAgreed) {
  EcnResponse ecn;
  Segment data{};
  EXPECT_FALSE(ecn.echoed(echo()));
  ecn.on_reduction();
  ecn.mark(data);
  EXPECT_EQ(data.ecn, kNotEct);
  EXPECT_EQ(data.flags, 0);
}

TEST(EcnResponse, CoversAWindowOfData) {
  EcnResponse ecn;
  ecn.agree(EcnMode::kClassic);
  EXPECT_TRUE(ecn.echoed(echo()));
  EXPECT_FALSE(ecn.echoed(Segment{}));
  EXPECT_FALSE(ecn.covers(1));
  ecn.on_echo(5'000);
  EXPECT_TRUE(ecn.covers(5'000));  // an ACK of all that was in flight still echoes it
  EXPECT_FALSE(ecn.covers(5'001));
}

TEST(EcnResponse, SaysOnceThatTheWindowWasReduced) {
  EcnResponse ecn;
  ecn.agree(EcnMode::kClassic);
  Segment before{}, first{}, second{};
  before.payload_bytes = first.payload_bytes = second.payload_bytes = 1;
  ecn.mark(before);
  EXPECT_EQ(before.flags, 0);
  EXPECT_EQ(before.ecn, kEct0);
  ecn.on_reduction();
  ecn.mark(first);
  ecn.mark(second);
  EXPECT_EQ(first.flags, kCwr);
  EXPECT_EQ(second.flags, 0);
}

// RFC 8257 section 3.5; RFC 3168 section 6.1.5 for the others.
TEST(EcnResponse, OfScalableSendersReachesAllThatIsSent) {
  EcnResponse classic, dctcp, prague, alone;
  classic.agree(EcnMode::kClassic);
  dctcp.agree(EcnMode::kClassic, kEct0, true);
  prague.agree(EcnMode::kClassic, kEct1, true);
  alone.agree(EcnMode::kNone, kEct0, true);
  const auto again = [](const EcnResponse& ecn) {
    Segment s{};
    ecn.mark_again(s);
    return s.ecn;
  };
  EXPECT_EQ(again(classic), kNotEct);
  EXPECT_EQ(again(dctcp), kEct0);
  EXPECT_EQ(again(prague), kEct1);
  EXPECT_EQ(again(alone), kNotEct);
}

TEST(EcnResponse, WithCountersHearsOnlyWhatIsNewlyMarked) {
  EcnResponse ecn;
  ecn.agree(EcnMode::kAccurate);
  EXPECT_FALSE(ecn.echoed(echo()));  // ECE is a bit of a counter
  ecn.hear({1'000, 3'000});
  EXPECT_TRUE(ecn.echoed(Segment{}));
  EXPECT_EQ(ecn.take_share().marked_bytes, 1'000U);
  EXPECT_EQ(ecn.take_share().marked_bytes, 0U);
  EXPECT_TRUE(ecn.echoed(Segment{}));  // of the same ACK
  ecn.hear({0, 2'000});
  EXPECT_FALSE(ecn.echoed(echo()));
  ecn.on_reduction();
  Segment data{}, again{};
  data.payload_bytes = 1;
  ecn.mark(data);
  ecn.mark_again(again);
  EXPECT_EQ(data.flags, 0);  // no CWR
  EXPECT_EQ(data.ecn, kEct0);
  EXPECT_EQ(again.ecn, kEct0);
  ecn.stop();
  ecn.mark(data);
  EXPECT_EQ(data.ecn, kNotEct);
}

}  // namespace
}  // namespace penstock::tcp
