// SPDX-License-Identifier: GPL-2.0-only
// When `auto` holds a queue, on lines that are made up: no device, no rights.
#include "linux/gateway/tool/auto/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/automatic.h"

namespace penstock::test {
namespace {

using namespace gw;

constexpr std::uint64_t kSecond = 1'000'000'000;

// A line whose looks depend on what is held.
struct Line {
  AutoMachine machine{};
  std::uint64_t now_ns = 1000 * kSecond;
  std::vector<AutoDecision> decisions{};
  int held_s = 0;  // seconds in which something was held

  void run(int seconds, const std::function<AutoLooks(bool down, bool up)>& line) {
    for (int i = 0; i < seconds; ++i) {
      const bool down = machine.wants_live(kDown), up = machine.wants_live(kUp);
      held_s += down || up;
      now_ns += kSecond;
      for (const AutoDecision& d : machine.take(line(down, up), now_ns)) decisions.push_back(d);
    }
  }
  std::string story(Way way) const {
    std::string text = "observing";
    for (const AutoDecision& d : decisions)
      if (d.way == way) text += std::string(" ") + auto_state_name(d.to);
    return text;
  }
};

AutoLook look(double wait_s, double goodput_bps, std::size_t flows = 4) {
  return {true,  wait_s > 0.02,    true, flows ? std::optional(wait_s) : std::nullopt, goodput_bps,
          flows, "Downloads wait."};
}

AutoLook quiet() { return look(0, 0, 0); }

AutoLooks helped(bool down, bool) {
  return {down ? look(0.005, 19e6) : look(0.065, 19e6), quiet()};
}
AutoLooks idle(bool, bool) { return {quiet(), quiet()}; }

TEST(Auto, IsLiveWithinThirtySecondsOfAFullLine) {
  Line line;
  line.run(10, idle);
  EXPECT_TRUE(line.decisions.empty());
  line.run(30, helped);
  EXPECT_EQ(line.machine.state(kDown), AutoState::kLive);
  EXPECT_EQ(line.machine.state(kUp), AutoState::kObserving);
  EXPECT_EQ(line.story(kDown), "observing trying live");
  const auto& evidence = line.decisions.back().evidence;
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->pairs, 2U);
  EXPECT_NEAR(evidence->delay_observing_s, 0.065, 1e-9);
  EXPECT_NEAR(evidence->delay_live_s, 0.005, 1e-9);
}

TEST(Auto, WithdrawsWhereTheQueueDoesNotAnswerAndTriesLessAndLess) {
  Line line;
  const auto neighbour = [](bool, bool) { return AutoLooks{look(0.07, 10e6), quiet()}; };
  line.run(60, neighbour);
  EXPECT_EQ(line.story(kDown), "observing trying withdrawn");
  EXPECT_NE(line.machine.reason(kDown).find("does not shorten the queue"), std::string::npos);
  EXPECT_FALSE(line.machine.wants_live(kDown));
  line.run(340, neighbour);
  EXPECT_EQ(line.story(kDown), "observing trying withdrawn trying withdrawn");
  const std::uint64_t wait_ns = line.machine.retry_ns(kDown) - line.machine.since_ns(kDown);
  EXPECT_EQ(wait_ns, 600 * kSecond);
  const int before_s = line.held_s;
  line.run(4 * 3600, neighbour);
  EXPECT_LT(line.held_s - before_s, 120) << "less than one part in a hundred";
}

// A television's segments fill the line for moments, whether they are held or not.
TEST(Auto, DecidesNothingByAQueueThatComesAndGoes) {
  Line line;
  int second = 0;
  const auto television = [&](bool, bool) {
    return AutoLooks{second++ % 5 < 3 ? look(0.06, 18e6) : look(0.002, 4e6), quiet()};
  };
  line.run(60, television);
  EXPECT_NE(line.machine.state(kDown), AutoState::kWithdrawn);
  EXPECT_NE(line.story(kDown).find("trying observing"), std::string::npos);
  const std::size_t before = line.decisions.size();
  line.run(600, television);
  EXPECT_EQ(line.decisions.size(), before) << "it takes a queue that stands for longer";
  line.run(30, helped);
  EXPECT_EQ(line.machine.state(kDown), AutoState::kLive);
}

TEST(Auto, WithdrawsWhereItCostsGoodput) {
  Line line;
  line.run(60, [](bool down, bool) {
    return AutoLooks{down ? look(0.005, 16e6) : look(0.065, 19e6), quiet()};
  });
  EXPECT_EQ(line.machine.state(kDown), AutoState::kWithdrawn);
  EXPECT_NE(line.machine.reason(kDown).find("costs down goodput"), std::string::npos);
}

// What it measures the rate by is lost at first: nothing is held then, and nothing shown.
TEST(Auto, LooksInWhichItKnowsNoRateDoNotCount) {
  Line line;
  int held = 0;
  line.run(80, [&](bool down, bool) {
    held = down ? held + 1 : 0;
    AutoLook seen = down && held > 6 ? look(0.005, 19e6) : look(0.065, down ? 8e6 : 19e6);
    seen.knows = !down || held > 6;
    return AutoLooks{seen, quiet()};
  });
  EXPECT_EQ(line.story(kDown), "observing trying live");
}

TEST(Auto, GivesUpAtOnceWhereGoodputCollapses) {
  Line line;
  line.run(40, [](bool down, bool) {
    return AutoLooks{down ? look(0.06, 3e6) : look(0.065, 19e6), quiet()};
  });
  EXPECT_EQ(line.machine.state(kDown), AutoState::kWithdrawn);
  EXPECT_NE(line.machine.reason(kDown).find("others fill the same line"), std::string::npos);
  EXPECT_LE(line.held_s, 2) << "no longer than two seconds worse than nothing";
}

TEST(Auto, CostsOfTheOtherDirectionCount) {
  Line line;
  line.run(80, [](bool down, bool) {
    AutoLook up = down ? look(0.02, 3e6) : look(0.02, 5e6);
    up.stands = false;
    return AutoLooks{down ? look(0.005, 19e6) : look(0.065, 19e6), up};
  });
  EXPECT_EQ(line.machine.state(kDown), AutoState::kWithdrawn);
  EXPECT_NE(line.machine.reason(kDown).find("costs up goodput"), std::string::npos);
}

TEST(Auto, TriesBothAtOnceWhereBothQueue) {
  Line line;
  line.run(30, [](bool down, bool up) {
    return AutoLooks{down ? look(0.005, up ? 18e6 : 12e6) : look(0.065, 18e6),
                     up ? look(0.006, 4.5e6) : look(0.08, 4.5e6)};
  });
  EXPECT_EQ(line.machine.state(kDown), AutoState::kLive);
  EXPECT_EQ(line.machine.state(kUp), AutoState::kLive);
}

// Held, downloads are faster, and their ACKs take a part of the line up.
TEST(Auto, OneDirectionMayGiveATenthToTheOther) {
  Line line;
  line.run(30, [](bool down, bool up) {
    return AutoLooks{down ? look(0.005, up ? 18e6 : 10e6) : look(0.065, 16e6),
                     up ? look(0.006, 3.6e6) : look(0.09, 4.0e6)};
  });
  EXPECT_EQ(line.machine.state(kDown), AutoState::kLive);
  EXPECT_EQ(line.machine.state(kUp), AutoState::kLive);
  line = {};
  line.run(100, [](bool down, bool up) {
    return AutoLooks{down ? look(0.005, 18e6) : look(0.065, 16e6),
                     up ? look(0.006, 3.2e6) : look(0.09, 4.0e6)};
  });
  EXPECT_NE(line.machine.state(kUp), AutoState::kLive) << "a fifth is too much";
}

// Uploads lose 0.6 of 4 Mbit/s, or a fourth, or a thirteenth: more than a seventh is not shown.
TEST(Auto, ALossThatNoPairsShowIsNoHarm) {
  Line line;
  int periods = 0;
  bool held = false;
  line.run(80, [&](bool down, bool up) {
    periods += up && !held;
    held = up;
    const double varied = periods % 2 ? 3.0e6 : 3.7e6;
    return AutoLooks{down ? look(0.005, 18.4e6) : look(0.065, 18e6),
                     up ? look(0.006, varied) : look(0.09, 4.0e6)};
  });
  EXPECT_EQ(line.machine.state(kDown), AutoState::kLive);
  EXPECT_EQ(line.machine.state(kUp), AutoState::kLive);
  EXPECT_EQ(line.story(kUp), "observing trying live");
}

// Downloads that uploads starve leave no queue of their own, and what is held is judged by both.
TEST(Auto, HoldsTheOtherDirectionTooOnceItFills) {
  Line line;
  line.run(30, helped);
  ASSERT_EQ(line.machine.state(kDown), AutoState::kLive);
  int alone_s = 0, longest_alone_s = 0, neither_s = 0;
  line.run(20, [&](bool down, bool up) {
    alone_s = down && !up ? alone_s + 1 : 0;
    longest_alone_s = std::max(longest_alone_s, alone_s);
    neither_s += !down;
    if (down && up) return AutoLooks{look(0.005, 18e6), look(0.008, 3.7e6)};
    return AutoLooks{look(0.001, 9e6), look(0.095, 4e6)};
  });
  EXPECT_EQ(line.story(kDown), "observing trying live") << "what was proved stays held";
  EXPECT_EQ(line.story(kUp), "observing trying live");
  EXPECT_EQ(neither_s, 0);
  EXPECT_LE(longest_alone_s, 3) << "the looks that find the queue, or a period";
}

// Where the other direction cannot be held, what is held costs more than nothing.
TEST(Auto, WhatIsHeldIsProvedAgainBesideAQueueThatStays) {
  Line line;
  line.run(30, helped);
  ASSERT_EQ(line.machine.state(kDown), AutoState::kLive);
  line.run(100, [](bool down, bool) {
    return AutoLooks{look(down ? 0.001 : 0.002, down ? 9e6 : 16e6), look(0.095, 4e6)};
  });
  EXPECT_EQ(line.story(kDown), "observing trying live trying withdrawn");
  EXPECT_EQ(line.machine.state(kDown), AutoState::kWithdrawn);
  EXPECT_EQ(line.machine.state(kUp), AutoState::kWithdrawn);
}

// One that cannot be held stays full, and is no reason to prove the other one again and again.
TEST(Auto, WhatIsProvedBesideAFullDirectionStays) {
  Line line;
  const auto full = [](bool down, bool) {
    return AutoLooks{down ? look(0.005, 19e6) : look(0.065, 19e6), look(0.09, 4e6)};
  };
  line.run(120, full);
  EXPECT_EQ(line.machine.state(kDown), AutoState::kLive);
  const std::string before = line.story(kDown);
  line.run(120, full);
  EXPECT_EQ(line.story(kDown), before);
}

TEST(Auto, TriesEachAloneWhereBothAtOnceFail) {
  Line line;
  line.run(150, [](bool down, bool up) {
    return AutoLooks{down ? look(0.005, up ? 12e6 : 18e6) : look(0.065, 18e6),
                     up ? look(0.06, 4.5e6) : look(0.06, 4.5e6)};
  });
  EXPECT_EQ(line.machine.state(kDown), AutoState::kLive);
  EXPECT_EQ(line.machine.state(kUp), AutoState::kWithdrawn);
  EXPECT_EQ(line.story(kUp), "observing trying observing trying withdrawn");
}

TEST(Auto, GivesUpBothAtOnceWhereOneCollapses) {
  Line line;
  const auto falls = [](bool down, bool up) {
    return AutoLooks{down ? look(0.005, 18e6) : look(0.065, 18e6),
                     up ? look(0.06, 0.7e6) : look(0.06, 4.5e6)};
  };
  line.run(6, falls);
  EXPECT_EQ(line.story(kDown), "observing trying observing");
  EXPECT_LE(line.held_s, 2) << "no longer than two seconds worse than nothing";
  line.run(150, falls);
  EXPECT_EQ(line.machine.state(kDown), AutoState::kLive);
  EXPECT_EQ(line.machine.state(kUp), AutoState::kWithdrawn);
}

TEST(Auto, ALoadThatEndsProvesNothing) {
  Line line;
  line.run(12, helped);
  EXPECT_EQ(line.machine.state(kDown), AutoState::kTrying);
  line.run(10, idle);
  EXPECT_EQ(line.story(kDown), "observing trying observing");
  EXPECT_NE(line.decisions.back().reason.find("load ended"), std::string::npos);
  line.run(30, helped);
  EXPECT_EQ(line.machine.state(kDown), AutoState::kLive);
}

TEST(Auto, RestsWithoutLoadAndStaysInPlace) {
  Line line;
  line.run(30, helped);
  line.run(40, idle);
  EXPECT_EQ(line.machine.state(kDown), AutoState::kIdle);
  EXPECT_TRUE(line.machine.wants_live(kDown)) << "the next download is held from its first second";
  line.run(2, helped);
  EXPECT_EQ(line.machine.state(kDown), AutoState::kLive);
}

TEST(Auto, ProvesAgainAndStepsBackWhenItIsNoLongerTrue) {
  Line line;
  line.run(30, helped);
  line.run(620, helped);
  EXPECT_EQ(line.story(kDown), "observing trying live trying live");
  const auto neighbour = [](bool, bool) { return AutoLooks{look(0.07, 10e6), quiet()}; };
  line.run(60, neighbour);
  EXPECT_EQ(line.story(kDown), "observing trying live trying live trying withdrawn");
  line.run(400, helped);
  EXPECT_EQ(line.machine.state(kDown), AutoState::kLive) << "by itself";
}

TEST(Auto, WhatIsNotItsOwnIsLeftAlone) {
  Line line;
  line.run(60, [](bool, bool) {
    AutoLook others = look(0.065, 19e6);
    others.may_hold = false;
    others.text = "wan0.down is attached by hand";
    return AutoLooks{others, quiet()};
  });
  EXPECT_EQ(line.story(kDown), "observing");
  EXPECT_EQ(line.machine.reason(kDown), "wan0.down is attached by hand");
}

TEST(Auto, NoiseDoesNotDecide) {
  Line line;
  int i = 0;
  line.run(60, [&i](bool, bool) {
    const double noise = (i++ * 7 % 5) - 2.0;
    return AutoLooks{look(0.065 + 0.005 * noise, 19e6 + 0.1e6 * noise), quiet()};
  });
  EXPECT_EQ(line.machine.state(kDown), AutoState::kWithdrawn);
}

TEST(Auto, FindsRateAndQueueItself) {
  Settings base;
  base.exempt = {"port 22"};
  EXPECT_EQ(automatic_settings(base, true).rate, "auto");
  EXPECT_EQ(automatic_settings(base, false).source, "passive");
  EXPECT_EQ(automatic_settings(base, false).exempt, base.exempt);
  base.rate = "20mbit";
  try {
    automatic_settings(base, true);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code, kUsage);
    EXPECT_TRUE(std::string(error.what()).starts_with("rate: auto finds"));
  }
}

}  // namespace
}  // namespace penstock::test
