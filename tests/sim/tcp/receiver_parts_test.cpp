// SPDX-License-Identifier: GPL-2.0-only
// The parts of a receiver, each alone: its data, its window, its opening, and what it echoes.
#include <gtest/gtest.h>

#include "sim/tcp/advertised_window.h"
#include "sim/tcp/ecn_echo.h"
#include "sim/tcp/feedback_echo.h"
#include "sim/tcp/receive_buffer.h"
#include "sim/tcp/receiver_handshake.h"
#include "sim/tcp/receiver_rtt.h"
#include "tests/sim/times.h"

namespace penstock::tcp {
namespace {

using Arrival = ReceiveBuffer::Arrival;
constexpr std::uint64_t kEdge = 100'001;

TEST(ReceiveBuffer, TakesDataInOrderAndTheFin) {
  const ReceiverConfig config;
  ReceiverCounters counters;
  ReceiveBuffer buffer(config);
  buffer.open();
  EXPECT_EQ(buffer.accept(1, 1'000, false, kEdge, counters), Arrival::kInOrder);
  EXPECT_EQ(buffer.accept(1, 1'000, false, kEdge, counters), Arrival::kNothing);
  EXPECT_EQ(counters.duplicate_bytes, 1'000U);
  EXPECT_EQ(buffer.unread_bytes(), 1'000U);
  EXPECT_EQ(buffer.read(), 1'000U);
  EXPECT_EQ(buffer.accept(1'001, 500, true, kEdge, counters), Arrival::kInOrder);
  EXPECT_TRUE(buffer.finished());
  EXPECT_EQ(buffer.next(), 1'502U);  // the FIN counts
  EXPECT_EQ(buffer.read(), 500U);    // but is not read
}

TEST(ReceiveBuffer, HoldsWhatLiesBeyondAHole) {
  const ReceiverConfig config;
  ReceiverCounters counters;
  ReceiveBuffer buffer(config);
  buffer.open();
  EXPECT_EQ(buffer.accept(2'001, 1'000, false, kEdge, counters), Arrival::kHeld);
  EXPECT_TRUE(buffer.has_holes());
  EXPECT_EQ(buffer.span_bytes(), 3'000U);
  std::array<Interval, 3> blocks;
  ASSERT_EQ(buffer.report(blocks, 3), 1U);
  EXPECT_EQ(blocks[0].start, 2'001U);
  EXPECT_EQ(counters.received_bytes, 1'000U);  // though it cannot be read
  EXPECT_EQ(buffer.accept(1, 2'000, false, kEdge, counters), Arrival::kInOrder);
  EXPECT_EQ(counters.received_bytes, 3'000U);
  EXPECT_EQ(buffer.next(), 3'001U);
  EXPECT_FALSE(buffer.has_holes());
  EXPECT_FALSE(buffer.reports());
}

TEST(ReceiveBuffer, TakesNothingBeyondTheEdge) {
  const ReceiverConfig config;
  ReceiverCounters counters;
  ReceiveBuffer buffer(config);
  buffer.open();
  EXPECT_EQ(buffer.accept(1'001, 1'000, false, 1'001, counters), Arrival::kNothing);
  EXPECT_EQ(buffer.accept(1, 1'500, true, 1'001, counters), Arrival::kInOrder);
  EXPECT_EQ(buffer.next(), 1'001U);
  EXPECT_FALSE(buffer.finished());  // its FIN was beyond
  EXPECT_EQ(counters.out_of_window, 2U);
}

TEST(ReceiveBuffer, CountsAsReceivedWhatComesForTheFirstTime) {
  ReceiverConfig config;
  config.dsack = true;
  ReceiverCounters counters;
  ReceiveBuffer buffer(config);
  buffer.open();
  buffer.accept(1, 1'000, false, kEdge, counters);
  buffer.accept(2'001, 1'000, false, kEdge, counters);
  buffer.accept(1, 1'000, false, kEdge, counters);
  EXPECT_EQ(counters.received_bytes, 2'000U);
  buffer.accept(1'001, 2'000, false, kEdge, counters);  // what is missing, and what is held
  EXPECT_EQ(counters.received_bytes, 3'000U);
  EXPECT_EQ(counters.duplicate_bytes, 2'000U);
}

TEST(ReceiveBuffer, ReportsADuplicateFirstAndOnce) {
  ReceiverConfig config;
  config.dsack = true;
  ReceiverCounters counters;
  ReceiveBuffer buffer(config);
  buffer.open();
  buffer.accept(1, 1'000, false, kEdge, counters);
  buffer.accept(2'001, 1'000, false, kEdge, counters);
  buffer.accept(1, 1'000, false, kEdge, counters);
  std::array<Interval, 3> blocks;
  ASSERT_EQ(buffer.report(blocks, 3), 2U);
  EXPECT_EQ(blocks[0].end, 1'001U);
  EXPECT_EQ(blocks[1].start, 2'001U);
  EXPECT_EQ(buffer.report(blocks, 3), 1U);
}

TEST(AdvertisedWindow, HasTheSmallestScaleThatFitsTheBuffer) {
  ReceiverConfig config;
  config.buffer_bytes = 1'000'000;
  AdvertisedWindow window(config);
  window.choose_scale(true);
  EXPECT_EQ(window.scale(), 4);
  window.choose_scale(false);
  EXPECT_EQ(window.scale(), 0);
}

TEST(AdvertisedWindow, MovesByASegmentAtLeast) {
  ReceiverConfig config;
  config.buffer_bytes = 20'000;
  AdvertisedWindow window(config);
  EXPECT_EQ(window.open(1, 10'000), 10'000);
  EXPECT_FALSE(window.move(1, 10'999, 1'000));
  EXPECT_TRUE(window.move(1, 11'000, 1'000));
  EXPECT_EQ(window.edge(), 11'001U);
  EXPECT_EQ(window.field(2'001), 9'000);
}

TEST(AdvertisedWindow, RoundsUpRatherThanMoveItsEdgeLeft) {
  ReceiverConfig config;
  config.buffer_bytes = 1'000'000;
  AdvertisedWindow window(config);
  window.choose_scale(true);  // units of 16 bytes
  window.open(1, 32'000);
  EXPECT_EQ(window.field(2), 2'000);  // 31,999 bytes are 1,999.9 units
  EXPECT_EQ(window.edge(), 32'002U);
}

TEST(ReceiverHandshake, AnswersOnlyWhatItWasOffered) {
  ReceiverConfig config;
  config.ecn = true;
  ReceiverHandshake opening(config, 77);
  Segment offered{};
  offered.seq = 1'000;
  offered.flags = kSyn;
  offered.options = kMss | kSackPermitted;
  opening.agree_on_options(offered);
  EXPECT_TRUE(opening.sack());
  EXPECT_FALSE(opening.timestamps());
  const Segment answer = opening.syn_ack(0, 0, 0);
  EXPECT_EQ(answer.ack, 1'001U);
  EXPECT_EQ(answer.flags, kSyn | kAck);  // no ECN
  EXPECT_EQ(answer.options, kMss | kSackPermitted);
  EXPECT_EQ(opening.next_seq(), 78U);
}

TEST(ReceiverHandshake, WaitsTwiceAsLongAfterEachLoss) {
  const ReceiverConfig config;
  ReceiverHandshake opening(config, 77);
  EXPECT_FALSE(opening.resent());
  EXPECT_EQ(opening.timeout_ns(), config.initial_rto_ns);
  opening.on_loss();
  EXPECT_TRUE(opening.resent());
  EXPECT_EQ(opening.timeout_ns(), 2 * config.initial_rto_ns);
  for (int i = 0; i < 20; ++i) opening.on_loss();
  EXPECT_EQ(opening.timeout_ns(), 64 * config.initial_rto_ns);
}

TEST(FeedbackEcho, AddsUpTheChangesThatAnAckReturns) {
  const ReceiverConfig config;
  FeedbackEcho feedback(config);
  Segment s{};
  s.options = kExtension;
  s.extension.kind = PST_FEEDBACK_XCP;
  feedback.agree(s);
  ASSERT_TRUE(feedback.used());
  s.extension.delta_bytes = 300;
  feedback.take(s);
  s.extension.delta_bytes = -100;
  feedback.take(s);
  Segment ack{};
  feedback.give(ack, 0);
  EXPECT_EQ(ack.extension.delta_bytes, 200);
  feedback.give(ack, 0);
  EXPECT_EQ(ack.extension.delta_bytes, 0);
}

TEST(FeedbackEcho, EndsBehindARouterWithoutSupport) {
  const ReceiverConfig config;
  FeedbackEcho feedback(config);
  Segment s{};
  s.options = kExtension;
  s.extension.kind = PST_FEEDBACK_XCP;
  feedback.agree(s);
  s.extension.silent_hops = 1;
  feedback.take(s);
  EXPECT_FALSE(feedback.used());
  EXPECT_EQ(feedback.allowed_bytes(1'000, 0), PST_MAX_BYTES);
}

TEST(EcnEcho, IsExactOfWhatAnAckCovers) {
  EcnEcho ecn;
  ecn.agree(true, true);
  Segment plain{}, marked{}, bare{};
  plain.payload_bytes = marked.payload_bytes = 1'000;
  marked.ecn = kCe;
  plain.flags = kCwr;
  EXPECT_FALSE(ecn.turns(plain));
  EXPECT_TRUE(ecn.turns(marked));
  EXPECT_TRUE(ecn.take(marked));
  EXPECT_TRUE(ecn.echoes());
  EXPECT_FALSE(ecn.turns(bare));  // without data, it says nothing of data
  ecn.take(bare);
  EXPECT_TRUE(ecn.echoes());
  EXPECT_TRUE(ecn.turns(plain));
  EXPECT_FALSE(ecn.take(plain));
  EXPECT_FALSE(ecn.echoes());
}

TEST(EcnEcho, OfAnExactReceiverSendsAsItsPeerDoes) {
  EcnEcho exact, classic;
  Segment first{}, marked{};
  first.ecn = kEct1;
  marked.ecn = kCe;
  for (EcnEcho* ecn : {&exact, &classic}) {
    ecn->agree(true, ecn == &exact);
    EXPECT_EQ(ecn->codepoint(), ecn == &exact ? kEct0 : kNotEct);
    ecn->take(first);
    ecn->take(marked);
    EXPECT_EQ(ecn->codepoint(), ecn == &exact ? kEct1 : kNotEct);
  }
}

TEST(EcnEcho, LastsUntilTheSenderHasReduced) {
  EcnEcho ecn;
  Segment marked{}, reduced{};
  marked.ecn = kCe;
  reduced.flags = kCwr;
  EXPECT_FALSE(ecn.take(marked));  // not agreed on
  ecn.agree(true);
  EXPECT_TRUE(ecn.take(marked));
  EXPECT_FALSE(ecn.take(Segment{}));
  EXPECT_TRUE(ecn.echoes());
  ecn.take(reduced);
  EXPECT_FALSE(ecn.echoes());
}

TEST(ReceiverRtt, OfAnEchoCountsOnce) {
  ReceiverRtt rtt;
  Segment s{};
  s.ts_ecr = 2'000;
  std::uint64_t rtt_ns = 0;
  EXPECT_TRUE(rtt.by_echo(s, {}, 5 * kMs, rtt_ns));
  EXPECT_EQ(rtt_ns, 3 * kMs);
  EXPECT_FALSE(rtt.by_echo(s, {}, 6 * kMs, rtt_ns));
}

TEST(ReceiverRtt, OfAWindowIsTheTimeInWhichItArrives) {
  ReceiverRtt rtt;
  std::uint64_t rtt_ns = 0;
  rtt.start_syn(0);
  EXPECT_FALSE(rtt.by_window(1, 10'001, kMs, rtt_ns));  // begins
  EXPECT_FALSE(rtt.by_window(10'000, 20'001, 30 * kMs, rtt_ns));
  EXPECT_TRUE(rtt.by_window(10'001, 20'001, 41 * kMs, rtt_ns));
  EXPECT_EQ(rtt_ns, 40 * kMs);
}

}  // namespace
}  // namespace penstock::tcp
