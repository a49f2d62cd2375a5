// SPDX-License-Identifier: GPL-2.0-only
// What `fair` spares: who keeps his rate, as far as the spared part of the link goes. And who would
// turn that into more: by rising slowly, by pulses, by new names, by many flows.
#include "fair_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace {

constexpr double kC = static_cast<double>(kBytesPerS);
constexpr u32 kPacket = 1000;

// A sender that no window controls.
struct Sender {
  std::function<double(double now_s, double lost)> rate;  // of C; `lost` in the last 200 ms
  std::function<u64(double now_s)> name = {};
  double due = 0, sent = 0, passed = 0, window_sent = 0, window_lost = 0, lost = 0;
};

// `senders` beside `controlled` flows that take what is left and fill their windows, with the queue
// at its target. What is counted is from `from_s` on.
struct Beside {
  Fair fair{};
  std::mt19937_64 random{17};

  Beside(std::vector<Sender>& senders, u64 controlled, double seconds, double from_s,
         u64 spare_q16 = PST_Q16_ONE / 2) {
    fair.p.spare_q16 = spare_q16;
    double due = 0;
    for (u64 step = 0; step < static_cast<u64>(seconds * 1e4); ++step) {
      fair.q.now_ns += 100'000;
      fair.q.bytes = kTarget;
      const double now_s = static_cast<double>(fair.q.now_ns) / 1e9;
      double passed = 0;
      for (std::size_t i = 0; i < senders.size(); ++i)
        passed += send(senders[i], i, now_s, from_s, step);
      due += std::max(0.0, kC * 1e-4 - passed);
      for (u64 flow = 0; due >= kPacket; due -= kPacket, ++flow)
        fair.arrive(1000 + flow % controlled, kPacket, PST_KIND_CONTROLLED, 0, true);
      for (u64 flow = 0; step % 200 == 0 && flow < controlled; ++flow)
        fair.arrive(1000 + flow, 60, PST_KIND_CONTROLLED, 0, true);
    }
  }

 private:
  double send(Sender& s, std::size_t i, double now_s, double from_s, u64 step) {
    double passed = 0;
    if (step % 2000 == 0) {
      s.lost = s.window_sent > 0 ? s.window_lost / s.window_sent : 0;
      s.window_sent = s.window_lost = 0;
    }
    for (s.due += s.rate(now_s, s.lost) * kC * 1e-4; s.due >= kPacket; s.due -= kPacket) {
      const u64 name = 1'000'000 * (i + 1) + (s.name ? s.name(now_s) : 0);
      fair.answer(name);
      fair.q.random = static_cast<u32>(random());
      const bool passes = fair.arrive(name, kPacket, PST_KIND_OTHER) == PST_PASS;
      s.window_sent += 1;
      s.window_lost += passes ? 0 : 1;
      passed += passes ? kPacket : 0;
      if (now_s < from_s) continue;
      s.sent += 1;
      s.passed += passes ? 1 : 0;
    }
    return passed;
  }
};

Sender constant(double rate) {
  return {.rate = [rate](double, double) { return rate; }};
}

double lost(const Sender& s) { return 1 - s.passed / s.sent; }
double goodput(const Sender& s, double seconds) { return s.passed * kPacket / seconds / kC; }

// As BBR does, it sends a quarter more in one of eight of its turns, and takes what passes for what
// there is; as CUBIC does, it falls at losses and grows back.
Sender bbr() {
  auto found = std::make_shared<double>(0.02);
  auto turn = std::make_shared<long>(0);
  return {.rate = [=](double now_s, double lost) {
    const long now = static_cast<long>(now_s / 0.2);
    const bool probes = now % 4 == 0;
    if (now != *turn) {
      const bool probed = *turn % 4 == 0;
      *found = std::clamp(*found * (probed ? 1.25 : 1.0) * (1 - lost), 0.01, 1.2);
      *turn = now;
    }
    return *found * (probes ? 1.25 : 1.0);
  }};
}

Sender cubic() {
  auto rate = std::make_shared<double>(0.02);
  auto turn = std::make_shared<long>(0);
  return {.rate = [=](double now_s, double lost) {
    const long now = static_cast<long>(now_s / 0.2);
    if (now != *turn) *rate = lost > 0 ? *rate * 0.7 : std::min(*rate + 0.02, 1.2);
    *turn = now;
    return *rate;
  }};
}

TEST(FairSpare, LosesNothingOfAStreamThatKeepsItsRate) {
  std::vector<Sender> senders{constant(0.295)};
  Beside(senders, 8, 30, 0);
  EXPECT_EQ(lost(senders[0]), 0);
}

TEST(FairSpare, HoldsAFloodToItsShare) {
  std::vector<Sender> senders{constant(1.5)};
  Beside(senders, 4, 30, 2);
  EXPECT_NEAR(goodput(senders[0], 28), 0.2, 0.02);
}

TEST(FairSpare, LeavesEachOfTwoStreamsHalfOfTheSparedPart) {
  std::vector<Sender> senders{constant(0.3), constant(0.3)};
  Beside(senders, 8, 60, 10);
  for (const Sender& s : senders) EXPECT_NEAR(goodput(s, 50), 0.25, 0.015);
}

