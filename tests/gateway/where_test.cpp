// SPDX-License-Identifier: GPL-2.0-only
// Where data waits, as the timestamps of a path say whose waits are known.
#include "linux/gateway/tool/where/finding.h"
#include "linux/gateway/tool/where/meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tests/gateway/packet.h"

namespace penstock::test {
namespace {

using namespace gw;

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kBegin = 1'000'000 * kMs;
constexpr double kPathMs = 10;  // from end to end, each way, with the device in the middle
constexpr std::uint32_t kSegment = 1448;

// The waits of a path in ms, by the time in ms.
struct Path {
  std::array<std::function<double(double)>, kHalves> waits_ms{};
  double clock_ppm = 0;  // by which the sender's clock is slow
  bool stamps = true;
  double wait_ms(Half half, double ms) const { return waits_ms[half] ? waits_ms[half](ms) : 0; }
};

Packet seen_at(Way way, double ms, std::uint32_t bytes) {
  Packet p;
  p.time_ns = kBegin + static_cast<std::uint64_t>(ms * kMs);
  p.way = way;
  p.bytes = bytes;
  return p;
}

// A transfer of a segment each 2 ms, as the device sees it: data goes `way`, and ACKs the other.
void transfer(std::vector<Packet>& all, const Path& path, Way way, std::uint16_t port,
              double begin_ms, double end_ms) {
  const Way back = way == kDown ? kUp : kDown;
  std::vector<std::pair<double, std::uint32_t>> acks;  // when they come to the sender
  std::uint32_t seq = 1;
  std::size_t seen = 0;
  double last_ms = 0, last_ack_ms = 0;
  for (double ms = begin_ms; ms < end_ms; ms += 2, seq += kSegment) {
    while (seen < acks.size() && acks[seen].first <= ms) ++seen;
    last_ms = std::max(last_ms, ms + kPathMs / 2 + path.wait_ms(kDataBefore, ms));
    Packet data = seen_at(way, last_ms, kSegment + 52);
    pst_segment s{};
    s.seq = seq;
    s.payload_bytes = kSegment;
    s.flags = PST_TCP_ACK;
    s.source_port = port;
    s.target_port = 80;
    data.segment = s;
    data.stamped = path.stamps;
    data.val = static_cast<std::uint32_t>(ms * (1 - path.clock_ppm / 1e6));
    data.echo = seen ? acks[seen - 1].second : 0;
    all.push_back(data);
    const double sent_ms = last_ms + kPathMs + path.wait_ms(kDataBehind, last_ms);
    last_ack_ms = std::max(last_ack_ms, sent_ms + kPathMs / 2 + path.wait_ms(kAcksBefore, sent_ms));
    Packet ack = seen_at(back, last_ack_ms, 52);
    pst_segment a{};
    a.ack = seq + kSegment;
    a.flags = PST_TCP_ACK;
    a.source_port = 80;
    a.target_port = port;
    ack.segment = a;
    ack.stamped = path.stamps;
    ack.val = static_cast<std::uint32_t>(sent_ms) + 7777;
    ack.echo = data.val;
    all.push_back(ack);
    acks.emplace_back(last_ack_ms + kPathMs / 2 + path.wait_ms(kAcksBehind, last_ack_ms), ack.val);
  }
}

Reading read(Meter& meter, std::vector<Packet> all, double end_ms) {
  std::ranges::stable_sort(all, {}, &Packet::time_ns);
  for (const Packet& p : all) meter.see(p);
  return meter.take(kBegin + static_cast<std::uint64_t>(end_ms * kMs));
}

Reading read_one(const Path& path, Way way, double end_ms = 4000) {
  Meter meter;
  std::vector<Packet> all;
  transfer(all, path, way, 5000, 0, end_ms);
  return read(meter, all, end_ms);
}

// A queue of 40 ms from the first second on, that takes half a second to fill.
double queue(double ms) { return std::clamp((ms - 1000) / 500, 0.0, 1.0) * 40; }

TEST(Where, EachHalfHasItsOwnWait) {
  for (const Way way : {kDown, kUp})
    for (std::size_t half = 0; half < kHalves; ++half) {
      Path path;
      path.waits_ms[half] = queue;
      const Passed p = read_one(path, way).ways[way];
      EXPECT_EQ(p.flows, 1U);
      for (std::size_t other = 0; other < kHalves; ++other) {
        ASSERT_TRUE(p.waits[other].is_known()) << way << half << other;
        EXPECT_NEAR(p.waits[other].mean_s, other == half ? 0.028 : 0, 0.002)
            << "of way " << way << ", half " << other << " where half " << half << " waits";
        EXPECT_NEAR(p.waits[other].p99_s, other == half ? 0.040 : 0, 0.003);
      }
    }
}

TEST(Where, TheRateOfTheLineIsThatWhileAQueueStands) {
  Path path;
  path.waits_ms[kDataBefore] = queue;
  const Passed p = read_one(path, kDown).ways[kDown];
  ASSERT_TRUE(p.line_bps);
  EXPECT_NEAR(*p.line_bps, 6e6, 0.2e6);
  EXPECT_FALSE(read_one({}, kDown).ways[kDown].line_bps) << "no queue, no rate";
}

TEST(Where, AWaitOfOneAmongThreeIsItsServers) {
  Meter meter;
  std::vector<Packet> all;
  Path slow;
  slow.waits_ms[kDataBefore] = queue;
  transfer(all, slow, kDown, 5000, 0, 4000);
  transfer(all, {}, kDown, 5001, 0.3, 4000);
  transfer(all, {}, kDown, 5002, 0.7, 4000);
  const Passed p = read(meter, all, 4000).ways[kDown];
  EXPECT_EQ(p.waits[kDataBefore].flows, 3U);
  EXPECT_LT(p.waits[kDataBefore].mean_s, 0.002);
}

TEST(Where, ASlowClockIsNoQueue) {
  Path path;
  path.clock_ppm = 200;
  const Passed p = read_one(path, kDown, 60'000).ways[kDown];
  EXPECT_LT(p.waits[kDataBefore].mean_s, 0.003) << "12 ms in that minute";
}

TEST(Where, ANewcomersFirstWaitContainsTheQueue) {
  Meter meter;
  std::vector<Packet> all;
  Path path;
  path.waits_ms[kDataBefore] = queue;
  transfer(all, path, kDown, 5000, 0, 2000);
  transfer(all, path, kDown, 5001, 1800, 4000);
  std::vector<Packet> first, rest;
  std::ranges::stable_sort(all, {}, &Packet::time_ns);
  for (const Packet& one : all) (one.time_ns < kBegin + 2100 * kMs ? first : rest).push_back(one);
  read(meter, first, 2100);
  const Passed p = read(meter, rest, 4000).ways[kDown];
  EXPECT_NEAR(p.waits[kDataBefore].mean_s, 0.040, 0.004) << "as the first one vouches for it";
}

TEST(Where, AnIdleLineSaysNothing) {
  Meter meter;
  const Reading reading = meter.take(kBegin);
  EXPECT_FALSE(reading.ways[kDown].waits[kDataBefore].is_known());
  const Whereabouts found = whereabouts(reading.ways[kDown], kDown, {.device = "wan0"});
  EXPECT_EQ(found.queue, Queue::kUnknown);
  EXPECT_NE(found.text.find("No TCP data came in by wan0 in bulk"), std::string::npos);
}

TEST(Where, DataWithoutTimestampsIsToldApart) {
  Path path;
  path.stamps = false;
  const Passed p = read_one(path, kDown).ways[kDown];
  EXPECT_EQ(p.unstamped, 1U);
  const Whereabouts found = whereabouts(p, kDown, {.device = "wan0"});
  EXPECT_EQ(found.queue, Queue::kUnknown);
  EXPECT_NE(found.text.find("carries no timestamps (RFC 7323)"), std::string::npos);
}

Passed with(Half half, double mean_s, std::size_t flows = 4) {
  Passed p;
  p.flows = flows;
  for (Wait& wait : p.waits) wait = {0.0001, 0.001, 5, flows};
  p.waits[half] = {mean_s, 2 * mean_s, 5, flows};
  return p;
}

TEST(Where, SaysWhatWouldHoldTheQueue) {
  const Beside beside{.device = "wan0"};
  Whereabouts w = whereabouts(with(kDataBefore, 0.06), kDown, beside);
  EXPECT_EQ(w.queue, Queue::kBefore);
  EXPECT_EQ(w.held_by, "penstock-gw attach wan0 --down");
  w = whereabouts(with(kDataBefore, 0.06, 1), kDown, beside);
  EXPECT_EQ(w.queue, Queue::kOfOneFlow);
  w = whereabouts(with(kDataBehind, 0.06), kUp, beside);
  EXPECT_EQ(w.queue, Queue::kBehind);
  EXPECT_EQ(w.held_by, "penstock-gw attach wan0 --rate auto --source passive");
  w = whereabouts(with(kDataBehind, 0.06), kDown, beside);
  EXPECT_EQ(w.held_by, "") << "in the LAN";
  w = whereabouts(with(kDataBefore, 0.06), kUp, beside);
  EXPECT_EQ(w.held_by, "") << "in the LAN";
  w = whereabouts(with(kDataBefore, 0.002), kDown, beside);
  EXPECT_EQ(w.queue, Queue::kNone);
  w = whereabouts(with(kDataBehind, 0.0), kUp,
                  {.device = "wan0", .root_kind = "fq", .here_s = 0.03});
  EXPECT_EQ(w.queue, Queue::kHere);
}

TEST(Where, WhatIsLiveAlreadyLeavesItsTarget) {
  const Beside beside{.device = "wan0", .live = {true, false}};
  EXPECT_EQ(whereabouts(with(kDataBefore, 0.006), kDown, beside).queue, Queue::kNone);
  EXPECT_EQ(whereabouts(with(kDataBefore, 0.006), kDown, {.device = "wan0"}).queue, Queue::kBefore);
  EXPECT_EQ(whereabouts(with(kDataBefore, 0.060), kDown, beside).held_by, "");
}

// What comes from a wire is anything.
TEST(Where, PacketsThatAreCutOrLieAboutTheirLengthPass) {
  Bytes bytes = packet(
      {}, {.seq = 1, .options = {1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2}, .payload_bytes = 100});
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    Meter meter;
    meter.see(packet_of(bytes.data(), length, static_cast<std::uint32_t>(bytes.size()), true, kDown,
                        kBegin));
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    Bytes changed = bytes;
    changed[i] ^= 0xff;
    Meter meter;
    meter.see(packet_of(changed.data(), changed.size(), static_cast<std::uint32_t>(changed.size()),
                        true, kUp, kBegin));
  }
}

}  // namespace
}  // namespace penstock::test
