// SPDX-License-Identifier: GPL-2.0-only
// Delivery-rate samples, draft-cheng-iccrg-delivery-rate-estimation-00 section 3, and a sender
// that steers by them.
#include "sim/tcp/delivery.h"

#include "sender_steps.h"
#include "tests/sim/times.h"

namespace penstock::tcp {
namespace {

// Segments of 1000 bytes leave each ms and arrive 100 ms later.
struct Flow {
  Delivery d;
  std::uint64_t sent = 0;

  void send(std::uint64_t at_ms, int segments) {
    for (int i = 0; i < segments; ++i, sent += 1000) {
      d.on_send(sent, sent + 1000, sent == 0, 0, (at_ms + static_cast<std::uint64_t>(i)) * kMs);
    }
  }
  pst_delivery ack(std::uint64_t una, std::uint64_t at_ms) {
    d.begin(0, 0);
    d.on_ack(una, 1000, at_ms * kMs);
    return d.sample(0, at_ms * kMs);
  }
};

TEST(Delivery, MeasuresTheRateOfSendingOrOfAcks) {
  Flow f;
  f.send(0, 10);
  pst_delivery s = f.ack(2000, 101);
  EXPECT_EQ(s.acked_bytes, 2000U);
  EXPECT_EQ(s.total_bytes - s.prior_bytes, 2000U);
  EXPECT_EQ(s.interval_ns, 101 * kMs);  // since the first segment left, when nothing was in flight
  EXPECT_EQ(s.rtt_ns, 100 * kMs);
  f.send(101, 2);
  EXPECT_EQ(f.ack(10'000, 120).total_bytes, 10'000U);
  // 10,000 bytes since the ACK at 101 ms, in 100 ms.
  s = f.ack(12'000, 202);
  EXPECT_EQ(s.total_bytes - s.prior_bytes, 10'000U);
  EXPECT_EQ(s.interval_ns, 101 * kMs);
}

TEST(Delivery, TakesTheLongerOfSendingAndAcksThatComeInABurst) {
  Flow f;
  f.send(0, 50);
  f.ack(1000, 100);
  f.send(100, 20);  // 100 to 119 ms
  EXPECT_EQ(f.ack(50'000, 150).interval_ns, 150 * kMs);
  f.send(150, 1);
  const pst_delivery s = f.ack(70'000, 220);  // ACKed at once, but sent in 20 ms
  EXPECT_EQ(s.interval_ns, 120 * kMs);
}

TEST(Delivery, SkipsASegmentWhoseFirstTransmissionHasArrived) {
  Flow f;
  f.send(0, 1);
  EXPECT_GT(f.ack(1000, 100).interval_ns, 0U);
  f.send(100, 1);
  f.d.on_send(1000, 2000, false, 0, 190 * kMs);
  const pst_delivery s = f.ack(2000, 200);  // 10 ms after the second one left
  EXPECT_EQ(s.rtt_ns, 0U);
  EXPECT_EQ(s.interval_ns, 190 * kMs);
  f.send(300, 1);
  f.d.on_send(2000, 3000, true, 0, 390 * kMs);
  EXPECT_EQ(f.ack(3000, 400).interval_ns, 0U);
}

TEST(Delivery, CountsWhatIsSackedOnce) {
  Flow f;
  f.send(0, 4);
  f.d.begin(0, 0);
  f.d.on_sack({1000, 3000}, 102 * kMs);
  EXPECT_EQ(f.d.sample(0, 102 * kMs).acked_bytes, 2000U);
  f.d.begin(0, 0);
  f.d.on_sack({1000, 4000}, 103 * kMs);
  EXPECT_EQ(f.d.sample(0, 103 * kMs).acked_bytes, 1000U);
  EXPECT_EQ(f.ack(4000, 200).acked_bytes, 1000U);
}

TEST(Delivery, ForgetsWhatWasLostWithoutCountingIt) {
  Flow f;
  f.send(0, 10);
  f.d.begin(0, 0);
  f.d.on_sack({1000, 3000}, 101 * kMs);
  f.d.forget(3000);
  const pst_delivery s = f.d.sample(1000, 101 * kMs);
  EXPECT_EQ(s.acked_bytes, 2000U);
  EXPECT_EQ(s.lost_bytes, 1000U);
  EXPECT_EQ(f.ack(10'000, 120).total_bytes, 9'000U);
}

TEST(Delivery, CountsDuplicatesOnceWithoutSack) {
  Flow f;
  f.send(0, 5);
  f.d.begin(0, 0);
  for (int i = 0; i < 9; ++i) f.d.on_duplicate(1000);  // no more than are in flight but the first
  EXPECT_EQ(f.d.sample(0, 104 * kMs).acked_bytes, 4000U);
  EXPECT_EQ(f.d.duplicate_bytes(), 4000U);
  EXPECT_EQ(f.ack(5000, 200).total_bytes, 5000U);
  EXPECT_EQ(f.d.duplicate_bytes(), 0U);
}

TEST(Delivery, MarksWhatLeavesWhileTheApplicationIsTheLimit) {
  Flow f;
  f.send(0, 2);
  f.d.limit(2000);
  f.send(50, 1);
  EXPECT_FALSE(f.ack(2000, 101).app_limited);
  EXPECT_TRUE(f.ack(3000, 150).app_limited);
  f.send(150, 1);
  EXPECT_FALSE(f.ack(4000, 250).app_limited);
}

// What a method with on_lost hears: the flight in which it left, and how much of it was lost.
TEST(Delivery, NotesEachLostSegmentOnce) {
  Flow f;
  f.d = Delivery(true);
  for (std::uint64_t i = 0; i < 5; ++i)
    f.d.on_send(i * 1000, (i + 1) * 1000, i == 0, (i + 1) * 1000, i * kMs);
  f.d.begin(5000, 0);
  f.d.on_sack({1000, 2000}, 100 * kMs);
  f.d.on_sack({4000, 5000}, 100 * kMs);
  f.d.on_lost({0, 4000});  // all but [1000, 2000), which has arrived
  const auto lost = f.d.take_lost();
  ASSERT_EQ(lost.size(), 3U);
  EXPECT_EQ(lost[0].sent_in_flight_bytes, 1000U);
  EXPECT_EQ(lost[0].lost_bytes, 1000U);
  EXPECT_EQ(lost[2].sent_in_flight_bytes, 4000U);
  EXPECT_EQ(lost[2].lost_bytes, 3000U);
  EXPECT_TRUE(lost[1].begins_range);
  EXPECT_FALSE(lost[2].begins_range);
  EXPECT_TRUE(f.d.take_lost().empty());
  const pst_delivery s = f.d.sample(3000, 100 * kMs);
  EXPECT_EQ(s.newest_in_flight_bytes, 5000U);
  EXPECT_EQ(s.newest_lost_bytes, 3000U);
  f.d.on_send(0, 1000, false, 2000, 101 * kMs);
  f.d.on_lost({0, 1000});
  EXPECT_EQ(f.d.take_lost().at(0).lost_bytes, 1000U);  // since it was sent again
}

SenderConfig bbr() {
  SenderConfig c = test_sender();
  c.method = PST_SENDER_BBR;
  pst_sender_defaults(c.method, &c.params);
  return c;
}

// 100 ms, ten segments: 2.89 * 0.99 times 100 segments per second, two at a time, after the first
// ten, which leave at once.
TEST(Bbr, PacesPairsAfterTheFirstTen) {
  SenderBench t(bbr());
  connect(t, SynAck{}.sack());
  t(ExpectBurst{0, 10})(Nothing{})(Wait{100})(Ack{10'000})(ExpectBurst{10'000, 1});
  t(Nothing{})(Wait{6})(ExpectBurst{11'000, 2})(Nothing{});
}

// Neither the fast retransmit nor the end of the recovery halves anything.
TEST(Bbr, KeepsItsWindowThroughARecovery) {
  for (const bool rack : {false, true}) {
    SenderConfig c = bbr();
    c.rack = rack;
    c.prr = true;
    SenderBench t(c);
    connect(t, SynAck{}.sack());
    t(ExpectBurst{0, 10})(Wait{100})(Ack{0}.sack(1000, 6000));
    EXPECT_TRUE(t.endpoint.in_recovery());
    EXPECT_EQ(t.endpoint.cwnd_bytes(), 9000U);  // four in flight, five delivered
    t(Wait{100})(Skip{})(Ack{10'000})(Skip{});
    EXPECT_FALSE(t.endpoint.in_recovery());
    EXPECT_GE(t.endpoint.cwnd_bytes(), 10'000U);
  }
}

// By RACK, by RFC 6675 and by duplicates: BBR version 3 keeps its window of ten segments, and ends
// Startup, with three bursts of two segments, only where it can learn of one loss at most.
TEST(Bbr3, HearsOfLossesHoweverTheyAreFound) {
  for (const int how : {0, 1, 2}) {
    SenderConfig c = bbr();
    c.method = PST_SENDER_BBR3;
    pst_sender_defaults(c.method, &c.params);
    c.rack = how == 0;
    SenderBench t(c);
    connect(t, how < 2 ? SynAck{}.sack() : SynAck{});
    t(ExpectBurst{0, 10})(Wait{100});
    if (how < 2)
      t(Ack{0}.sack(1000, 6000));
    else
      t(Ack{0})(Ack{0})(Ack{0});
    t(Skip{})(Wait{1});
    EXPECT_TRUE(t.endpoint.in_recovery()) << how;
    if (how < 2)
      EXPECT_GE(t.endpoint.cwnd_bytes(), 10'000U) << how;
    else
      EXPECT_EQ(t.endpoint.cwnd_bytes(), 6'000U);
  }
}

}  // namespace
}  // namespace penstock::tcp
