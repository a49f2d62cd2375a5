// SPDX-License-Identifier: GPL-2.0-only
// The one-way delay of data from timestamps: against a twin in floating point, and what is made of
// clocks that tick otherwise, drift, jump or stand still.
#include "core/flow/one_way.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "core/queue/common_wait.h"

namespace {

constexpr u64 kMs = 1'000'000;
constexpr u64 kStart = 5 * PST_NS_PER_S;

// Equation 1, with the least delay as it is.
struct Twin {
  double least_s = INFINITY;
  double wait_s(double arrival_s, double stamp_s) {
    least_s = std::min(least_s, arrival_s - stamp_s);
    return arrival_s - stamp_s - least_s;
  }
};

// A sender with a clock, and a gateway that takes its stamps.
class Sender {
 public:
  explicit Sender(double tick_s, double fast = 0, u32 offset = 0)
      : tick_s_(tick_s), fast_(fast), offset_(offset) {}

  u32 stamp(u64 sent_ns) const {
    const double own_s = static_cast<double>(sent_ns) * 1e-9 * (1 + fast_) + jump_s_;
    return offset_ + static_cast<u32>(static_cast<std::uint64_t>(own_s / tick_s_));
  }
  // What a segment says that was sent then and waited.
  std::optional<u64> send(u64 sent_ns, u64 wait_ns, u64 known_ns = 0) {
    u64 found = 0;
    const bool said = pst_one_way_take(&flow_, stamp(sent_ns), usual_, known_ns,
                                       sent_ns + kPath + wait_ns, &found);
    return said ? std::optional(found) : std::nullopt;
  }
  // One every `gap_ns` for `for_ns`, all of which wait for as long; the last value.
  std::optional<u64> run(u64 from_ns, u64 for_ns, u64 gap_ns, u64 wait_ns) {
    std::optional<u64> last;
    for (u64 at_ns = from_ns; at_ns < from_ns + for_ns; at_ns += gap_ns)
      if (const auto said = send(at_ns, wait_ns)) last = said;
    return last;
  }
  void jump(double s) { jump_s_ += s; }
  void expect(u32 usual) { usual_ = usual; }
  u32 tick() const { return flow_.tick; }

