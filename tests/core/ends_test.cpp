// SPDX-License-Identifier: GPL-2.0-only
// The end of a flow as its own ends take it (R35): RFC 5961 section 3, RFC 9293 section 3.6.
#include "core/packet/ends.h"

#include <gtest/gtest.h>

namespace {

struct Flow {
  pst_flow flow{};
  pst_ends ends{};
  Flow() {
    pst_flow_on_isn(&flow, 99);
    pst_flow_on_data(&flow, 100, 900);
    pass(true, PST_TCP_ACK, 1000, 500);
  }
  bool pass(bool forward, u16 flags, u32 seq, u32 ack, u32 payload_bytes = 0) {
    pst_segment s{};
    s.flags = flags;
    s.seq = seq;
    s.ack = ack;
    s.payload_bytes = payload_bytes;
    return pst_ends_on_segment(&ends, &flow, forward, &s);
  }
};

TEST(FlowEnds, WithBothFinsAcknowledged) {
  Flow f;
  EXPECT_FALSE(f.pass(true, PST_TCP_FIN | PST_TCP_ACK, 1000, 500));
  EXPECT_FALSE(f.pass(false, PST_TCP_ACK, 500, 1001));
  EXPECT_FALSE(f.pass(false, PST_TCP_FIN | PST_TCP_ACK, 500, 1001));
  EXPECT_TRUE(f.pass(true, PST_TCP_ACK, 1001, 501));
  EXPECT_FALSE(f.pass(true, PST_TCP_ACK, 1001, 501)) << "only once";
  EXPECT_TRUE(f.ends.over);
}

TEST(FlowEnds, NotWithAFinThatDataFollows) {
  Flow f;
  f.pass(true, PST_TCP_FIN | PST_TCP_ACK, 1000, 500);
  f.pass(true, PST_TCP_ACK, 1000, 500, 100);
  f.pass(false, PST_TCP_FIN | PST_TCP_ACK, 500, 1001);
  EXPECT_FALSE(f.pass(true, PST_TCP_ACK, 1100, 501));
  EXPECT_FALSE(f.ends.over);
}

TEST(FlowEnds, WithAResetOfTheExpectedNumberAlone) {
  for (const bool forward : {true, false}) {
    const u32 expected = forward ? 1000 : 500;
    for (const u32 seq : {expected - 1, expected + 1, expected + (1U << 31), 0U}) {
      Flow f;
      EXPECT_FALSE(f.pass(forward, PST_TCP_RST, seq, 0)) << seq;
    }
    Flow f;
    EXPECT_TRUE(f.pass(forward, PST_TCP_RST, expected, 0));
  }
}

TEST(FlowEnds, AndLivesOnIfDataPasses) {
  Flow f;
  f.pass(true, PST_TCP_RST, 1000, 0);
  EXPECT_TRUE(f.ends.over);
  f.pass(true, PST_TCP_ACK, 1000, 500, 100);
  EXPECT_FALSE(f.ends.over);
}

}  // namespace