TEST(FairSpare, LeavesASmallStreamItsRateBesideALargeOne) {
  std::vector<Sender> senders{constant(0.13), constant(0.48)};
  Beside(senders, 12, 60, 10);
  EXPECT_LT(lost(senders[0]), 0.005);
  EXPECT_NEAR(goodput(senders[1], 50), 0.37, 0.02);
}

TEST(FairSpare, HoldsWhoeverGrowsToItsShare) {
  for (const std::size_t count : {1U, 2U, 4U}) {
    for (const auto& kind : {bbr, cubic}) {
      std::vector<Sender> senders;
      for (std::size_t i = 0; i < count; ++i) senders.push_back(kind());
      Beside(senders, 8, 100, 40);
      const double share = 1.0 / (8 + static_cast<double>(count));
      for (const Sender& s : senders)
        EXPECT_LT(goodput(s, 60), 1.2 * share) << count << (kind == bbr ? " BBR" : " CUBIC");
    }
  }
}

// Video: scenes of twice the mean or of a fourth of it.
TEST(FairSpare, LosesNothingOfARateThatVariesWithItsScenes) {
  std::vector<Sender> senders{{.rate = [](double now_s, double) {
    const auto scene = static_cast<u64>(now_s / 2.3);
    return 0.04 + 0.26 * static_cast<double>(pst_fair_hash(scene) % 1000) / 1000;
  }}};
  Beside(senders, 16, 100, 0);
  EXPECT_LT(lost(senders[0]), 0.002);
}

// WebRTC's control raises its rate by 8 % in a second.
TEST(FairSpare, LosesNothingOfACallThatClimbs) {
  std::vector<Sender> senders{{.rate = [](double now_s, double) {
    return std::min(0.015 * std::pow(1.08, std::floor(now_s)), 0.15);
  }}};
  Beside(senders, 60, 60, 0);
  EXPECT_LT(lost(senders[0]), 0.002);
}

// Its quality rises by five times at once: it loses some seconds, and does not slow down.
TEST(FairSpare, FindsThatAStepWasNoGrowth) {
  std::vector<Sender> senders{
      {.rate = [](double now_s, double) { return now_s < 20 ? 0.06 : 0.3; }}};
  Beside(senders, 16, 80, 40);
  EXPECT_LT(lost(senders[0]), 0.001);
}

// Its first scene is dark, and the next one is more than four times a share: it is found not to
// slow down although its rate varies.
TEST(FairSpare, FindsThatVideoWhichBeginsInTheDarkDoesNotSlowDown) {
  std::vector<Sender> senders{{.rate = [](double now_s, double) {
    if (now_s < 5) return 0.01;
    const auto scene = static_cast<u64>(now_s / 2.3);
    return 0.04 + 0.26 * static_cast<double>(pst_fair_hash(scene) % 1000) / 1000;
  }}};
  Beside(senders, 20, 120, 60);
  EXPECT_LT(lost(senders[0]), 0.002);
}

// With a rate of the link that is measured, little is known of it when the first packets come.
TEST(FairSpare, TakesNoStreamForAFloodBeforeItsFirst200Milliseconds) {
  pst_fair_growth g{};
  for (u32 now = 1; now < 4 * PST_GROWTH_SLOT_UNITS; now += 2) {
    const u64 bytes_in_slot = now < 50 ? 134'000 : 39'000'000;
    const pst_growth_bounds b{.share_bytes = bytes_in_slot, .spare_bytes = bytes_in_slot / 2};
    pst_growth_add(&g, &b, 28'000, now);
    ASSERT_EQ(g.grown_slots, 0) << now;
  }
}

// Whatever they do, what passes of all of them is the spared part, and two seconds of it, as what
// lasts is spared apart.
TEST(FairSpare, SparesNoMoreThanItsPart) {
  const std::vector<std::pair<const char*, Sender>> cheats{
      {"rises slowly", {.rate = [](double now_s, double) { return 0.02 * std::pow(1.1, now_s); }}},
      {"pulses",
       {.rate = [](double now_s, double) { return std::fmod(now_s, 0.5) < 0.2 ? 1.5 : 0.0; }}},
      {"has new names",
       {.rate = [](double, double) { return 1.5; },
        .name = [](double now_s) { return static_cast<u64>(now_s / 0.5); }}},
      {"is just below half", constant(0.49)},
  };
  for (const auto& [what, cheat] : cheats) {
    double all[2] = {};
    for (const u64 spare_q16 : {u64{0}, PST_Q16_ONE / 2}) {
      std::vector<Sender> senders(8, cheat);
      Beside(senders, 8, 40, 2, spare_q16);
      for (const Sender& s : senders) all[spare_q16 > 0] += goodput(s, 38);
    }
    EXPECT_LT(all[1], std::max(0.55, 1.02 * all[0])) << what;
  }
}

TEST(FairSpare, GivesAPulseNoMoreThanAShareAndAHalf) {
  for (const double on_s : {0.02, 0.1, 0.2, 0.5}) {
    std::vector<Sender> senders{{.rate = [on_s](double now_s, double) {
      return std::fmod(now_s, 0.5 + on_s) < on_s ? 1.5 : 0.0;
    }}};
    Beside(senders, 4, 60, 5);
    EXPECT_LT(goodput(senders[0], 55), 0.3) << on_s;
  }
}

}  // namespace
