// SPDX-License-Identifier: GPL-2.0-only
// QUIC's packets and ACK frames, and the parts of its ends alone.
#include <gtest/gtest.h>

#include "sim/quic/packet.h"
#include "sim/quic/received_packets.h"
#include "sim/quic/send_stream.h"
#include "tests/sim/times.h"

namespace penstock::quic {
namespace {

using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Ranges ranges_of(const tcp::Segment& ack, std::uint64_t near = 0) {
  const AckFrame frame = ack_frame(ack, near);
  Ranges found;
  for (unsigned i = 0; i < frame.count; ++i)
    found.emplace_back(frame.ranges[i].start, frame.ranges[i].end);
  return found;
}

TEST(QuicPacket, AnAckHasItsRangesFromTheHighestDown) {
  tcp::IntervalSet received;
  received.add({0, 3});
  received.add({5, 100});
  received.add({30'000, 30'001});
  const tcp::Segment ack = ack_packet(7, received, 8'123'000);
  EXPECT_EQ(ranges_of(ack, 30'000), (Ranges{{30'000, 30'001}, {5, 100}, {0, 3}}));
  EXPECT_EQ(ack_frame(ack, 30'000).delay_ns, 8'120'000U);  // in units of 8 us
  // Type, largest 4, delay 2, count 1, first 1; gaps and lengths 4 + 2 and 1 + 1.
  EXPECT_EQ(ack.payload_bytes, kProtectionBytes + 9 + 8);
}

TEST(QuicPacket, AnAckKeepsTheHighestRangesThatFit) {
  tcp::IntervalSet received;
  for (std::uint64_t n = 0; n < 100; n += 2) received.add({n, n + 1});
  const Ranges found = ranges_of(ack_packet(0, received, 0), 98);
  ASSERT_EQ(found.size(), kMostRanges);
  EXPECT_EQ(found.front(), (Ranges::value_type{98, 99}));
  EXPECT_EQ(found.back(), (Ranges::value_type{74, 75}));
}

TEST(QuicPacket, NumbersGoOnBeyond32Bits) {
  tcp::IntervalSet received;
  const std::uint64_t last = (1ULL << 32) + 5;
  received.add({last - 10, last + 1});
  EXPECT_EQ(ranges_of(ack_packet(0, received, 0), last + 3), (Ranges{{last - 10, last + 1}}));
}

TEST(QuicPacket, AFullPacketHasItsOverheadAndTheRestOfTheStream) {
  SendStream stream(1 << 20, true);
  const tcp::Interval first = stream.take(1'448).range;
  EXPECT_EQ(first.end, 1'448U - 29 - 2);
  EXPECT_EQ(data_packet(0, first, false).payload_bytes, 1'448);
  const tcp::Interval second = stream.take(1'448).range;
  EXPECT_EQ(data_packet(1, second, false).payload_bytes, 1'448);
  EXPECT_EQ(stream_offset(data_packet(1, second, false)), first.end);
}

class ReceivedPacketsTest : public testing::Test {
 protected:
  ReceivedPacketsTest() { config_.delayed_ack_ns = 25 * kMs; }
  tcp::ReceiverConfig config_;
  ReceivedPackets packets_{config_};
};

TEST_F(ReceivedPacketsTest, EverySecondPacketIsAcknowledgedAtOnce) {
  EXPECT_TRUE(packets_.add(0, kMs));
  EXPECT_EQ(packets_.ack_at_ns(), 26 * kMs);
  EXPECT_TRUE(packets_.add(1, 3 * kMs));
  EXPECT_EQ(packets_.ack_at_ns(), 3 * kMs);
  EXPECT_EQ(ranges_of(packets_.acknowledge(0, 3 * kMs)), (Ranges{{0, 2}}));
  EXPECT_EQ(packets_.ack_at_ns(), tcp::kNever);
}

TEST_F(ReceivedPacketsTest, ALonePacketWaitsForTheMostDelayAndTheAckSaysSo) {
  packets_.add(0, kMs);
  const tcp::Segment ack = packets_.acknowledge(0, 26 * kMs);
  EXPECT_EQ(ack_frame(ack, 0).delay_ns, 25 * kMs);
}

TEST_F(ReceivedPacketsTest, APacketOutOfOrderIsAcknowledgedAtOnce) {
  packets_.add(0, kMs);
  packets_.acknowledge(0, kMs);
  packets_.add(2, 2 * kMs);  // 1 is missing
  EXPECT_EQ(packets_.ack_at_ns(), 2 * kMs);
  packets_.acknowledge(1, 2 * kMs);
  packets_.add(1, 3 * kMs);  // late
  EXPECT_EQ(packets_.ack_at_ns(), 3 * kMs);
  EXPECT_EQ(ranges_of(packets_.acknowledge(2, 3 * kMs)), (Ranges{{0, 3}}));
}

TEST_F(ReceivedPacketsTest, ADuplicateIsNotNew) {
  EXPECT_TRUE(packets_.add(0, kMs));
  EXPECT_FALSE(packets_.add(0, 2 * kMs));
}

TEST_F(ReceivedPacketsTest, TheLowestOfManyRangesAreForgottenAndNotTakenAgain) {
  for (std::uint64_t n = 0; n < 80; n += 2) EXPECT_TRUE(packets_.add(n, kMs));
  EXPECT_FALSE(packets_.add(1, 2 * kMs));
  EXPECT_TRUE(packets_.add(77, 2 * kMs));
}

TEST(SendStream, WhatWasLostGoesFirstAndOnlyWhatIsMissing) {
  SendStream stream(10'000, true);
  const tcp::Interval a = stream.take(1'448).range, b = stream.take(1'448).range;
  const tcp::Interval c = stream.take(1'448).range;
  stream.lose({a.start, c.end});
  stream.acknowledge(b);
  const SendStream::Chunk first = stream.take(1'448), second = stream.take(1'448);
  EXPECT_TRUE(first.again && second.again);
  EXPECT_EQ(first.range.start, a.start);
  EXPECT_EQ(first.range.end, a.end);
  EXPECT_EQ(second.range.start, c.start);
  EXPECT_FALSE(stream.take(1'448).again);
}

TEST(SendStream, IsDoneWhenItsEndIsAcknowledged) {
  SendStream stream(1'000, false);
  stream.acknowledge(stream.take(1'448).range);
  EXPECT_FALSE(stream.pending());
  EXPECT_FALSE(stream.done());
  stream.close();
  ASSERT_TRUE(stream.pending());
  const tcp::Interval end = stream.take(1'448).range;
  EXPECT_TRUE(stream.has_fin(end));
  EXPECT_EQ(stream.data_bytes(end), 0U);
  stream.acknowledge(end);
  EXPECT_TRUE(stream.done());
}

TEST(SendStream, ALossThatIsAcknowledgedMeanwhileIsNotPending) {
  SendStream stream(1'000, true);
  const tcp::Interval all = stream.take(1'448).range;
  stream.lose(all);
  stream.acknowledge(all);
  EXPECT_FALSE(stream.pending());
}

}  // namespace
}  // namespace penstock::quic
