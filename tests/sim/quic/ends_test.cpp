// SPDX-License-Identifier: GPL-2.0-only
// Both ends of a QUIC connection, with losses.
#include <gtest/gtest.h>

#include <set>

#include "tests/sim/quic/line.h"

namespace penstock::quic {
namespace {

TEST(QuicEnds, AFileArrivesWithoutALossInSlowStart) {
  Line line(100'000);
  line.sender.open(0, line.to_receiver);
  line.run(10 * kSecond);
  EXPECT_TRUE(line.sender.done());
  EXPECT_TRUE(line.receiver.finished());
  EXPECT_EQ(line.receiver.counters().delivered_bytes, 100'000U);
  EXPECT_EQ(line.sender.counters().retransmissions, 0U);
  // The handshake, windows of 10, 20, 40 and the rest, and the delay of the last ACK at most.
  EXPECT_LE(line.now_ns, 5 * 40 * kMs + 25 * kMs);
  EXPECT_EQ(line.sender.rtt().min_ns(), 40 * kMs);
}

TEST(QuicEnds, ALostPacketIsRepairedInANewOneAndHalvesTheWindowOnce) {
  Line line(400'000);
  line.gap_ns = kMs;
  std::uint64_t cwnd = 0;
  std::set<std::uint32_t> numbers;
  line.loses = [&](const tcp::Segment& s, bool forward) {
    if (!forward) return false;
    EXPECT_TRUE(numbers.insert(s.seq).second) << "packet number " << s.seq << " twice";
    const bool lost = is_data(s) && (s.seq == 60 || s.seq == 62);
    if (s.seq == 62) cwnd = line.sender.cwnd_bytes();
    return lost;
  };
  line.sender.open(0, line.to_receiver);
  line.run(10 * kSecond);
  EXPECT_TRUE(line.sender.done());
  EXPECT_EQ(line.sender.counters().retransmissions, 2U);
  EXPECT_EQ(line.sender.counters().fast_recoveries, 1U);
  EXPECT_EQ(line.sender.counters().timeouts, 0U);
  EXPECT_GE(line.sender.ssthresh_bytes(), cwnd / 2);
  EXPECT_LT(line.sender.ssthresh_bytes(), cwnd);
}

TEST(QuicEnds, TheTailIsProbedBecauseNothingFollows) {
  Line line(5'000);  // five packets, the last two of which are lost
  line.loses = [](const tcp::Segment& s, bool forward) {
    return forward && is_data(s) && (s.seq == 4 || s.seq == 5);
  };
  line.sender.open(0, line.to_receiver);
  line.run(10 * kSecond);
  EXPECT_TRUE(line.sender.done());
  EXPECT_EQ(line.sender.counters().timeouts, 1U);
  EXPECT_EQ(line.sender.counters().retransmissions, 2U);
  EXPECT_LT(line.now_ns, kSecond);
}

TEST(QuicEnds, ALostInitialIsSentAgainAfterTheInitialTimeoutAndCostsNoWindow) {
  Line line(10'000);
  line.loses = [](const tcp::Segment& s, bool forward) {
    return forward && !is_data(s) && s.seq == 0;
  };
  line.sender.open(0, line.to_receiver);
  line.run(kSecond + 40 * kMs);
  EXPECT_TRUE(line.sender.established());
  EXPECT_EQ(line.sender.rtt().min_ns(), 40 * kMs);
  EXPECT_EQ(line.sender.cwnd_bytes(), 10U * kDatagramBytes);
  EXPECT_EQ(line.sender.counters().timeouts, 0U);  // as of a SYN
}

// Whatever is lost, in both directions.
TEST(QuicEnds, AllArrivesAtATenthOfLoss) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    Line line(300'000);
    std::uint64_t state = seed;
    line.loses = [&state](const tcp::Segment&, bool) {
      state = state * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
      return (state >> 33) % 10 == 0;
    };
    line.sender.open(0, line.to_receiver);
    line.run(1'000 * kSecond);
    EXPECT_TRUE(line.sender.done()) << seed;
    EXPECT_EQ(line.receiver.counters().delivered_bytes, 300'000U) << seed;
    EXPECT_EQ(line.sender.in_flight_bytes(), 0U) << seed;
  }
}

TEST(QuicEnds, AnOutageIsPersistentCongestion) {
  Line line(4'000'000);
  line.gap_ns = kMs;
  std::uint64_t least = ~0ULL;
  line.loses = [&](const tcp::Segment&, bool) {
    if (line.sender.established()) least = std::min(least, line.sender.cwnd_bytes());
    return line.now_ns > 500 * kMs && line.now_ns < 20 * kSecond;
  };
  line.sender.open(0, line.to_receiver);
  line.run(100 * kSecond);
  EXPECT_TRUE(line.sender.done());
  // Two packets, and what the ACK that shows it acknowledges.
  EXPECT_LE(least, 4U * kDatagramBytes);
  EXPECT_GE(line.sender.counters().timeouts, 4U);
}

// RFC 9000 section 17.4: it changes once in a round trip, at the sender and at the receiver.
TEST(QuicEnds, TheSpinBitTurnsOnceInARoundTrip) {
  Line line(3'000'000);
  line.gap_ns = kMs;
  std::vector<std::uint64_t> edges;
  bool before = false;
  line.loses = [&](const tcp::Segment& s, bool forward) {
    const bool spin = s.flags & kSpin;
    if (forward && is_data(s) && spin != before) {
      edges.push_back(line.now_ns);
      before = spin;
    }
    return false;
  };
  line.sender.open(0, line.to_receiver);
  line.run(400 * kMs);
  ASSERT_GE(edges.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_GE(edges[i] - edges[i - 1], 40 * kMs);
    EXPECT_LE(edges[i] - edges[i - 1], 120 * kMs);
  }
}

// The request, or its ACK, is lost: who waits sends again.
TEST(QuicEnds, AReceiverThatOpensRepeatsWhatIsLost) {
  for (const std::uint32_t lost : {0U, 1U, 2U}) {  // Initial, answer, request
    Line line(10'000);
    line.receiver_config_.opens = true;
    std::uint32_t seen = 0;
    line.loses = [&](const tcp::Segment& s, bool) { return !is_data(s) && seen++ == lost; };
    line.receiver.open(0, line.to_sender);
    line.run(3 * kSecond);
    EXPECT_TRUE(line.sender.done()) << lost;
    EXPECT_EQ(line.receiver.counters().delivered_bytes, 10'000U);
    EXPECT_EQ(line.receiver.next_timer_ns(), tcp::kNever);
    EXPECT_GE(line.now_ns, kSecond) << lost;  // after the initial timeout
  }
}

TEST(QuicEnds, TheSpinBitTurnsWhereTheReceiverOpens) {
  Line line(3'000'000);
  line.receiver_config_.opens = true;
  line.gap_ns = kMs;
  unsigned turns = 0;
  bool before = false;
  line.loses = [&](const tcp::Segment& s, bool forward) {
    const bool spin = s.flags & kSpin;
    if (forward && is_data(s) && spin != before) ++turns, before = spin;
    return false;
  };
  line.receiver.open(0, line.to_sender);
  line.run(400 * kMs);
  EXPECT_GE(turns, 4U);
  EXPECT_LE(turns, 10U);
}

}  // namespace
}  // namespace penstock::quic
