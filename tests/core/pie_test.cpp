// SPDX-License-Identifier: GPL-2.0-only
// PIE against its twin, over the whole range of its parameters.
#include "core/discipline/pie.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/core/twins/pie.h"

namespace {

using Twin = penstock::twins::Pie;

constexpr u64 kMs = 1'000'000;
constexpr pst_pie_params kDefaults{15 * kMs,  15 * kMs, 8192,        81'920,
                                   150 * kMs, 1500,     429'496'730, 1};

double ratio(u64 q32) { return static_cast<double>(q32) / 4294967296.0; }
double seconds(u64 ns) { return static_cast<double>(ns) * 1e-9; }

pst_packet packet(u32 bytes, u64 queued_ns) {
  pst_packet k{};
  k.bytes = bytes;
  k.queued_ns = queued_ns;
  return k;
}

struct Host {
  pst_pie_params p;
  pst_pie_state s{};
  pst_queue q{};

  explicit Host(const pst_pie_params& params) : p(params) { pst_pie_init(&p, &s, &q); }

  pst_verdict arrive(u64 bytes, u32 random) {
    const pst_packet k = packet(1500, 0);
    q.bytes = bytes;
    q.random = random;
    return pst_pie_on_arrive(&p, &s, &q, &k);
  }
  void leave(u64 bytes_left, u64 sojourn_ns) {
    q.now_ns += sojourn_ns;
    q.bytes = bytes_left;
    const pst_packet k = packet(1500, q.now_ns - sojourn_ns);
    pst_pie_on_left(&p, &s, &q, &k);
  }
  void tick(u64 delay_ns) {
    s.delay_ns = delay_ns;
    EXPECT_EQ(pst_pie_on_tick(&p, &s, &q), p.interval_ns);
  }
};

Twin twin_of(const pst_pie_params& p) {
  Twin t;
  t.target = seconds(p.target_ns);
  t.t_update = seconds(p.interval_ns);
  t.alpha = static_cast<double>(p.alpha_q16) / 65536;
  t.beta = static_cast<double>(p.beta_q16) / 65536;
  t.max_burst = t.burst = seconds(p.max_burst_ns);
  t.mean_packet = static_cast<double>(p.mean_packet_bytes);
  t.mark_threshold = ratio(p.mark_top_q32);
  t.derandomize = p.derandomize != 0;
  return t;
}

TEST(Pie, TakesTheDelayOfTheLastPacketThatLeft) {
  Host h(kDefaults);
  h.leave(3000, 20 * kMs);
  EXPECT_EQ(h.s.delay_ns, 20 * kMs);
  h.leave(0, 20 * kMs);
  EXPECT_EQ(h.s.delay_ns, 0U);
}

TEST(Pie, LetsABurstPassAfterATimeWithoutCongestion) {
  Host h(kDefaults);
  for (int i = 0; i < 9; ++i) h.tick(60 * kMs);
  EXPECT_EQ(h.s.burst_ns, 15 * kMs);
  h.s.probability_q32 = PST_Q32_ONE;
  EXPECT_EQ(h.arrive(97'000, 0), PST_PASS);
  h.tick(60 * kMs);
  EXPECT_EQ(h.arrive(97'000, 0), PST_DROP);
  h.s.probability_q32 = 0;
  h.tick(kMs);
  EXPECT_EQ(h.s.burst_ns, 0U);  // the delay before was not short
  h.tick(kMs);
  EXPECT_EQ(h.s.burst_ns, 150 * kMs);
}

TEST(Pie, DropsNothingFromAShortQueueNorMarksAboveTheMarkThreshold) {
  pst_pie_params p = kDefaults;
  p.max_burst_ns = 0;
  p.derandomize = 0;
  Host h(p);
  h.s.delay_old_ns = 20 * kMs;
  h.s.probability_q32 = PST_PIE_Q32(99);
  EXPECT_EQ(h.arrive(3000, 0), PST_PASS);
  EXPECT_EQ(h.arrive(3001, 0), PST_SIGNAL);
  h.s.probability_q32 = PST_PIE_Q32(100);
  EXPECT_EQ(h.arrive(3001, 0), PST_DROP);
  h.s.delay_old_ns = 7 * kMs;
  EXPECT_EQ(h.arrive(3001, 0), PST_PASS);
  h.s.probability_q32 = PST_PIE_Q32(200);
  EXPECT_EQ(h.arrive(3001, 0), PST_DROP);
}

TEST(Pie, KeepsDropsApart) {
  pst_pie_params p = kDefaults;
  p.max_burst_ns = 0;
  Host h(p);
  h.s.delay_old_ns = 20 * kMs;
  h.s.probability_q32 = PST_PIE_Q32(50);
  int passed = 0;
  while (h.arrive(30'000, 0) == PST_PASS) ++passed;
  EXPECT_EQ(passed, 16);  // the 17th brings the sum to 0.85
  passed = 0;
  while (h.arrive(30'000, ~0U) == PST_PASS) ++passed;
  EXPECT_EQ(passed, 169);  // the 170th brings it to 8.5
}

// Every rounding of a step adds at most half of 2^-32, so n computations stay within n of
// it, unless the twin passes a threshold on the way that the integers do not.
bool near_threshold(double p, double error) {
  for (const double edge : {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.2})
    if (std::abs(p - edge) <= error + 1e-9) return true;
  return false;
}

pst_pie_params any_params(std::mt19937_64& random) {
  const auto time = [&random](u64 low) {
    return low + (random() % (PST_MAX_NS - low + 1) >> (random() % 40));
  };
  if (random() % 2) return kDefaults;
  return {time(0),
          time(kMs),
          random() % 2097153 >> (random() % 21),
          random() % 2097153 >> (random() % 21),
          time(0),
          1 + random() % 65535,
          random() % (PST_Q32_ONE + 1) >> (random() % 32),
          random() % 2};
}

TEST(Pie, ComputesTheProbabilityAsTheRfcDoes) {
  std::mt19937_64 random(8033);
  int computed = 0;
  for (int run = 0; run < 3000; ++run) {
    const pst_pie_params p = any_params(random);
    Host h(p);
    Twin twin = twin_of(p);
    double error = 0;
    const u64 scale = 1 + (2 * p.target_ns >> (random() % 4));
    for (int i = 0; i < 400; ++i) {
      const u64 delay = random() % 5 ? random() % std::min<u64>(scale, PST_MAX_NS) : 0;
      twin.delay = seconds(delay);
      if (near_threshold(twin.drop_prob, error)) break;
      twin.update();
      h.tick(delay);
      // Half of the last place for the step, one for the decay, and what doubles lose.
      error += 2 / 4294967296.0 + 1e-12 * (1 + twin.alpha + twin.beta) * seconds(scale);
      ASSERT_NEAR(ratio(h.s.probability_q32), twin.drop_prob, error);
      if ((h.s.probability_q32 == 0) != (twin.drop_prob == 0)) break;
      ASSERT_NEAR(seconds(h.s.burst_ns), twin.burst, 1e-9 * (i + 1) + 1e-12 * twin.max_burst);
      ++computed;
    }
  }
  EXPECT_GT(computed, 200'000);
}

TEST(Pie, DecidesAsTheRfcDoes) {
  std::mt19937_64 random(33);
  int drops = 0, marks = 0;
  for (int run = 0; run < 3000; ++run) {
    pst_pie_params p = any_params(random);
    p.max_burst_ns = 0;
    Host h(p);
    Twin twin = twin_of(p);
    h.s.probability_q32 = random() % (PST_Q32_ONE + 1) >> (random() % 24);
    twin.drop_prob = ratio(h.s.probability_q32);
    h.s.delay_old_ns = std::min<u64>(random() % (2 * p.target_ns + 1), PST_MAX_NS);
    if (2 * h.s.delay_old_ns == p.target_ns || near_threshold(twin.drop_prob, 0)) continue;
    twin.delay_old = seconds(h.s.delay_old_ns);
    for (int i = 0; i < 200; ++i) {
      const u64 bytes = random() % (4 * p.mean_packet_bytes);
      const auto uniform = static_cast<u32>(random());
      const pst_verdict ours = h.arrive(bytes, uniform);
      const Twin::Verdict theirs = twin.arrive(static_cast<double>(bytes), ratio(uniform));
      // Sums are exact in both; only 0.85 and 8.5 themselves are rounded.
      if (std::abs(twin.accu - 0.85) < 1e-9 || std::abs(twin.accu - 8.5) < 1e-9) break;
      ASSERT_EQ(ours, theirs == Twin::Verdict::kEnqueue ? PST_PASS
                      : theirs == Twin::Verdict::kMark  ? PST_SIGNAL
                                                        : PST_DROP);
      drops += ours == PST_DROP;
      marks += ours == PST_SIGNAL;
    }
  }
  EXPECT_GT(drops, 1'000);
  EXPECT_GT(marks, 300);
}

}  // namespace
