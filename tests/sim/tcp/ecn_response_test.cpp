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
  ecn.agree(true);
  EXPECT_TRUE(ecn.echoed(echo()));
  EXPECT_FALSE(ecn.echoed(Segment{}));
  EXPECT_FALSE(ecn.covers(1));
  ecn.on_echo(5'000);
  EXPECT_TRUE(ecn.covers(5'000));  // an ACK of all that was in flight still echoes it
  EXPECT_FALSE(ecn.covers(5'001));
}

TEST(EcnResponse, SaysOnceThatTheWindowWasReduced) {
  EcnResponse ecn;
  ecn.agree(true);
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

}  // namespace
}  // namespace penstock::tcp
