// SPDX-License-Identifier: GPL-2.0-only
// Whether data waits beyond the gateway: against a twin in floating point, and the cases by which
// it must not be fooled.
#include "core/queue/far_wait.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {

constexpr u64 kMs = 1'000'000;

// Says `wait_ns` each 50 ms for `seconds`; the time afterwards.
u64 say(pst_far_wait& w, u64 now_ns, double seconds, u64 wait_ns) {
  const u64 end_ns = now_ns + static_cast<u64>(seconds * 1e9);
  for (; now_ns < end_ns; now_ns += 50 * kMs) pst_far_wait_say(&w, wait_ns, now_ns);
  return now_ns;
}

TEST(FarWait, AQueueThatStandsIsKnownAfterThreeSeconds) {
  pst_far_wait w{};
  u64 now_ns = say(w, 1, 2.9, 74 * kMs);
  EXPECT_EQ(pst_far_wait_now_ns(&w, now_ns), 0U);
  now_ns = say(w, now_ns, 1.5, 74 * kMs);
  EXPECT_EQ(pst_far_wait_now_ns(&w, now_ns), 74 * kMs);
}

TEST(FarWait, ItIsForgottenWhenNothingIsSaid) {
  pst_far_wait w{};
  u64 now_ns = say(w, 1, 5, 74 * kMs);
  EXPECT_EQ(pst_far_wait_now_ns(&w, now_ns + 5000 * kMs), 0U);
  now_ns += 20'000 * kMs;
  now_ns = say(w, now_ns, 1.2, 74 * kMs);
  EXPECT_EQ(pst_far_wait_now_ns(&w, now_ns), 0U) << "what was before the pause proves nothing";
}

TEST(FarWait, ShortWaitsEndIt) {
  pst_far_wait w{};
  u64 now_ns = say(w, 1, 5, 74 * kMs);
  now_ns = say(w, now_ns, 2.1, PST_FAR_LONG_NS - 1);
  EXPECT_EQ(pst_far_wait_now_ns(&w, now_ns), 0U);
}

// One flow behind a slow radio beside three that wait for nothing.
TEST(FarWait, AMinorityDoesNotDecide) {
  pst_far_wait w{};
  u64 now_ns = 1;
  for (; now_ns < 8000 * kMs; now_ns += 20 * kMs)
    pst_far_wait_say(&w, now_ns / kMs % 80 < 20 ? 500 * kMs : 0, now_ns);
  EXPECT_EQ(pst_far_wait_now_ns(&w, now_ns), 0U);
}

TEST(FarWait, OneWaitOfASecondIsNoQueue) {
  pst_far_wait w{};
  u64 now_ns = 1;
  for (; now_ns < 10'000 * kMs; now_ns += 1100 * kMs) pst_far_wait_say(&w, 74 * kMs, now_ns);
  EXPECT_EQ(pst_far_wait_now_ns(&w, now_ns), 0U);
}

// The rule in real numbers, as its comment has it: of each second's waits, and seconds in turn.
struct Twin {
  double turn_s = 0, since_s = -1, mean_s = 0;
  std::vector<double> waits_s;
  void say(double wait_s, double now_s) {
    if (turn_s == 0) turn_s = now_s;
    if (now_s - turn_s >= 1) end(now_s);
    waits_s.push_back(wait_s);
  }
  void end(double now_s) {
    double sum_s = 0;
    std::size_t many = 0;
    for (const double wait_s : waits_s)
      if (wait_s >= 0.02) sum_s += wait_s, ++many;
    const bool most = now_s - turn_s < 2 && waits_s.size() >= 2 && 2 * many > waits_s.size();
    if (!most)
      since_s = -1;
    else if (since_s < 0)
      since_s = turn_s;
    mean_s = most ? sum_s / static_cast<double>(many) : 0;
    turn_s = now_s;
    waits_s.clear();
  }
  double now(double now_s) const {
    return since_s < 0 || now_s - turn_s > 3 || turn_s - since_s < 3 ? 0 : mean_s;
  }
};

TEST(FarWait, FollowsItsTwin) {
  std::mt19937_64 random(7);
  int found = 0;
  for (int round = 0; round < 200; ++round) {
    pst_far_wait w{};
    Twin twin;
    const double mean_s = static_cast<double>(random() % 60 + 5) / 1000;
    double now_s = 1;
    for (int i = 0; i < 400; ++i) {
      // Whole units of 2^-10 s, which both have exactly.
      now_s += static_cast<double>(random() % (i % 97 == 96 ? 4096 : 64) + 1) / 1024;
      const double wait_s =
          static_cast<double>(static_cast<u64>(mean_s * 2048) * (random() % 1024)) / 1024 / 1024;
      pst_far_wait_say(&w, static_cast<u64>(wait_s * 1e9), static_cast<u64>(now_s * 1e9));
      twin.say(wait_s, now_s);
      const double is_s =
          static_cast<double>(pst_far_wait_now_ns(&w, static_cast<u64>(now_s * 1e9))) / 1e9;
      ASSERT_NEAR(is_s, twin.now(now_s), 1e-7) << round << " " << i;
      found += is_s > 0;
    }
  }
  EXPECT_GT(found, 1000);
}

TEST(FarWait, TakesAnyNumbers) {
  std::mt19937_64 random(1);
  pst_far_wait w{};
  for (int i = 0; i < 100'000; ++i) {
    const u64 now_ns = (random() >> random() % 64) | 1;
    pst_far_wait_say(&w, random() >> random() % 64, now_ns);
    EXPECT_LE(pst_far_wait_now_ns(&w, random()), PST_MAX_NS);
  }
}

}  // namespace
