// SPDX-License-Identifier: GPL-2.0-only
// What comes in by a device (attach --down): the programs find a queue before this machine by the
// timestamps of its data, and reduce the windows that leave.
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint16_t kPayload = 1448;
constexpr std::uint16_t kJoined = 600;  // of each; a test's packet has 4 kB
constexpr std::uint32_t kFirst = 1000;
constexpr std::uint32_t kTick = 5'000'000;  // the sender's clock at first

gw::Settings down_settings(const std::string& rate = "") {
  gw::Settings s;
  if (!rate.empty()) s.rate = rate;
  s.fair = "off";
  return s;
}

class Down : public GatewayTest {
 protected:
  explicit Down(const gw::Settings& settings = down_settings())
      : gateway(settings, false, PST_NS_PER_S, gw::Below::kBefore) {
    gateway.handshake(ends);
    begun_ns = gateway.now_ns();
  }

  static Bytes stamp(std::uint32_t val) {
    Bytes options{1, 1, 8, 10};
    put32(options, val);
    put32(options, 1);
    return options;
  }

  // The next segment.
  void come(const Bytes& options) {
    gateway.forward(packet(
        ends,
        {.seq = next, .ack = 5000, .window = 502, .options = options, .payload_bytes = kPayload}));
    next += kPayload;
  }

  // A line of a segment each millisecond, behind whose queue data waits so long, for a while. The
  // sender's clock ticks each millisecond.
  void stream(std::uint64_t waited_ns, int ms) {
    for (int i = 0; i < ms; ++i) {
      gateway.pass_time(kMs);
      const std::uint64_t sent_ns = gateway.now_ns() - begun_ns - waited_ns;
      come(stamp(kTick + static_cast<std::uint32_t>(sent_ns / kMs)));
      gateway.ack(ends, next, 65535);
    }
  }

  pst_gateway_state state() const { return gateway.shared().port.state; }

  bool is_known() const {
    const pst_gateway_state s = state();
    return pst_upstream_is_known(&s.upstream);
  }

  Ends ends;
  GatewayUnderTest gateway;
  std::uint64_t begun_ns = 0;
  std::uint32_t next = kFirst;
};

TEST_F(Down, PassesAllWhileNothingIsKnown) {
  stream(0, 200);
  EXPECT_FALSE(is_known());
  EXPECT_EQ(gateway.ack(ends, next, 65535).window, 65535);
  EXPECT_EQ(gateway.count(GW_COUNT_unstamped_bytes), 0U);
}

