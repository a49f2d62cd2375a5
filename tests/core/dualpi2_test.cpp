// SPDX-License-Identifier: GPL-2.0-only
// DualPI2 against its twin, over the whole range of its parameters.
#include "core/discipline/dualpi2.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/core/twins/dualpi2.h"

namespace {

using Twin = penstock::twins::DualPi2;

constexpr u64 kMs = 1'000'000;

pst_dualpi2_params defaults() {
  pst_dualpi2_params p{};
  p.target_ns = p.interval_ns = 15 * kMs;
  p.alpha_q16 = 9'830;
  p.beta_q16 = 196'608;
  p.coupling_q16 = 131'072;
  p.mark_from_ns = 800'000;
  p.mark_range_ns = 400'000;
  p.mark_least_pkts = 1;
  p.classic_share_q16 = 4'096;
  return p;
}

double ratio(u64 q32) { return static_cast<double>(q32) / 4294967296.0; }
double seconds(u64 ns) { return static_cast<double>(ns) * 1e-9; }

Twin twin_of(const pst_dualpi2_params& p) {
  Twin t;
  t.target = seconds(p.target_ns);
  t.alpha = static_cast<double>(p.alpha_q16) / 65536;
  t.beta = static_cast<double>(p.beta_q16) / 65536;
  t.k = static_cast<double>(p.coupling_q16) / 65536;
  t.min_th = seconds(p.mark_from_ns);
  t.range = seconds(p.mark_range_ns);
  t.th_len = static_cast<int>(p.mark_least_pkts);
  return t;
}

pst_dualpi2_params any_params(std::mt19937_64& random) {
  pst_dualpi2_params p = defaults();
  if (random() % 2) return p;
  p.target_ns = random() % (PST_MAX_NS + 1) >> (random() % 40);
  p.alpha_q16 = random() % 2097153 >> (random() % 21);
  p.beta_q16 = random() % 2097153 >> (random() % 21);
  p.coupling_q16 = 65536 + (random() % (2097152 - 65536 + 1) >> (random() % 21));
  p.mark_from_ns = random() % (PST_MAX_NS + 1) >> (random() % 40);
  p.mark_range_ns = random() % (PST_MAX_NS + 1) >> (random() % 40);
  p.mark_least_pkts = random() % 10;
  return p;
}

TEST(DualPi2, ClassifiesByTheCodepoint) {
  EXPECT_EQ(pst_dualpi2_classify(PST_ECT1), PST_DUAL_LOW);
  EXPECT_EQ(pst_dualpi2_classify(PST_CE | 0x20), PST_DUAL_LOW);
  EXPECT_EQ(pst_dualpi2_classify(PST_ECT0), PST_DUAL_CLASSIC);
  EXPECT_EQ(pst_dualpi2_classify(PST_NOT_ECT), PST_DUAL_CLASSIC);
}

TEST(DualPi2, ComputesTheProbabilityAsTheRfcDoes) {
  std::mt19937_64 random(9332);
  int moved = 0;
  for (int run = 0; run < 2000; ++run) {
    const pst_dualpi2_params p = any_params(random);
    Twin twin = twin_of(p);
    pst_dualpi2_state s{};
    s.low_pkts = s.classic_pkts = 1;
    pst_queue q{};
    const u64 scale = 1 + (2 * p.target_ns >> (random() % 4));
    double error = 0;
    for (int i = 0; i < 300; ++i) {
      const u64 low = random() % std::min<u64>(scale, PST_MAX_NS);
      const u64 classic = random() % std::min<u64>(scale, PST_MAX_NS);
      q.now_ns = 2 * PST_MAX_NS;
      s.low_head_ns = q.now_ns - low;
      s.classic_head_ns = q.now_ns - classic;
      const u64 before = s.probability_q32;
      EXPECT_EQ(pst_dualpi2_on_tick(&p, &s, &q), p.interval_ns);
      twin.update(seconds(low), seconds(classic));
      // The last place for the step, and what doubles lose.
      error += 1 / 4294967296.0 + 1e-12 * (1 + twin.alpha + twin.beta) * seconds(scale);
      ASSERT_NEAR(ratio(s.probability_q32), twin.p, error);
      moved += s.probability_q32 != before;
    }
  }
  EXPECT_GT(moved, 50'000);
}

TEST(DualPi2, AnEmptyQueueDoesNotWait) {
  const pst_dualpi2_params p = defaults();
  pst_dualpi2_state s{};
  pst_queue q{};
  q.now_ns = 100 * kMs;
  s.probability_q32 = PST_Q32_ONE / 2;
  pst_dualpi2_on_tick(&p, &s, &q);  // heads of long ago, but none is there
  EXPECT_LT(s.probability_q32, PST_Q32_ONE / 2);
  EXPECT_EQ(s.delay_old_ns, 0U);
}

bool near_whole(double sum) { return std::abs(sum - std::round(sum)) < 1e-6; }

TEST(DualPi2, DecidesAsTheRfcDoes) {
  std::mt19937_64 random(33);
  int drops = 0, marks = 0, compared = 0;
  for (int run = 0; run < 2000; ++run) {
    const pst_dualpi2_params p = any_params(random);
    pst_dualpi2_state s{};
    s.probability_q32 = random() % (PST_Q32_ONE + 1) >> (random() % 16);
    Twin twin = twin_of(p);
    twin.p = ratio(s.probability_q32);
    if (std::abs(twin.k * twin.p - 1) < 1e-8) continue;
    for (int i = 0; i < 200; ++i) {
      pst_queue q{};
      pst_packet k{};
      q.now_ns = 2 * PST_MAX_NS;
      const u64 waited = random() % 4 ? random() % (2 * p.mark_from_ns + 1) : 0;
      k.queued_ns = q.now_ns - std::min(waited, PST_MAX_NS);
      s.low_pkts = random() % 12;
      const bool low = random() % 2, ect = random() % 2;
      k.tos = static_cast<u8>(low ? PST_ECT1 : ect ? PST_ECT0 : PST_NOT_ECT);
      const pst_verdict ours =
          pst_dualpi2_on_leave(&p, &s, low ? PST_DUAL_LOW : PST_DUAL_CLASSIC, &q, &k);
      const Twin::Verdict theirs = low ? twin.dequeue_low(seconds(std::min(waited, PST_MAX_NS)),
                                                          static_cast<int>(s.low_pkts))
                                       : twin.dequeue_classic(ect);
      const pst_verdict expected = theirs == Twin::Verdict::kForward ? PST_PASS
                                   : theirs == Twin::Verdict::kMark  ? PST_MARK
                                                                     : PST_DROP;
      // A sum that is 1 except for rounding may hit one packet earlier or later.
      if (ours != expected && (near_whole(twin.lq_count) || near_whole(twin.cq_count) ||
                               near_whole(twin.lq_drop_count)))
        break;
      ASSERT_EQ(ours, expected);
      drops += ours == PST_DROP;
      marks += ours == PST_MARK;
      ++compared;
    }
  }
  EXPECT_GT(compared, 300'000);
  EXPECT_GT(drops, 1'000);
  EXPECT_GT(marks, 3'000);
}

// Section 2.1: p_L = k sqrt(p_C).
TEST(DualPi2, CouplesMarksToTheRootOfDrops) {
  const pst_dualpi2_params p = defaults();
  pst_dualpi2_state s{};
  s.probability_q32 = PST_Q32_ONE / 10;
  s.low_pkts = s.classic_pkts = 5;
  pst_queue q{};
  pst_packet low{}, classic{};
  low.tos = PST_ECT1;
  int marks = 0, drops = 0;
  for (int i = 0; i < 10'000; ++i) {
    marks += pst_dualpi2_on_leave(&p, &s, PST_DUAL_LOW, &q, &low) == PST_MARK;
    drops += pst_dualpi2_on_leave(&p, &s, PST_DUAL_CLASSIC, &q, &classic) == PST_DROP;
  }
  EXPECT_NEAR(marks, 2'000, 1);
  EXPECT_NEAR(drops, 100, 1);
}

TEST(DualPi2, GivesTheClassicQueueItsShareWhileBothWait) {
  const pst_dualpi2_params p = defaults();
  pst_dualpi2_state s{};
  s.low_pkts = s.classic_pkts = 1'000'000;
  double bytes[PST_DUAL_COUNT] = {};
  std::mt19937_64 random(16);
  u32 head = 1'500;
  for (int i = 0; i < 100'000; ++i) {
    const pst_dual_queue queue = pst_dualpi2_select(&s, head);
    const u32 sent = queue == PST_DUAL_LOW ? 1'500 : head;
    bytes[queue] += sent;
    pst_dualpi2_sent(&p, &s, queue, sent);
    if (queue == PST_DUAL_CLASSIC) head = static_cast<u32>(40 + random() % 1'461);
  }
  EXPECT_NEAR(bytes[PST_DUAL_CLASSIC] / (bytes[PST_DUAL_LOW] + bytes[PST_DUAL_CLASSIC]), 1.0 / 16,
              0.001);
}

TEST(DualPi2, ServesWhatIsThere) {
  const pst_dualpi2_params p = defaults();
  pst_dualpi2_state s{};
  s.classic_pkts = 1;
  EXPECT_EQ(pst_dualpi2_select(&s, 1'500), PST_DUAL_CLASSIC);
  s.low_pkts = 1;
  EXPECT_EQ(pst_dualpi2_select(&s, 1'500), PST_DUAL_LOW);
  for (int i = 0; i < 15; ++i) pst_dualpi2_sent(&p, &s, PST_DUAL_LOW, 1'500);
  EXPECT_EQ(pst_dualpi2_select(&s, 1'500), PST_DUAL_CLASSIC);
  // Nothing is owed to a queue that is empty.
  for (int i = 0; i < 15; ++i) pst_dualpi2_sent(&p, &s, PST_DUAL_LOW, 1'500);
  s.classic_pkts = 0;
  pst_dualpi2_sent(&p, &s, PST_DUAL_LOW, 1'500);
  s.classic_pkts = 1;
  EXPECT_EQ(pst_dualpi2_select(&s, 1'500), PST_DUAL_LOW);
}

}  // namespace
