// SPDX-License-Identifier: GPL-2.0-only
// The opening of a sender alone, and the headers of its segments: what both ends agree on.
#include "sim/tcp/handshake.h"
#include "tests/sim/times.h"

#include <gtest/gtest.h>

namespace penstock::tcp {
namespace {

Segment peer_syn(std::uint8_t options, std::uint8_t flags, std::uint16_t mss_bytes) {
  Segment s{};
  s.seq = 500;
  s.ts_val = 77;
  s.options = options;
  s.flags = flags;
  s.syn = {.mss_bytes = mss_bytes, .scale = 9};
  return s;
}

constexpr std::uint8_t kAll = kMss | kTimestamps | kSackPermitted | kWindowScale;

TEST(Handshake, OffersWhatIsConfigured) {
  SenderConfig config;
  config.ecn = true;
  config.sack = false;
  const Handshake opening(config);
  const Segment s = opening.syn(SegmentHeaders(1'000), 5 * kMs);
  EXPECT_EQ(s.seq, 1'000U);
  EXPECT_EQ(s.flags, kSyn | kEce | kCwr);
  EXPECT_EQ(s.options, kMss | kTimestamps | kWindowScale);
  EXPECT_EQ(s.ts_val, 5'000U);
  EXPECT_EQ(s.syn.mss_bytes, 1'460);  // without options, RFC 6691
}

TEST(Handshake, AgreesOnWhatBothEndsHave) {
  const SenderConfig config;
  Handshake opening(config);
  SegmentHeaders headers(1'000);
  opening.agree_on_options(peer_syn(kAll, kSyn | kAck, 1'212), headers);
  EXPECT_TRUE(opening.sack());
  EXPECT_EQ(opening.ecn().mode(), EcnMode::kNone);
  EXPECT_TRUE(headers.timestamps());
  EXPECT_TRUE(headers.scaled());
  EXPECT_EQ(opening.peer_scale(), 9);
  EXPECT_EQ(opening.mss_bytes(), 1'200U);
}

TEST(Handshake, WithoutTimestampsASegmentHasTheirRoom) {
  const SenderConfig config;
  Handshake opening(config);
  SegmentHeaders headers(1'000);
  opening.agree_on_options(peer_syn(kMss, kSyn | kAck, 1'460), headers);
  EXPECT_FALSE(headers.timestamps());
  EXPECT_FALSE(opening.sack());
  EXPECT_EQ(opening.peer_scale(), 0);
  EXPECT_EQ(opening.mss_bytes(), 1'460U);
}

TEST(Handshake, LeavesASegmentRoomForDataWhateverThePeerAsksFor) {
  const SenderConfig config;
  for (const std::uint16_t mss_bytes : std::initializer_list<std::uint16_t>{0, 5, 12, 47}) {
    Handshake opening(config);
    SegmentHeaders headers(1'000);
    opening.agree_on_options(peer_syn(kAll, kSyn | kAck, mss_bytes), headers);
    EXPECT_EQ(opening.mss_bytes(), 36U);
  }
}

TEST(Handshake, OfAMethodThatRecoversOneLossHasNoSack) {
  SenderConfig config;
  config.method = PST_SENDER_RENO;
  Handshake opening(config);
  SegmentHeaders headers(1'000);
  opening.agree_on_options(peer_syn(kAll, kSyn | kAck, 1'460), headers);
  EXPECT_FALSE(opening.sack());
}

TEST(Handshake, AnswersAReceiverThatOpens) {
  const SenderConfig config;
  Handshake opening(config);
  SegmentHeaders headers(1'000);
  const Segment asked = peer_syn(kMss | kTimestamps, kSyn, 1'460);
  EXPECT_TRUE(opening.on_peer_syn(asked));
  EXPECT_FALSE(opening.resent());
  opening.agree_on_options(asked, headers);
  headers.expect(asked.seq + 1);
  headers.echo(asked.ts_val, 5 * kMs);
  const Segment s = opening.syn(headers, 5 * kMs);
  EXPECT_EQ(s.flags, kSyn | kAck);
  EXPECT_EQ(s.ack, 501U);
  EXPECT_EQ(s.ts_ecr, 77U);
  EXPECT_EQ(s.options, kMss | kTimestamps);  // only what was asked for
  EXPECT_FALSE(opening.on_peer_syn(asked));  // our answer was lost
  EXPECT_TRUE(opening.resent());
}

TEST(SegmentHeaders, EchoTheNewestTimestamp) {
  SegmentHeaders headers(1'000);
  headers.agree(true, true);
  headers.expect(501);
  Segment ack{};
  ack.options = kTimestamps;
  ack.ts_val = 90;
  headers.take_timestamp(ack, kMs);
  ack.ts_val = 80;  // older
  headers.take_timestamp(ack, 2 * kMs);
  ack.ts_val = 95;
  ack.options = 0;  // not a timestamp
  headers.take_timestamp(ack, 2 * kMs);
  const Segment s = headers.make(11, 3 * kMs);
  EXPECT_EQ(s.seq, 1'011U);
  EXPECT_EQ(s.ack, 501U);
  EXPECT_EQ(s.ts_val, 3'000U);
  EXPECT_EQ(s.ts_ecr, 90U);
  EXPECT_LT(s.window, 1'000);  // scaled
}

// RFC 7323 section 5.5, with a clock of microseconds.
TEST(SegmentHeaders, EchoAnyTimestampAfterASilenceInWhichTheirOrderTurns) {
  for (const std::uint64_t minutes : {17, 18, 36, 60, 71, 110}) {
    const std::uint64_t at_ns = minutes * 60 * kSecond;
    RecentTimestamp recent;
    recent.set(timestamp_us(kSecond), kSecond);
    recent.take(timestamp_us(at_ns), at_ns);
    EXPECT_EQ(recent.value(), timestamp_us(at_ns)) << minutes;
    recent.take(timestamp_us(at_ns - kMs), at_ns + kMs);
    EXPECT_EQ(recent.value(), timestamp_us(at_ns)) << minutes;
  }
}

TEST(SegmentHeaders, UnderstandAnAckAcrossTheWrap) {
  const SegmentHeaders headers(UINT32_MAX - 10);
  Segment ack{};
  ack.ack = UINT32_MAX - 9;
  EXPECT_TRUE(headers.acknowledges_syn(ack));
  EXPECT_EQ(headers.offset(89, 50), 100U);
  ack.ts_ecr = 2'000;
  EXPECT_EQ(headers.echoed_rtt_ns(ack, 5 * kMs), 3 * kMs);
}

}  // namespace
}  // namespace penstock::tcp
