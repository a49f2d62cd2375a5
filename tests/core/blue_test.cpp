// SPDX-License-Identifier: GPL-2.0-only
// BLUE against its twin, over the whole range of its parameters.
#include "core/discipline/blue.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/core/twins/blue.h"

namespace {

constexpr u64 kMs = 1'000'000;
constexpr pst_blue_params kDefaults{85'899'346, 8'589'935, 10 * kMs, 15, 0};

pst_packet packet() {
  pst_packet k{};
  k.bytes = 1500;
  return k;
}

const pst_packet kPacket = packet();

double ratio(u64 q32) { return static_cast<double>(q32) / 4294967296.0; }

struct Host {
  pst_blue_params p = kDefaults;
  pst_blue_state s{};
  pst_queue q{};

  explicit Host(const pst_blue_params& params) : p(params) { q.rate_bytes_per_s = 1'500'000; }

  pst_verdict arrive(u64 now_ns, u64 packets, u32 random) {
    q.now_ns = now_ns;
    q.packets = packets;
    q.bytes = 1500 * packets;
    q.random = random;
    const pst_verdict verdict = pst_blue_on_arrive(&p, &s, &q, &kPacket);
    if (verdict == PST_PASS) pst_blue_on_accepted(&p, &s, &q, &kPacket);
    return verdict;
  }
  void overflow(u64 now_ns) {
    q.now_ns = now_ns;
    pst_blue_on_overflow(&p, &s, &q, &kPacket);
  }
  void leave(u64 now_ns, u64 packets_left) {
    q.now_ns = now_ns;
    q.packets = packets_left;
    q.bytes = 1500 * packets_left;
    pst_blue_on_left(&p, &s, &q, &kPacket);
  }
};

TEST(Blue, RisesWithLossesAndWithAQueueAboveTheThreshold) {
  Host h(kDefaults);
  h.overflow(20 * kMs);
  EXPECT_NEAR(ratio(h.s.probability_q32), 0.02, 1e-9);
  h.overflow(30 * kMs);  // still frozen: the time must be longer than the freeze time
  EXPECT_NEAR(ratio(h.s.probability_q32), 0.02, 1e-9);
  EXPECT_EQ(h.arrive(31 * kMs, 15, ~0U), PST_PASS);
  EXPECT_NEAR(ratio(h.s.probability_q32), 0.02, 1e-9);
  EXPECT_EQ(h.arrive(31 * kMs, 16, ~0U), PST_PASS);
  EXPECT_NEAR(ratio(h.s.probability_q32), 0.04, 1e-9);
}

TEST(Blue, TakesBytesAsFullPacketsWhereNoPacketsAreKnown) {
  Host h(kDefaults);
  h.q.now_ns = 20 * kMs;
  h.q.bytes = 15 * 1500 + 1499;
  h.q.mss_bytes = 1460;
  h.q.random = ~0U;
  pst_blue_on_arrive(&h.p, &h.s, &h.q, &kPacket);
  EXPECT_EQ(h.s.probability_q32, 0U);
  h.q.bytes = 16 * 1500;
  pst_blue_on_arrive(&h.p, &h.s, &h.q, &kPacket);
  EXPECT_NEAR(ratio(h.s.probability_q32), 0.02, 1e-9);
}

TEST(Blue, FallsOncePerFreezeTimeWhileTheLinkIsIdle) {
  Host h(kDefaults);
  h.overflow(20 * kMs);
  h.leave(100 * kMs, 0);  // on the wire until 101 ms
  h.arrive(101 * kMs, 0, ~0U);
  EXPECT_NEAR(ratio(h.s.probability_q32), 0.02, 1e-9);  // it came in time: never idle
  h.leave(101 * kMs, 0);
  h.arrive(110 * kMs, 0, ~0U);  // idle since 102 ms
  EXPECT_NEAR(ratio(h.s.probability_q32), 0.018, 1e-9);
  EXPECT_EQ(h.s.updated_ns, 102 * kMs);
  h.leave(110 * kMs, 1);  // not the last one
  h.arrive(150 * kMs, 0, ~0U);
  EXPECT_NEAR(ratio(h.s.probability_q32), 0.018, 1e-9);
  h.leave(150 * kMs, 0);  // idle from 151 ms on: steps there, at 161, 171, 181 and 191 ms
  h.arrive(200 * kMs, 0, ~0U);
  EXPECT_NEAR(ratio(h.s.probability_q32), 0.008, 1e-9);
  EXPECT_EQ(h.s.updated_ns, 191 * kMs + 4);
}

TEST(Blue, GoesOnFallingWhileItDropsWhatArrives) {
  Host h(kDefaults);
  h.s.probability_q32 = PST_Q32_ONE;
  h.leave(100 * kMs, 0);
  for (u64 ms = 103; ms < 200; ms += 3) EXPECT_EQ(h.arrive(ms * kMs, 0, 0), PST_SIGNAL);
  EXPECT_NEAR(ratio(h.s.probability_q32), 1 - 10 * 0.002, 1e-9);  // at 101, 111, ... 191 ms
}

TEST(Blue, SignalsWithItsProbability) {
  Host h(kDefaults);
  EXPECT_EQ(h.arrive(0, 0, 0), PST_PASS);
  h.overflow(20 * kMs);
  EXPECT_EQ(h.arrive(20 * kMs, 0, 85'899'345), PST_SIGNAL);
  EXPECT_EQ(h.arrive(20 * kMs, 0, 85'899'346), PST_PASS);
  h.s.probability_q32 = PST_Q32_ONE;
  EXPECT_EQ(h.arrive(20 * kMs, 0, ~0U), PST_SIGNAL);
}

TEST(Blue, SignalsRaiseTheProbabilityOnlyWhereAsked) {
  for (const u64 raises : {0U, 1U}) {
    Host h(kDefaults);
    h.p.signal_raises = raises;
    h.overflow(20 * kMs);
    EXPECT_EQ(h.arrive(40 * kMs, 0, 0), PST_SIGNAL);
    EXPECT_NEAR(ratio(h.s.probability_q32), raises ? 0.04 : 0.02, 1e-9);
  }
}

// Times in the twin are exact below 2^53 ns, which is 104 days.
TEST(Blue, DecidesAsThePaperDoes) {
  std::mt19937_64 random(2002);
  int signals = 0;
  for (int run = 0; run < 2000; ++run) {
    pst_blue_params p{random() % (PST_Q32_ONE + 1) >> (random() % 32),
                      random() % (PST_Q32_ONE + 1) >> (random() % 32),
                      10'000 + ((random() % PST_MAX_NS) >> (random() % 30)), random() % 40,
                      random() % 2};
    Host h(p);
    penstock::twins::Blue twin{ratio(p.raise_q32), ratio(p.lower_q32),
                               static_cast<double>(p.freeze_ns),
                               static_cast<double>(p.threshold_pkts), p.signal_raises != 0};
    u64 now = 0;
    u64 idle_at = 0;  // when the link falls idle unless a packet comes
    for (int event = 0; event < 300; ++event) {
      now += 1 + random() % (p.freeze_ns / 4 + 2 * kMs);
      const u64 packets = random() % 40;
      if (random() % 4 == 0) {
        h.overflow(now);
        twin.on_loss(static_cast<double>(now));
      } else if (random() % 3 == 0) {
        h.leave(now, packets % 3);
        if (packets % 3 == 0) idle_at = now + kMs;
      } else {
        if (idle_at) twin.on_idle_link(static_cast<double>(idle_at), static_cast<double>(now));
        const auto uniform = static_cast<u32>(random());
        const bool theirs =
            twin.signals(static_cast<double>(now), static_cast<double>(packets), ratio(uniform));
        ASSERT_EQ(h.arrive(now, packets, uniform) == PST_SIGNAL, theirs);
        if (!theirs) idle_at = 0;
        if (idle_at && idle_at < now) idle_at = now;
        signals += theirs;
      }
      ASSERT_EQ(ratio(h.s.probability_q32), twin.p);
    }
  }
  EXPECT_GT(signals, 10'000);
}

}  // namespace
