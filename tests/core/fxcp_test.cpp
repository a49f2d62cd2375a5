// SPDX-License-Identifier: GPL-2.0-only
// FXCP's aim against nis-2004's fuzzy controller in floating point, and its feedback against
// XCP's with that aim in place of the link's rate.
#include "core/discipline/fxcp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace {

constexpr std::array<std::array<double, 4>, 6> kQueue{{{-1, 0, 0.2, 0.4},
                                                       {0.3, 0.5, 0.8, 0.9},
                                                       {0.8, 0.9, 1.1, 1.2},
                                                       {1.1, 1.2, 1.4, 1.6},
                                                       {1.5, 1.7, 1.9, 2.0},
                                                       {1.9, 2.0, 1e9, 1e9}}};
constexpr std::array<std::array<double, 4>, 5> kGrowth{{{-1, 0, 0.8, 0.85},
                                                        {0.8, 0.85, 0.9, 0.95},
                                                        {0.9, 0.95, 1.05, 1.1},
                                                        {1.05, 1.1, 1.15, 1.2},
                                                        {1.15, 1.2, 1e9, 1e9}}};
// Section E.1: the output by queue (short to full) and growth.
constexpr int kRules[4][5] = {{5, 5, 5, 5, 4}, {5, 4, 4, 4, 3}, {3, 3, 2, 2, 2}, {2, 2, 2, 2, 2}};

double membership(double x, const std::array<double, 4>& angles) {
  if (x < angles[1]) return std::max(0.0, (x - angles[0]) / (angles[1] - angles[0]));
  if (x > angles[2]) return std::max(0.0, (angles[3] - x) / (angles[3] - angles[2]));
  return 1;
}

double aim(double x, double growth, const std::array<double, 6>& aims) {
  double moment = 0, weight = 0;
  const auto add = [&](double w, int output) {
    moment += w * aims[static_cast<std::size_t>(output - 1)];
    weight += w;
  };
  add(membership(x, kQueue[5]), 1);
  add(membership(x, kQueue[0]), 6);
  for (std::size_t q = 0; q < 4; ++q)
    for (std::size_t g = 0; g < 5; ++g)
      add(membership(x, kQueue[q + 1]) * membership(growth, kGrowth[g]), kRules[q][g]);
  return moment / weight;
}

constexpr pst_fxcp_params kDefaults{26214, 6554,  100'000'000, 16384, 32768,
                                    58982, 62259, 65536,       68813, 78643};

TEST(Fxcp, AimsWhereTheFuzzyControllerSays) {
  std::mt19937_64 random(11);
  for (int run = 0; run < 20'000; ++run) {
    pst_fxcp_params p = kDefaults;
    std::array<double, 6> aims{};
    u64* const values[] = {&p.aim_1_q16, &p.aim_2_q16, &p.aim_3_q16,
                           &p.aim_4_q16, &p.aim_5_q16, &p.aim_6_q16};
    for (std::size_t k = 0; k < 6; ++k) {
      *values[k] = 1 + random() % PST_FXCP_MAX_AIM_Q16;
      aims[k] = static_cast<double>(*values[k]) / 65536;
    }
    p.target_q16 = 656 + random() % 28'000;
    pst_fxcp_state s{};
    pst_queue q{};
    q.limit_bytes = 10'000 + random() % 100'000'000;
    s.before_bytes = random() % (q.limit_bytes + 1);
    s.xcp.persistent_bytes = random() % (q.limit_bytes + 1);
    const auto limit = static_cast<double>(q.limit_bytes);
    const auto queue = static_cast<double>(s.xcp.persistent_bytes);
    const double target = static_cast<double>(q.limit_bytes * p.target_q16 >> 16);
    const double grown = 1 + (queue - static_cast<double>(s.before_bytes)) / limit;
    const double exact = aim(queue / target, grown, aims);
    pst_fxcp_measure(&p, &s, &q);
    ASSERT_NEAR(static_cast<double>(s.aim_q16) / 65536, exact, 2e-3);
    ASSERT_EQ(s.before_bytes, s.xcp.persistent_bytes);
  }
}

// With all aims at 1 it is XCP that takes no notice of the queue.
TEST(Fxcp, IsXcpWithAnotherCapacity) {
  std::mt19937_64 random(12);
  for (const u64 aim_q16 : {u64{32768}, u64{65536}, u64{131072}}) {
    const pst_fxcp_params p{26214,   6554,    100'000'000, 16384,   aim_q16,
                            aim_q16, aim_q16, aim_q16,     aim_q16, aim_q16};
    const pst_xcp_params x{26214, 0, 6554, 100'000'000};
    pst_fxcp_state ours{};
    pst_xcp_state theirs{};
    pst_queue q{}, other{};
    q.limit_bytes = other.limit_bytes = 150'000;
    q.rate_bytes_per_s = 1'250'000;
    other.rate_bytes_per_s = q.rate_bytes_per_s * aim_q16 / 65536;
    pst_fxcp_init(&p, &ours, &q);
    pst_xcp_init(&x, &theirs, &other);
    for (int i = 0; i < 4000; ++i) {
      q.now_ns = other.now_ns += 1 + random() % 2'000'000;
      q.bytes = other.bytes = 0;
      pst_feedback a{20'000, 50'000 + static_cast<u32>(random() % 100'000), 0x7fffffff, 0};
      pst_feedback b = a;
      pst_packet k{};
      k.bytes = 1500;
      k.feedback = &a;
      pst_fxcp_on_arrive(&p, &ours, &q, &k);
      pst_fxcp_on_leave(&p, &ours, &q, &k);
      k.feedback = &b;
      pst_xcp_on_arrive(&x, &theirs, &other, &k);
      pst_xcp_on_leave(&x, &theirs, &other, &k);
      ASSERT_EQ(a.delta_bytes, b.delta_bytes);
      if (i % 50 == 49) {
        ASSERT_EQ(pst_fxcp_on_tick(&p, &ours, &q), pst_xcp_on_tick(&x, &theirs, &other));
      }
    }
  }
}

}  // namespace