TEST_F(Down, FindsTheQueueAndReducesWindows) {
  stream(0, 200);
  stream(60 * kMs, 400);
  EXPECT_TRUE(is_known());
  EXPECT_NEAR(static_cast<double>(state().upstream.wait.wait_ns), 60e6, 2e6);
  // A packet of 1514 bytes each millisecond, and the microseconds of the packets themselves.
  EXPECT_NEAR(static_cast<double>(state().departures.bytes_per_s), 1'500'000, 50'000);
  EXPECT_LT(gateway.ack(ends, next, 65535).window, 65535);
  EXPECT_GT(gateway.count(GW_COUNT_acks_rewritten), 0U);
}

TEST_F(Down, TellsWhatDataHasWaitedWhereItIsAskedAndNothingIsHeld) {
  const auto told_ns = [&] {
    return pst_sub_floor(gateway.ack_wait(true).until_ns, gateway.now_ns());
  };
  stream(0, 200);
  stream(30 * kMs, 40);
  EXPECT_EQ(told_ns(), 0U) << "nobody asks";
  gateway.set_ack_wait(true, {.until_ns = 0, .asked_ns = gateway.now_ns()});
  stream(30 * kMs, 10);
  ASSERT_FALSE(is_known());
  EXPECT_NEAR(static_cast<double>(told_ns()), 30e6, 3e6);
  stream(30 * kMs, 400);
  ASSERT_TRUE(is_known());
  EXPECT_LT(told_ns(), 3 * kMs) << "of a queue that is held";
}

TEST_F(Down, TimesAnAckFromWhenItHasLeftTheOtherQueue) {
  stream(0, 20);
  gateway.pass_time(kMs);
  come(stamp(kTick + 21));
  gw_flow timed = gateway.flow(ends);
  timed.gateway.rtt.granting = false;  // the next ACK is timed
  gateway.set_flow(ends, timed);
  const std::uint64_t before_ns = gateway.now_ns();
  gateway.set_ack_wait(false, {.until_ns = before_ns + 50 * kMs, .asked_ns = 0});
  gateway.ack(ends, next, 65535);
  const pst_rtt rtt = gateway.flow(ends).gateway.rtt;
  ASSERT_TRUE(rtt.granting);
  EXPECT_EQ(rtt.grant_ns, before_ns + 50 * kMs);
  EXPECT_GE(gateway.ack_wait(false).asked_ns, before_ns);
}

gw::Settings passive_settings() {
  gw::Settings settings;
  settings.rate = "auto";
  settings.source = "passive";
  settings.fair = "off";
  return settings;
}

TEST_F(GatewayTest, PassiveAsksWhatItsAcksHaveWaited) {
  GatewayUnderTest gateway(passive_settings());
  const Ends ends;
  gateway.handshake(ends);
  gateway.data(ends, kFirst, kPayload);
  gateway.ack(ends, kFirst + kPayload, 65535);
  EXPECT_NEAR(static_cast<double>(gateway.ack_wait(true).asked_ns),
              static_cast<double>(gateway.now_ns()), 1e6);
  EXPECT_EQ(gateway.ack_wait(false).asked_ns, 0U) << "its own";
}

// The next one's clock may be another's, and below it.
TEST_F(GatewayTest, PassiveForgetsWhatAcksHaveWaitedWhoseEndsAnotherConnectionHas) {
  GatewayUnderTest gateway(passive_settings());
  const Ends ends;
  const auto back = [&](std::uint32_t val) {
    Bytes options{1, 1, 8, 10};
    put32(options, val);
    put32(options, 1);
    gateway.pass_time(kMs);
    gateway.reverse(packet(
        ends,
        {.from_sender = false, .seq = 5000, .ack = kFirst, .window = 512, .options = options}));
  };
  gateway.handshake(ends);
  back(kTick);
  back(kTick + 1);
  ASSERT_TRUE(gateway.returned(ends));
  EXPECT_EQ(gateway.returned(ends)->way.base_val, kTick + 1);
  gateway.reverse(packet(ends, {.from_sender = false, .seq = 5000, .flags = 0x04}));
  gateway.handshake(ends);
  EXPECT_FALSE(gateway.returned(ends));
  back(77);
  back(78);
  ASSERT_TRUE(gateway.returned(ends));
  EXPECT_EQ(gateway.returned(ends)->way.base_val, 78U);
}

TEST_F(Down, CountsWhatHasNoTimestamp) {
  stream(0, 10);
  come({});
  EXPECT_EQ(gateway.count(GW_COUNT_unstamped_bytes), kPayload);
  come({1, 1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2});
  EXPECT_EQ(gateway.count(GW_COUNT_unstamped_bytes), 2U * kPayload) << "SACK alone";
}

TEST_F(Down, TakesATimestampInAnyPlace) {
  Bytes options{5, 10, 0, 0, 0, 1, 0, 0, 0, 2, 8, 10};
  put32(options, kTick);
  put32(options, 1);
  append(options, {1, 1});
  come(options);
  EXPECT_EQ(gateway.count(GW_COUNT_unstamped_bytes), 0U);
  EXPECT_EQ(gateway.flow(ends).gateway.one_way.base_val, kTick);
}

TEST_F(Down, TakesNoTimestampOfARetransmission) {
  stream(0, 10);
  const std::uint32_t newest = gateway.flow(ends).gateway.one_way.base_val;
  next -= kPayload;
  come(stamp(newest + 1000));
  EXPECT_EQ(gateway.flow(ends).gateway.one_way.base_val, newest);
}

TEST_F(Down, CountsTheHeadersOfSegmentsThatGroHasJoined) {
  const std::uint64_t before = gateway.count(GW_COUNT_forward_bytes);
  const Bytes joined = packet(ends, {.seq = next,
                                     .ack = 5000,
                                     .window = 502,
                                     .options = stamp(kTick),
                                     .payload_bytes = 4 * kJoined});
  gateway.forward(joined, kJoined, 4 * kJoined);
  EXPECT_EQ(gateway.count(GW_COUNT_forward_bytes) - before, 4U * (kJoined + 66));
}

class DownBehind : public Down, public testing::WithParamInterface<Link> {};

// As on a port whose frames have tags, or a device below PPPoE.
TEST_P(DownBehind, FindsTheTimestampBehindAnyHeaders) {
  const auto come_by = [&](const Tcp& t) {
    Tcp tagged = t;
    tagged.link = GetParam();
    const Bytes frame = packet(ends, tagged);
    return t.from_sender ? gateway.forward(frame) : gateway.reverse(frame);
  };
  const Bytes scale{3, 3, 7, 1};
  come_by({.seq = 999, .flags = 0x02, .window = 64240, .options = scale});
  come_by({.from_sender = false,
           .seq = 4999,
           .ack = 1000,
           .flags = 0x12,
           .window = 65535,
           .options = scale});
  come_by({.seq = 1000, .ack = 5000, .window = 502});
  const std::uint64_t before = gateway.count(GW_COUNT_unstamped_bytes);
  const std::uint64_t data_before = gateway.count(GW_COUNT_data_bytes);
  come_by({.seq = 1000,
           .ack = 5000,
           .window = 502,
           .options = stamp(kTick),
           .payload_bytes = kPayload});
  EXPECT_EQ(gateway.count(GW_COUNT_data_bytes) - data_before, kPayload) << "the flow is known";
  EXPECT_EQ(gateway.count(GW_COUNT_unstamped_bytes), before);
}

INSTANTIATE_TEST_SUITE_P(Links, DownBehind,
                         testing::Values(Link::kEthernet, Link::kVlan, Link::kQinq, Link::kPppoe));

class DownAtARate : public Down {
 protected:
  DownAtARate() : Down(down_settings("50mbit")) {}
};

TEST_F(DownAtARate, HoldsArrivalsToTheRateByAQueueInWhichNothingWaits) {
  gateway.fill_queue(150'000);
  stream(0, 20);
  EXPECT_LT(gateway.ack(ends, next, 65535).window, 65535);
  EXPECT_EQ(state().count.queue_bytes, 0U) << "round trips contain none of it";
}

TEST_F(DownAtARate, StillSeesThatTheLineIsSlower) {
  stream(0, 200);
  stream(60 * kMs, 400);
  EXPECT_TRUE(is_known());
  EXPECT_LT(state().departures.bytes_per_s, gateway.config().rate_bytes_per_s / 2);
}

// Shapes beside a queue upstream, as `auto` has room for, and a mark that names one.
class DownWithShapes : public Down {
 protected:
  DownWithShapes() : Down(with_shapes()) {}

  static gw::Settings with_shapes() {
    gw::Settings s = down_settings();
    s.shapes = "4";
    s.observe = true;
    return s;
  }

  void shape(std::uint64_t bytes_per_s, bool background) {
    gateway.add_shape(1, "", bytes_per_s, 100'000);
    gateway.select(GW_BY_MARK, 7, 1);
    gw_shape one = gateway.shape(1);
    one.background = background;
    gateway.set_shape(1, one);
    gateway.set_mark(7);
  }
};

TEST_F(DownWithShapes, OneIsHeldThoughTheAttachmentObserves) {
  shape(100'000, false);
  stream(0, 100);
  EXPECT_EQ(gateway.flow(ends).shape, 1U);
  EXPECT_LT(gateway.ack(ends, next, 65535).window, 65535);
  EXPECT_GT(gateway.shape(1).shared.counts.rewritten, 0U);
}

TEST_F(DownWithShapes, WhatIsInNoneIsObserved) {
  shape(100'000, false);
  gateway.set_mark(0);
  stream(0, 200);
  stream(60 * kMs, 400);
  EXPECT_TRUE(is_known());
  EXPECT_EQ(gateway.flow(ends).shape, 0U);
  EXPECT_EQ(gateway.ack(ends, next, 65535).window, 65535);
}

TEST_F(DownWithShapes, TheLineIsKnownFromWhatIsInOne) {
  shape(100'000'000, false);
  stream(0, 200);
  stream(60 * kMs, 400);
  EXPECT_TRUE(is_known());
  EXPECT_NEAR(static_cast<double>(state().departures.bytes_per_s), 1'500'000, 50'000);
}

TEST_F(DownWithShapes, ABackgroundClassYieldsToTheWaitAndComesBack) {
  shape(1'000'000'000, true);
  stream(0, 1000);
  const std::uint64_t alone = gateway.shape(1).lbe.rate_bytes_per_s;
  stream(60 * kMs, 1000);
  const std::uint64_t yielding = gateway.shape(1).lbe.rate_bytes_per_s;
  EXPECT_LT(gateway.ack(ends, next, 65535).window, 65535);
  stream(0, 1000);
  EXPECT_GT(alone, 1'400'000U);
  EXPECT_LT(yielding, alone / 3) << "all that comes is its own, and does not yield";
  EXPECT_GT(gateway.shape(1).lbe.rate_bytes_per_s, 1'400'000U);
  EXPECT_EQ(gateway.shape(1).shared.counts.drops, 0U);
  EXPECT_EQ(gateway.shape(1).shared.link.rate_bytes_per_s, gateway.shape(1).lbe.rate_bytes_per_s);
}

}  // namespace
}  // namespace penstock::test
