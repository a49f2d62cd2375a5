// SPDX-License-Identifier: GPL-2.0-only
// The receiver's window: scale and rounding (RFC 7323), silly window (RFC 1122),
// zero window, acceptance, and growth as in Linux.
#include "receiver_steps.h"

namespace penstock::tcp {
namespace {

std::uint8_t scale_for(std::uint64_t buffer_bytes) {
  ReceiverConfig c = test_receiver();
  c.buffer_bytes = buffer_bytes;
  ReceiverBench t(c);
  t(Syn{})(ExpectSynAck{});
  return t.scale;
}

TEST(Scale, IsTheSmallestThatExpressesTheBuffer) {
  EXPECT_EQ(scale_for(1000), 0);
  EXPECT_EQ(scale_for(65535), 0);
  EXPECT_EQ(scale_for(65536), 1);
  EXPECT_EQ(scale_for(131'071), 1);
  EXPECT_EQ(scale_for(131'072), 2);
  EXPECT_EQ(scale_for(6'291'456), 7);
  EXPECT_EQ(scale_for(std::uint64_t{1} << 40), 14);
}

TEST(Scale, WithoutTheOptionTheWindowEndsAt65535) {
  ReceiverConfig c = test_receiver();
  c.buffer_bytes = 1'000'000;
  ReceiverBench t(c);
  accept(t, Syn{}.options(kMss));
  t(Data{0, 1000})(Data{1000, 1000})(ExpectAck{2000}.window(65535));
}

TEST(Rounding, TheRightEdgeNeverGoesLeft) {
  ReceiverConfig c = test_receiver();
  c.buffer_bytes = 6'000'000;  // scale 7
  c.delayed_ack_segments = 1;
  ReceiverBench t(c);
  accept(t);
  t(Pause{});
  // Odd sizes while nothing is read: the edge must stay where it was granted.
  std::uint64_t edge = 65535;  // the SYN-ACK's window is not scaled
  std::uint32_t at = 0;
  for (const std::uint16_t payload :
       std::initializer_list<std::uint16_t>{999, 1, 127, 128, 129, 1000, 77}) {
    t(Data{static_cast<std::int32_t>(at), payload});
    at += payload;
    const Segment s = t.take();
    const std::uint64_t now = at + (std::uint64_t{s.window} << 7);
    EXPECT_GE(now, edge);
    EXPECT_LT(now, std::max(edge, c.buffer_bytes) + 128);
    edge = now;
  }
}

TEST(Rounding, FixedBufferIsOfferedWhole) {
  ReceiverBench t(test_receiver());
  t(Syn{})(ExpectSynAck{}.window(64000).scale(0))(Data{0, 0});
  t(Data{0, 1000})(Data{1000, 1000})(ExpectAck{2000}.window(64000));
}

TEST(SillyWindow, SmallDataDoesNotMoveTheEdge) {
  ReceiverConfig c = test_receiver();
  c.delayed_ack_segments = 1;
  ReceiverBench t(c);
  accept(t);
  t(Data{0, 1000})(ExpectAck{1000}.edge(65000));
  t(Data{1000, 400})(ExpectAck{1400}.edge(65000))(Data{1400, 400})(ExpectAck{1800}.edge(65000));
  t(Data{1800, 200})(ExpectAck{2000}.edge(66000));
}

TEST(ZeroWindow, ClosesWhileNobodyReadsAndReopens) {
  ReceiverConfig c = test_receiver();
  c.buffer_bytes = 3000;
  ReceiverBench t(c);
  accept(t);
  t(Pause{})(Data{0, 1000})(Data{1000, 1000})(ExpectAck{2000}.window(1000));
  t(Data{2000, 1000})(Elapse{40})(ExpectAck{3000}.window(0));
  EXPECT_EQ(t.endpoint.counters().delivered_bytes, 0U);
  t(Data{2999, 0})(ExpectAck{3000}.window(0));  // a probe
  t(Data{3000, 1000})(ExpectAck{3000}.window(0));
  EXPECT_EQ(t.endpoint.counters().out_of_window, 1U);
  t(Resume{})(ExpectAck{3000}.window(3000));
  EXPECT_EQ(t.endpoint.counters().delivered_bytes, 3000U);
}

TEST(ZeroWindow, NoUpdateThatIsNotWorthIt) {
  ReceiverBench t(test_receiver());
  accept(t);
  t(Pause{})(Data{0, 1000})(Data{1000, 1000})(ExpectAck{2000}.edge(64000));
  t(Resume{})(ExpectAck{2000}.edge(66000))(Pause{})(Data{2000, 500})(Resume{})(Silence{});
  t(Elapse{40})(ExpectAck{2500}.edge(66000));
}

TEST(Acceptance, WhatLiesBeyondTheEdgeIsDropped) {
  ReceiverConfig c = test_receiver();
  c.buffer_bytes = 3000;
  ReceiverBench t(c);
  accept(t);
  t(Data{3000, 1000})(ExpectAck{0});                       // wholly beyond
  t(Data{2500, 1000})(ExpectAck{0}.sack(2500, 3000));      // cut at the edge
  EXPECT_EQ(t.endpoint.counters().out_of_window, 2U);
  t(Data{0, 2500})(ExpectAck{3000}.window(3000));
}

// RFC 7323 section 2.4: what was once offered is accepted, and no more.
TEST(Retraction, MovesTheEdgeLeftAndAcceptsWhatWasOffered) {
  ReceiverConfig c = test_receiver();
  c.buffer_bytes = 8000;
  c.retract_period_ns = 2'000 * kMs;  // the bench begins at 1 s
  c.delayed_ack_segments = 1;
  ReceiverBench t(c);
  accept(t);
  t(Data{0, 1000})(ExpectAck{1000}.window(8000).edge(9000));
  t(Elapse{1'000})(Data{1000, 1000})(ExpectAck{2000}.window(4000).edge(6000));
  t(Data{9000, 1000})(ExpectAck{2000}.window(4000));              // never offered
  t(Data{7000, 1000})(ExpectAck{2000}.edge(6000).sack(7000, 8000));  // beyond the edge of now
  EXPECT_EQ(t.endpoint.counters().out_of_window, 1U);
  t(Data{2000, 5000})(ExpectAck{8000}.window(4000).edge(12'000));
  t(Elapse{2'000})(Data{8000, 1000})(ExpectAck{9000}.window(8000).edge(17'000));
  EXPECT_EQ(t.endpoint.counters().delivered_bytes, 9000U);
}

ReceiverConfig autotuned() {
  ReceiverConfig c;
  c.autotune = true;
  return c;
}

TEST(AutotuneStart, LooksLikeLinux) {
  ReceiverBench t(autotuned());
  t(Syn{})(ExpectSynAck{}.window(65160).scale(7).mss(1460));
}

TEST(AutotuneGrowth, LeavesDuplicateAcksAlikeWithoutSack) {
  ReceiverBench t(autotuned());
  accept(t, Syn{}.options(kMss | kWindowScale | kTimestamps));
  t(Data{0, 1448})(Data{1448, 1448})(ExpectAck{2896}.window(70'912));
  for (int i = 2; i < 6; ++i) t(Data{i * 1448 + 1448, 1448})(ExpectAck{2896}.window(70'912));
  t(Data{2896, 1448})(ExpectAck{8 * 1448 - 1448}.window(73'728));
}

void feed(Autotune& a, int segments) {
  for (int i = 0; i < segments; ++i) a.on_segment(1448);
}

TEST(AutotuneGrowth, FollowsWhatARoundTripBrings) {
  Autotune a(1448, 65536, 6'291'456);
  const std::uint64_t rtt_ns = 40 * kMs;
  a.start(0);
  EXPECT_EQ(a.window_bytes(0), 65160U);
  a.on_round_trip(rtt_ns, false);
  feed(a, 1);
  EXPECT_EQ(a.window_bytes(0), 65160U + 2 * 1448);  // two segments for each that arrives
  feed(a, 20);
  EXPECT_EQ(a.window_bytes(0), 81'920U);  // 5/8 of 131072
  a.on_read(1 + 14'480, rtt_ns);
  a.on_read(1 + 14'480 + 90'000, rtt_ns * 3 / 2);  // not yet a round trip
  feed(a, 100);
  EXPECT_EQ(a.window_bytes(0), 81'920U);
  a.on_read(1 + 14'480 + 100'000, 2 * rtt_ns);
  feed(a, 100);
  EXPECT_EQ(a.window_bytes(0), 200'000U);
  EXPECT_EQ(a.window_bytes(150'000), 50'000U);
  // A steady rate needs no more; a lower one takes nothing back.
  a.on_read(1 + 14'480 + 200'000, 3 * rtt_ns);
  a.on_read(1 + 14'480 + 210'000, 4 * rtt_ns);
  feed(a, 100);
  EXPECT_EQ(a.window_bytes(0), 200'000U);
}

TEST(AutotuneGrowth, StopsAtTheMaximum) {
  Autotune a(1448, 65536, 1'000'000);
  a.on_round_trip(kMs, false);
  a.on_read(10'000'000, kMs);
  feed(a, 1000);
  EXPECT_EQ(a.window_bytes(0), 625'000U);
}

TEST(AutotuneGrowth, OutOfOrderSpanComesOnTop) {
  Autotune a(1448, 65536, 6'291'456);
  a.on_out_of_order(60'000);  // 2 * 14480 + 60000
  feed(a, 100);
  EXPECT_EQ(a.window_bytes(0), 88'960U);
}

TEST(AutotuneGrowth, HasRoomForASenderInSlowStart) {
  Autotune a(1448, 65536, 33'554'432, {.scaling_ratio = 240, .slow_start = true});
  a.start(0);
  a.on_round_trip(40 * kMs, false);
  feed(a, 1);
  a.on_read(1 + 14'480, 40 * kMs);
  a.on_read(1 + 3 * 14'480, 80 * kMs);  // twice what was before: 2c + 4c
  feed(a, 100);
  EXPECT_EQ(a.window_bytes(0), 6 * 28'960U);
  a.on_read(1 + 3 * 14'480 + 36'200, 120 * kMs);  // a quarter more: 2c + c, which is less
  feed(a, 100);
  EXPECT_EQ(a.window_bytes(0), 6 * 28'960U);
  a.on_out_of_order(200'000);  // 2c of the last round trip, and no growth
  feed(a, 200);
  EXPECT_EQ(a.window_bytes(0), 272'400U);
}

TEST(AutotuneGrowth, HasRoomForLessWhereRoundTripsAreShort) {
  Autotune a(1448, 65536, 33'554'432, {240, true, kMs});
  a.start(0);
  a.on_round_trip(kMs / 4, false);
  feed(a, 1);
  a.on_read(1 + 14'480, kMs);
  a.on_read(1 + 14'480 + 144'800, 2 * kMs);  // ten times as much: 2c + c / 2
  feed(a, 200);
  EXPECT_EQ(a.window_bytes(0), 361'999U);  // 386,133 bytes of memory
}

TEST(AutotuneGrowth, OfAllItsMemoryAPartIsWindow) {
  Autotune a(1448, 65536, 33'554'432, {240, true, kMs});
  a.on_round_trip(40 * kMs, false);
  a.on_read(1'000'000'000, 40 * kMs);
  feed(a, 20'000);
  EXPECT_EQ(a.window_bytes(0), 33'554'432U / 256 * 240);
}

TEST(AutotuneRoundTrip, TakesMinimaAtOnceAndSmoothsTheRest) {
  Autotune a(1448, 65536, 6'291'456);
  a.on_round_trip(80 * kMs, false);
  a.on_round_trip(40 * kMs, false);
  EXPECT_EQ(a.rtt_ns(), 40 * kMs);
  a.on_round_trip(80 * kMs, false);
  EXPECT_EQ(a.rtt_ns(), 45 * kMs);
  a.on_round_trip(80 * kMs, true);  // a window's time is only an upper bound
  EXPECT_EQ(a.rtt_ns(), 45 * kMs);
}

}  // namespace
}  // namespace penstock::tcp
