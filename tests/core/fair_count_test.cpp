// SPDX-License-Identifier: GPL-2.0-only
// Equations 7 and 8 of core/discipline/fair_count.h by themselves, against a twin in floating
// point.
#include "core/discipline/fair_count.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>

namespace {

constexpr std::size_t kPairs = 12;
constexpr double kLeast = 1 / 16.0, kMost = 4096;

// N, in flows: what counts by itself, of each pair, and what is spared.
struct Twin {
  double alone = 0, spared = 0, last = 0, most = kMost, spare;
  std::array<double, kPairs> flows{};
  std::array<bool, kPairs> deaf{};

  explicit Twin(double part) : spare(part) {}

  double of(std::size_t i) const { return std::min(flows[i], 1.0); }
  double beyond(std::size_t i) const {
    return std::min(std::max(flows[i] - 1, 0.0), deaf[i] ? 0.0 : most);
  }
  double b() const {
    double sum = alone;
    for (std::size_t i = 0; i < kPairs; ++i) sum += of(i);
    return sum;
  }
  double e() const {
    double sum = 0;
    for (std::size_t i = 0; i < kPairs; ++i) sum += beyond(i);
    return sum;
  }
  double running() const {  // (7)
    const double held = b() + std::min(e(), b());
    const double f = 1.5 * spare;
    return held + std::min(spared, held * f / std::max(1 - f, 1 / 16.0));
  }
  double n() const { return std::max({1.0, last, running()}); }
  void advance(bool follows) {  // (8)
    const double least = e() > b() ? most * b() / e() : most * 9 / 8;
    last = follows ? running() : 0;
    most = follows ? std::clamp(least, kLeast, kMost) : kMost;
    alone = spared = 0;
    flows = {};
  }
};

class Count : public testing::TestWithParam<u64> {};

TEST_P(Count, IsTheEquations) {
  pst_fair_params p{};
  p.spare_q16 = GetParam();
  Twin twin(static_cast<double>(p.spare_q16) / 65536);
  pst_fair_state s{};
  s.most_beyond_q16 = PST_FAIR_MOST_BEYOND_Q16;
  pst_fair_count_advance(&p, &s, false);
  twin.advance(false);
  const auto pairs = std::make_unique<pst_fair_pairs>();
  std::mt19937_64 random(11);
  for (int interval = 0; interval < 2'000; ++interval) {
    // Loads last, so that l settles.
    const u64 load = static_cast<u64>(interval / 50 * 7 + 3);
    for (int event = 0; event < 60; ++event) {
      const u32 more_q16 = static_cast<u32>(random() % (PST_Q16_ONE * (1 + load % 40)));
      const double more = more_q16 / 65536.0;
      const u64 what = random() % 4;
      const auto i = static_cast<u32>(random() % (1 + load % kPairs));
      if (what == 0) {
        pst_fair_count_at(&s, pairs.get(), 0, more_q16 / 64, 0);
        twin.alone += (more_q16 / 64) / 65536.0;
      } else if (what == 1) {
        pst_fair_count_at(&s, pairs.get(), 0, more_q16 / 16, 1);
        twin.spared += (more_q16 / 16) / 65536.0;
      } else {
        pst_fair_count_at(&s, pairs.get(), i + 1, more_q16, 0);
        twin.flows[i] = std::min(twin.flows[i] + more, kMost);
      }
      const double n = static_cast<double>(pst_fair_flows_q16(&s)) / 65536;
      ASSERT_NEAR(n, twin.n(), 0.02 + 0.01 * twin.n()) << interval << " " << event;
    }
    const bool follows = random() % 100 != 0;
    pst_fair_count_advance(&p, &s, follows);
    twin.advance(follows);
    ASSERT_NEAR(static_cast<double>(s.most_beyond_q16) / 65536, twin.most, 0.005 + 0.01 * twin.most)
        << interval;
    for (std::size_t i = 0; i < kPairs; ++i) {
      pst_fair_pair& one = pairs->place[i];
      one.running_q16 = 0;
      twin.deaf[i] = random() % 4 == 0;
      one.lost_slots = twin.deaf[i] ? PST_PAIR_LOST_SLOTS : 0;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Spare, Count, testing::Values(0, 16384, 32768, 65536));

// Of pairs that want more than B, each gets at most 1 + l, and (8) finds the l at which E is B.
TEST(Count, DividesWhatIsBeyondAFlowByMaxMin) {
  pst_fair_params p{};
  pst_fair_state s{};
  const auto pairs = std::make_unique<pst_fair_pairs>();
  const double wants[] = {1.5, 3, 40, 200};
  double least = 1e9, most = 0;
  for (int interval = 0; interval < 200; ++interval) {
    pst_fair_count_advance(&p, &s, interval > 0);
    for (u32 i = 0; i < 4; ++i) pairs->place[i].running_q16 = 0;
    pst_fair_count_at(&s, pairs.get(), 0, 8 * 65536, 0);
    for (u32 i = 0; i < 4; ++i)
      pst_fair_count_at(&s, pairs.get(), i + 1, static_cast<u32>(wants[i] * 65536), 0);
    if (interval < 100) continue;
    const double l = static_cast<double>(s.most_beyond_q16) / 65536;
    least = std::min(least, l);
    most = std::max(most, l);
  }
  // B is 12: 0.5, 2 and twice l are 12 at 4.75; l goes up by an eighth, and down again.
  EXPECT_GT(least, 4.75 / 1.2);
  EXPECT_LT(most, 4.75 * 1.2);
}

}  // namespace
