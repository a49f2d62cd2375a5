// SPDX-License-Identifier: GPL-2.0-only
// What a congestion control may ask of its connection: Reno's recovery (RFC 2581
// section 3.2), samples in recovery (Westwood+), the end of a recovery (Vegas).
#include "sender_steps.h"

namespace penstock::tcp {
namespace {

SenderConfig of(std::uint32_t method, bool sack) {
  SenderConfig c = test_sender();
  c.method = method;
  pst_sender_defaults(method, &c.params);
  c.sack = sack;
  return c;
}

TEST(Reno, OffersNoSack) {
  SenderBench t(of(PST_SENDER_RENO, true));
  t(Open{});
  EXPECT_FALSE(t.take().options & kSackPermitted);
}

TEST(Reno, LeavesItsRecoveryWithTheFirstAckOfNewData) {
  SenderBench t(of(PST_SENDER_RENO, true));
  connect(t);
  t(ExpectBurst{0, 10})(Wait{100})(Ack{0})(Ack{0})(Ack{0})(Skip{})(cwnd_is(8000));
  // A partial ACK: NewReno would send 4000 again and stay; Reno deflates and waits.
  t(Wait{100})(Ack{4000})(cwnd_is(5000))(Nothing{});
  EXPECT_FALSE(t.endpoint.in_recovery());
}

TEST(Reno, HalvesAgainForASecondLossInTheSameWindow) {
  SenderBench t(of(PST_SENDER_RENO, false));
  connect(t);
  t(ExpectBurst{0, 10})(Wait{100})(Ack{0})(Ack{0})(Ack{0})(Skip{})(ssthresh_is(5000));
  t(Wait{100})(Ack{4000})(Nothing{});
  t(Ack{4000})(Ack{4000})(Skip{})(Ack{4000})(ExpectSegment{4000, 1000});
  t(ssthresh_is(2500));
}

// 100 segments per second arrive while the first one is missing: Westwood+ measures them.
TEST(WestwoodPlus, MeasuresInRecovery) {
  for (const bool sack : {true, false}) {
    SenderConfig c = of(PST_SENDER_WESTWOOD_PLUS, sack);
    c.initial_window_segments = 40;
    SenderBench t(c);
    connect(t, sack ? SynAck{}.sack() : SynAck{});  // 100 ms; min_rtt
    t(Skip{})(Wait{100});
    const auto duplicates = [&](std::uint32_t first, std::uint32_t last) {
      for (std::uint32_t k = first; k <= last; ++k) {
        t(Wait{10});
        if (sack) {
          t(Ack{0}.sack(1000, k * 1000));
        } else {
          t(Ack{0});
        }
      }
    };
    duplicates(2, 30);
    EXPECT_TRUE(t.endpoint.in_recovery());
    t(Skip{})(Wait{20})(Ack{30000})(Skip{});
    for (int i = 0; i < 8 && t.endpoint.flight_bytes() > 0; ++i) {
      t(Wait{1000})(Skip{});  // the timer takes the estimate over: 0.1 s at about 100 segments/s
    }
    EXPECT_GT(t.endpoint.ssthresh_bytes(), 8000U);
    EXPECT_LT(t.endpoint.ssthresh_bytes(), 12000U);
  }
}

// After the recovery Vegas begins a round: the first ACK of data sent later ends it.
TEST(Vegas, BeginsANewRoundAfterARecovery) {
  SenderConfig c = of(PST_SENDER_VEGAS, true);
  c.initial_window_segments = 40;
  SenderBench t(c);
  connect(t, SynAck{}.sack());
  t(Skip{})(Wait{100});
  for (const std::uint32_t end : {2000U, 3000U, 4000U}) t(Ack{0}.sack(1000, end));
  EXPECT_TRUE(t.endpoint.in_recovery());
  t(Skip{})(Wait{100})(Ack{42000})(Skip{})(cwnd_is(20000));
  EXPECT_FALSE(t.endpoint.in_recovery());
  // What is acknowledged first was sent after the recovery: 200 ms, of which 100 in a queue.
  t(Wait{200})(Ack{61000})(Skip{})(cwnd_is(19000));
}

}  // namespace
}  // namespace penstock::tcp
