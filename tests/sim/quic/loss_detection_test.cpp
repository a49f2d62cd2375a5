// SPDX-License-Identifier: GPL-2.0-only
// RFC 9002 section 6 and 7.6 without a sender: packets leave, ACK frames come.
#include "sim/quic/loss_detection.h"

#include <gtest/gtest.h>

#include "sim/quic/packet.h"
#include "tests/sim/times.h"

namespace penstock::quic {
namespace {

constexpr std::uint64_t kMaxAckDelayNs = 25 * kMs;

AckFrame frame_of(std::initializer_list<tcp::Interval> ranges, std::uint64_t delay_ns = 0) {
  AckFrame frame{};
  frame.largest = ranges.begin()->end - 1;
  frame.delay_ns = delay_ns;
  for (const tcp::Interval& range : ranges) frame.ranges[frame.count++] = range;
  return frame;
}

// A connection whose first round trip took 100 ms.
class LossDetectionTest : public testing::Test {
 protected:
  LossDetectionTest() {
    send(1, 0);
    EXPECT_TRUE(losses_.take_ack(frame_of({{0, 1}}), 100 * kMs));
    losses_.begin(kMaxAckDelayNs);
  }

  void send(unsigned count, std::uint64_t now_ns) {
    for (unsigned i = 0; i < count; ++i) losses_.packets().add({}, 1'000, now_ns);
  }
  std::vector<std::uint64_t> lost() const {
    std::vector<std::uint64_t> numbers;
    for (const SentPacket& p : losses_.lost()) numbers.push_back(p.number);
    return numbers;
  }
  using Numbers = std::vector<std::uint64_t>;

  LossDetection losses_{kSecond};
};

TEST_F(LossDetectionTest, ThreePacketsAboveShowALossAndTwoDoNot) {
  send(5, kSecond);  // 1 to 5
  losses_.take_ack(frame_of({{2, 4}}), kSecond + 100 * kMs);
  EXPECT_EQ(lost(), Numbers{});
  losses_.take_ack(frame_of({{2, 5}}), kSecond + 101 * kMs);
  EXPECT_EQ(lost(), Numbers{1});
  EXPECT_EQ(losses_.packets().in_flight_bytes(), 1'000);
}

TEST_F(LossDetectionTest, NineEighthsOfARoundTripShowALoss) {
  send(1, kSecond);
  send(1, kSecond + 10 * kMs);
  losses_.take_ack(frame_of({{2, 3}}), kSecond + 110 * kMs);
  EXPECT_EQ(lost(), Numbers{});
  EXPECT_EQ(losses_.loss_at_ns(), kSecond + 112'500 * kUs);
  EXPECT_EQ(losses_.pto_at_ns(), tcp::kNever);  // the loss by time comes first
  losses_.look_again(kSecond + 112'500 * kUs - 1);
  EXPECT_EQ(lost(), Numbers{});
  losses_.look_again(kSecond + 112'500 * kUs);
  EXPECT_EQ(lost(), Numbers{1});
  EXPECT_EQ(losses_.loss_at_ns(), tcp::kNever);
}

TEST_F(LossDetectionTest, AProbeTimeoutDoublesUntilSomethingIsAcknowledged) {
  // SRTT 100 ms, RTTVAR 50 ms: 100 + 4 * 50 + 25.
  const std::uint64_t pto_ns = 325 * kMs;
  send(2, kSecond);
  EXPECT_EQ(losses_.pto_at_ns(), kSecond + pto_ns);
  losses_.on_pto();
  EXPECT_EQ(losses_.pto_at_ns(), kSecond + 2 * pto_ns);
  losses_.on_pto();
  send(1, 2 * kSecond);
  EXPECT_EQ(losses_.pto_at_ns(), 2 * kSecond + 4 * pto_ns);
  losses_.take_ack(frame_of({{1, 2}}), 2 * kSecond + 10 * kMs);
  EXPECT_LT(losses_.pto_at_ns(), 2 * kSecond + 4 * pto_ns);
  losses_.take_ack(frame_of({{1, 4}}), 2 * kSecond + 20 * kMs);
  EXPECT_EQ(losses_.pto_at_ns(), tcp::kNever);
}

TEST_F(LossDetectionTest, BeforeARoundTripTheProbeTimeoutIsTheInitialOne) {
  LossDetection fresh(999 * kMs);
  EXPECT_EQ(fresh.pto_at_ns(), tcp::kNever);
  fresh.packets().add({}, 1'200, kSecond);
  EXPECT_EQ(fresh.pto_at_ns(), kSecond + 999 * kMs);
}

// Lost packets of more than three probe timeouts.
TEST_F(LossDetectionTest, CongestionIsPersistentIfNothingBetweenWasAcknowledged) {
  send(1, kSecond);
  send(1, 2 * kSecond);
  send(1, 3 * kSecond);
  send(3, 4 * kSecond);
  losses_.take_ack(frame_of({{6, 7}}), 4 * kSecond + 100 * kMs);
  EXPECT_EQ(lost(), (Numbers{1, 2, 3}));
  EXPECT_TRUE(losses_.persistent());
}

TEST_F(LossDetectionTest, CongestionIsNotPersistentIfOneBetweenWasAcknowledged) {
  send(1, kSecond);
  send(1, 2 * kSecond);
  send(1, 3 * kSecond);
  send(3, 4 * kSecond);
  losses_.take_ack(frame_of({{6, 7}, {2, 3}}), 4 * kSecond + 100 * kMs);
  EXPECT_EQ(lost(), (Numbers{1, 3}));
  EXPECT_FALSE(losses_.persistent());
}

TEST_F(LossDetectionTest, CongestionIsNotPersistentWithinThreeProbeTimeouts) {
  send(1, kSecond);
  send(1, kSecond + 800 * kMs);
  send(3, kSecond + 801 * kMs);
  losses_.take_ack(frame_of({{5, 6}}), kSecond + 901 * kMs);
  EXPECT_EQ(lost(), (Numbers{1, 2}));
  EXPECT_FALSE(losses_.persistent());
}

TEST_F(LossDetectionTest, TheDelayOfAnAckIsNoPartOfTheRoundTripUpToTheMost) {
  send(1, kSecond);
  losses_.take_ack(frame_of({{1, 2}}, 20 * kMs), kSecond + 140 * kMs);
  EXPECT_EQ(losses_.sample_ns(), 140 * kMs);
  EXPECT_EQ(losses_.rtt().smoothed_ns(), 102'500 * kUs);  // 7/8 of 100 and 1/8 of 120
  send(1, 2 * kSecond);
  losses_.take_ack(frame_of({{2, 3}}, 40 * kMs), 2 * kSecond + 180 * kMs);
  EXPECT_EQ(losses_.rtt().smoothed_ns(), 109'062'500);  // of 180 - 25
}

TEST_F(LossDetectionTest, TheDelayNeverTakesARoundTripBelowTheLeast) {
  send(1, kSecond);
  losses_.take_ack(frame_of({{1, 2}}, 20 * kMs), kSecond + 110 * kMs);
  EXPECT_EQ(losses_.rtt().smoothed_ns(), 101'250 * kUs);
}

TEST_F(LossDetectionTest, AnAckWithoutANewLargestShowsNoRoundTrip) {
  send(3, kSecond);
  losses_.take_ack(frame_of({{3, 4}}), kSecond + 100 * kMs);
  losses_.take_ack(frame_of({{2, 4}}), kSecond + 105 * kMs);
  EXPECT_EQ(losses_.acked().size(), 1U);
  EXPECT_EQ(losses_.sample_ns(), 0U);
}

TEST_F(LossDetectionTest, AnAckOfWhatWasNeverSentTellsNothing) {
  send(2, kSecond);
  EXPECT_FALSE(losses_.take_ack(frame_of({{1, 9}}), kSecond + 100 * kMs));
  EXPECT_EQ(losses_.packets().in_flight_bytes(), 2'000);
}

}  // namespace
}  // namespace penstock::quic
