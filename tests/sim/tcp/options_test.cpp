// SPDX-License-Identifier: GPL-2.0-only
// HyStart++ (RFC 9406) and PRR (RFC 6937) as options of a sender.
#include "sender_steps.h"

namespace penstock::tcp {
namespace {

// Flight 20, the first segment lost: halved at once, and in proportion.
SenderConfig of_twenty(bool prr) {
  SenderConfig c = test_sender();
  c.prr = prr;
  c.initial_window_segments = 20;
  c.limited_transmit = false;
  return c;
}

void recover(SenderBench& t) {
  connect(t, SynAck{}.sack());
  t(ExpectBurst{0, 20})(Wait{100})(Ack{0}.sack(1000, 2000))(Ack{0}.sack(1000, 3000));
  t(Ack{0}.sack(1000, 4000))(ssthresh_is(10000))(ExpectSegment{0, 1000});
}

TEST(Prr, SendsASegmentForEverySecondOneThatArrives) {
  SenderBench t(of_twenty(true));
  recover(t);
  // The report that began it counts; what was sent again is the first half of two.
  t(Nothing{})(Ack{0}.sack(1000, 5000))(Nothing{})(Ack{0}.sack(1000, 6000))(Nothing{});
  t(Ack{0}.sack(1000, 7000))(ExpectSegment{20000, 1000});
  t(Ack{0}.sack(1000, 8000))(Nothing{})(Ack{0}.sack(1000, 9000))(ExpectSegment{21000, 1000});
}

TEST(Prr, WithoutItTheSenderWaitsForHalfAWindow) {
  SenderBench t(of_twenty(false));
  recover(t);
  for (std::uint32_t end = 5000; end <= 10000; end += 1000) t(Ack{0}.sack(1000, end))(Nothing{});
}

TEST(Prr, LeavesSsthreshAtTheEnd) {
  SenderBench t(of_twenty(true));
  recover(t);
  for (std::uint32_t end = 5000; end <= 20000; end += 1000) t(Ack{0}.sack(1000, end))(Skip{});
  t(Wait{100})(Ack{20000})(Skip{})(cwnd_is(10000))(ssthresh_is(10000));
  EXPECT_FALSE(t.endpoint.in_recovery());
}

// Round trips of 100 ms, then of 120 ms: a quarter of the growth, and ssthresh after 5 rounds.
TEST(Hystart, LeavesSlowStartWhenRoundTripsGrow) {
  for (const bool on : {false, true}) {
    SenderConfig c = test_sender();
    c.hystart = on;
    c.timestamps = true;
    SenderBench t(c);
    t.window_bytes = 60'000;
    connect(t, SynAck{}.timestamps().window(60'000));
    std::uint32_t acked = 0;
    for (int round = 0; round < 9; ++round) {
      t(Skip{})(Wait{round < 2 ? 100.0 : 120.0});
      const auto flight = static_cast<std::uint32_t>(t.endpoint.flight_bytes());
      for (std::uint32_t k = 0; k < flight / 1000; ++k) {
        const auto sent_us = static_cast<std::uint32_t>(t.now_ns / 1000);
        acked += 1000;
        t(Ack{acked}.echo(sent_us - (round < 2 ? 100'000U : 120'000U)))(Skip{});
      }
    }
    EXPECT_EQ(t.endpoint.ssthresh_bytes() < PST_SSTHRESH_MAX, on);
  }
}

}  // namespace
}  // namespace penstock::tcp