 private:
  static constexpr u64 kPath = 20 * kMs;
  double tick_s_, fast_, jump_s_ = 0;
  u32 offset_, usual_ = PST_TICK_UNKNOWN;
  pst_one_way flow_{};
};

TEST(OneWay, LearnsTheTicksThatAreInUse) {
  const std::pair<double, u32> ticks[] = {
      {1e-6, PST_TICK_US}, {1e-3, PST_TICK_MS}, {4e-3, PST_TICK_4MS}, {10e-3, PST_TICK_10MS}};
  for (const auto& [tick_s, expected] : ticks) {
    Sender sender(tick_s, 0, 0xffffff00);  // and wraps
    sender.run(kStart, PST_NS_PER_S, 600'000, 0);
    EXPECT_EQ(sender.tick(), expected) << tick_s;
    const u64 said = sender.run(kStart + PST_NS_PER_S, PST_NS_PER_S, 600'000, 30 * kMs).value_or(0);
    EXPECT_NEAR(static_cast<double>(said), 30e6, 0.7e6) << tick_s;
  }
}

TEST(OneWay, UsesNoOtherTick) {
  for (const double tick_s : {20e-6, 100e-6, 2e-3, 6.5e-3, 20e-3, 100e-3, 1.0}) {
    Sender sender(tick_s);
    sender.run(kStart, 10 * PST_NS_PER_S, 600'000, 0);
    EXPECT_FALSE(sender.run(kStart + 10 * PST_NS_PER_S, PST_NS_PER_S, 600'000, 30 * kMs)) << tick_s;
  }
}

TEST(OneWay, IsItsTwin) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    Sender sender(1e-6, 0, static_cast<u32>(random()));
    Twin twin;
    sender.run(kStart, 100 * kMs, kMs, 0);
    twin.wait_s(0.02, 0);
    u64 at_ns = kStart + 100 * kMs;
    for (int i = 0; i < 2000; ++i) {
      at_ns += 1000 * (1 + random() % 3000);
      const u64 wait_ns = random() % (80 * kMs);
      const auto said = sender.send(at_ns, wait_ns);
      ASSERT_TRUE(said);
      const double s = static_cast<double>(wait_ns) * 1e-9 + 0.02;
      ASSERT_NEAR(static_cast<double>(*said) * 1e-9, twin.wait_s(s, 0), 3e-6);
    }
  }
}

TEST(OneWay, CountsTheFirstSegmentOfAStampAlone) {
  Sender sender(1e-3);
  sender.run(kStart, PST_NS_PER_S, kMs, 0);
  const u64 now_ns = kStart + 2 * PST_NS_PER_S;
  EXPECT_TRUE(sender.send(now_ns, 5 * kMs));
  EXPECT_FALSE(sender.send(now_ns, 6 * kMs));          // the rest of a burst
  EXPECT_FALSE(sender.send(now_ns - 50 * kMs, 9 * kMs));  // a reordered one
}

// Its queue contains what others wait for.
TEST(OneWay, TakesWhatIsKnownOffANewcomersFirstValue) {
  Sender sender(1e-6);
  for (u64 at_ns = kStart; at_ns < kStart + PST_NS_PER_S; at_ns += kMs)
    sender.send(at_ns, 7 * kMs, 7 * kMs);
  EXPECT_NEAR(static_cast<double>(sender.send(kStart + PST_NS_PER_S, 7 * kMs).value_or(0)), 7e6,
              0.1e6);
}

TEST(OneWay, FollowsTheLeastDelayOfAFastClock) {
  Sender sender(1e-6, 100e-6);
  sender.run(kStart, 60 * PST_NS_PER_S, kMs, 0);
  EXPECT_LT(sender.run(kStart + 60 * PST_NS_PER_S, kMs, kMs, 0).value_or(kMs), 10'000U);
}

TEST(OneWay, BelievesNoClockThatStoodStill) {
  Sender sender(1e-6);
  sender.run(kStart, PST_NS_PER_S, kMs, 0);
  sender.jump(-0.5);
  EXPECT_FALSE(sender.send(kStart + PST_NS_PER_S, 0));  // no newer stamp
  sender.jump(-30);
  const auto said = sender.run(kStart + 40 * PST_NS_PER_S, PST_NS_PER_S, kMs, 0);
  EXPECT_LT(said.value_or(0), PST_ONE_WAY_MOST_NS + 1);
  const auto later = sender.run(kStart + 41 * PST_NS_PER_S, 30 * PST_NS_PER_S, kMs, 0);
  EXPECT_LT(later.value_or(0), 100'000U);
}

// Any stamps at any times: no wrap, no value beyond the bound.
TEST(OneWay, IsBoundedWhateverTheStampsSay) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 2000; ++trial) {
    pst_one_way flow{};
    u64 now_ns = random() >> (1 + random() % 40);
    u32 val = static_cast<u32>(random());
    for (int i = 0; i < 50; ++i) {
      now_ns += random() >> (10 + random() % 54) >> 20;
      val += static_cast<u32>(random() >> (32 + random() % 32));
      u64 wait_ns = 0;
      const u64 known_ns = random() % 2 ? random() % PST_MAX_NS : 0;
      const auto usual = static_cast<u32>(random() % 6);
      if (pst_one_way_take(&flow, val, usual, known_ns, now_ns, &wait_ns)) {
        ASSERT_LE(wait_ns, pst_max(PST_ONE_WAY_MOST_NS, known_ns));
      }
      ASSERT_LE(flow.base_ns, now_ns);
    }
  }
}

// --- What flows say together ---

u64 common(std::initializer_list<u64> said_ms) {
  pst_common_wait w{};
  for (u64 turn = 1; turn < 4; ++turn) {
    u32 place = 0;
    for (const u64 ms : said_ms) pst_common_wait_say(&w, place++, ms * kMs, turn * 10 * kMs);
  }
  return w.wait_ns / kMs;
}

TEST(CommonWait, IsTheSmallestOfTwoAndTheSecondOfMore) {
  EXPECT_EQ(common({7}), 7U);
  EXPECT_EQ(common({7, 30}), 7U);
  EXPECT_EQ(common({30, 7}), 7U);
  EXPECT_EQ(common({7, 8, 9}), 8U);
  EXPECT_EQ(common({9, 8, 7, 50, 8}), 8U);
}

TEST(CommonWait, OneOfManyNeitherShortensNorLengthensIt) {
  EXPECT_EQ(common({0, 7, 7, 7}), 7U);
  EXPECT_EQ(common({7, 7, 7, 4000}), 7U);
}

}  // namespace
