// SPDX-License-Identifier: GPL-2.0-only
// ECN of QUIC: the validation alone, its counts in ACK frames, and both ends.
#include "sim/quic/ecn.h"

#include <gtest/gtest.h>

#include "sim/quic/received_packets.h"
#include "tests/sim/quic/line.h"

namespace penstock::quic {
namespace {

using State = EcnValidation::State;

struct Report {
  std::uint64_t ect0 = 0, ect1 = 0, ce = 0;
};

class Validation : public testing::Test {
 protected:
  void send(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      SentPacket packet{};
      packet.number = sent_.size() + 1;
      packet.bytes = 1'000;
      packet.ect = ecn_.codepoint() != tcp::kNotEct;
      sent_.push_back(packet);
      if (sent_.back().ect) ecn_.on_sent();
    }
  }
  // Acknowledges the next `count`.
  std::uint64_t ack(unsigned count, const Report& report, bool has_counts = true) {
    const std::vector<SentPacket> acked(sent_.begin() + acked_, sent_.begin() + acked_ + count);
    acked_ += count;
    AckFrame frame{};
    frame.largest = acked.back().number;
    frame.has_counts = has_counts;
    frame.counts = {report.ect0, report.ect1, report.ce};
    return ecn_.on_ack(frame, acked);
  }
  EcnValidation ecn_{tcp::kEct0};
  std::vector<SentPacket> sent_;
  unsigned acked_ = 0;
};

TEST_F(Validation, TestsWithTenPacketsAndWaitsForTheirAck) {
  send(12);
  EXPECT_EQ(ecn_.state(), State::kUnknown);
  EXPECT_TRUE(sent_[9].ect);
  EXPECT_FALSE(sent_[10].ect);
  EXPECT_EQ(ack(2, {.ect0 = 2}), 0U);
  EXPECT_EQ(ecn_.state(), State::kCapable);
  EXPECT_EQ(ecn_.codepoint(), tcp::kEct0);
}

TEST_F(Validation, TellsTheMarkedPartOnce) {
  send(10);
  EXPECT_EQ(ack(4, {.ect0 = 3, .ce = 1}), 1'000U);
  EXPECT_EQ(ack(2, {.ect0 = 5, .ce = 1}), 0U);
  EXPECT_EQ(ack(4, {.ect0 = 6, .ce = 4}), 3'000U);
}

TEST_F(Validation, FailsWithoutCounts) {
  send(10);
  ack(2, {}, false);
  EXPECT_EQ(ecn_.state(), State::kFailed);
  EXPECT_EQ(ecn_.codepoint(), tcp::kNotEct);
}

TEST_F(Validation, FailsWhereCodepointsAreCleared) {
  send(10);
  ack(2, {.ect0 = 2});
  ack(2, {.ect0 = 3});
  EXPECT_EQ(ecn_.state(), State::kFailed);
}

TEST_F(Validation, FailsWhereCodepointsAreChanged) {
  send(10);
  ack(2, {.ect0 = 2, .ect1 = 1});
  EXPECT_EQ(ecn_.state(), State::kFailed);
}

TEST_F(Validation, FailsWithCountsOfMoreThanWasSent) {
  send(10);
  ack(2, {.ect0 = 11});
  EXPECT_EQ(ecn_.state(), State::kFailed);
}

TEST_F(Validation, FailsWhereAllOfTheTestIsLost) {
  send(11);
  for (unsigned i = 0; i < 10; ++i) {
    EXPECT_EQ(ecn_.state(), State::kUnknown);
    ecn_.on_lost(sent_[i]);
  }
  EXPECT_EQ(ecn_.state(), State::kFailed);
}

TEST_F(Validation, AnAckOutOfOrderSaysNothing) {
  send(10);
  ack(8, {.ect0 = 8});
  AckFrame older{};
  older.largest = 4;
  EXPECT_EQ(ecn_.on_ack(older, {sent_[9]}), 0U);
  EXPECT_EQ(ecn_.state(), State::kCapable);
}

TEST(QuicEcn, AnAckHasTheCountsBesideItsRanges) {
  tcp::IntervalSet received;
  received.add({0, 3});
  received.add({5, 100});
  const EcnCounts counts{70'000, 3, 20};
  const tcp::Segment plain = ack_packet(1, received, 0);
  const tcp::Segment ack = ack_packet(1, received, 0, &counts);
  EXPECT_EQ(ack.payload_bytes, plain.payload_bytes + 4 + 1 + 1);
  const AckFrame frame = ack_frame(ack, 100);
  ASSERT_TRUE(frame.has_counts);
  EXPECT_EQ(frame.counts.ect0, 70'000U);
  EXPECT_EQ(frame.counts.ect1, 3U);
  EXPECT_EQ(frame.counts.ce, 20U);
  ASSERT_EQ(frame.count, 2U);
  EXPECT_EQ(frame.ranges[1].end, 3U);
  EXPECT_FALSE(ack_frame(plain, 100).has_counts);
}

TEST(QuicEcn, AMarkedPacketIsAcknowledgedAtOnce) {
  tcp::ReceiverConfig config;
  config.delayed_ack_ns = 25 * kMs;
  config.ecn = true;
  ReceivedPackets packets(config);
  packets.add(0, kMs, tcp::kEct0);
  EXPECT_EQ(packets.ack_at_ns(), 26 * kMs);
  packets.acknowledge(0, kMs);
  packets.add(1, 2 * kMs, tcp::kCe);
  EXPECT_EQ(packets.ack_at_ns(), 2 * kMs);
}

tcp::SenderConfig with_ecn() {
  tcp::SenderConfig config = sender_config();
  config.ecn = true;
  return config;
}

TEST(QuicEcn, AMarkHalvesTheWindowOnceInARoundTripAndLosesNothing) {
  Line line(400'000, with_ecn());
  line.gap_ns = kMs;
  std::uint64_t cwnd = 0;
  line.marks = [&](const tcp::Segment& s) -> std::uint8_t {
    if (s.seq != 60 && s.seq != 62) return s.ecn;
    EXPECT_EQ(s.ecn, tcp::kEct0);
    cwnd = line.sender.cwnd_bytes();
    return tcp::kCe;
  };
  line.sender.open(0, line.to_receiver);
  line.run(10 * kSecond);
  EXPECT_TRUE(line.sender.done());
  EXPECT_EQ(line.receiver.counters().ce_received, 2U);
  EXPECT_EQ(line.sender.counters().ecn_reductions, 1U);
  EXPECT_EQ(line.sender.counters().retransmissions, 0U);
  EXPECT_GE(line.sender.ssthresh_bytes(), cwnd / 2);
  EXPECT_LT(line.sender.ssthresh_bytes(), cwnd);
}

TEST(QuicEcn, APathThatClearsItIsUsedWithoutIt) {
  Line line(400'000, with_ecn());
  line.marks = [](const tcp::Segment&) -> std::uint8_t { return tcp::kNotEct; };
  std::uint64_t capable = 0;
  line.loses = [&](const tcp::Segment& s, bool forward) {
    capable += forward && s.ecn;
    return false;
  };
  line.sender.open(0, line.to_receiver);
  line.run(10 * kSecond);
  EXPECT_TRUE(line.sender.done());
  EXPECT_EQ(capable, 10U);
}

TEST(QuicEcn, APathThatDropsItIsUsedWithoutIt) {
  Line line(400'000, with_ecn());
  std::uint64_t capable = 0;
  line.loses = [&](const tcp::Segment& s, bool forward) {
    capable += forward && s.ecn;
    return forward && s.ecn;
  };
  line.sender.open(0, line.to_receiver);
  line.run(100 * kSecond);
  EXPECT_TRUE(line.sender.done());
  EXPECT_EQ(capable, 10U);
}

TEST(QuicEcn, WithoutItNoPacketIsCapable) {
  Line line(400'000);
  line.loses = [](const tcp::Segment& s, bool) {
    EXPECT_EQ(s.ecn, tcp::kNotEct);
    return false;
  };
  line.sender.open(0, line.to_receiver);
  line.run(10 * kSecond);
  EXPECT_TRUE(line.sender.done());
}

}  // namespace
}  // namespace penstock::quic
