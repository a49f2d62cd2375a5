// SPDX-License-Identifier: GPL-2.0-only
// The gateway's programs in simulated worlds: those of the first seeds, for PENSTOCK_WORLD_S
// seconds at most.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/world/judge.h"
#include "tests/world/world.h"

namespace penstock::world {
namespace {

constexpr u64 kFar = 900 * kSecond;
constexpr u64 kSeeds = 500;  // the same on machines of any speed; penstock-world goes on

bool has(const Script& s, Kind kind) {
  return std::any_of(s.events.begin(), s.events.end(),
                     [kind](const Event& e) { return e.kind == static_cast<u64>(kind); });
}

// One transfer of 4 MB over 20 Mbit/s.
Script transfer() {
  return parse_script(
      "world rate_kbps=20000 buffer_bytes=97000 near_us=10000 far_us=10000 flows=64 half_open=64\n"
      "flow number=1 near_bytes=4000000 near_mss=1460 far_mss=1460 near_scale=7 far_scale=7 "
      "far_buffer=1000000 isn=1\n");
}

TEST(World, HoldsForTheFirstSeeds) {
  using Clock = std::chrono::steady_clock;
  const char* text = std::getenv("PENSTOCK_WORLD_S");
  const auto end = Clock::now() + std::chrono::seconds(text ? std::atoi(text) : 10);
  u64 judged = 0;
  for (u64 seed = 1; seed <= kSeeds && Clock::now() < end; ++seed) {
    const Verdict v = judge(script_of(seed));
    judged += v.judged;
    ASSERT_EQ(v.broken, "") << "seed " << seed << ", cut down:\n"
                            << text_of(shrunk(script_of(seed)));
  }
  EXPECT_GT(judged, 0U);
}

// Those that failed once.
TEST(World, HoldsForTheScripts) {
  int played = 0;
  for (const auto& file : std::filesystem::directory_iterator(PENSTOCK_WORLD_SCRIPTS)) {
    EXPECT_EQ(judge(read_script(file.path())).broken, "") << file.path();
    ++played;
  }
  EXPECT_GT(played, 0);
}

TEST(World, IsTheSameForTheSameSeed) {
  const Script s = script_of(5);
  const Outcome a = World(s, true).play(kFar), b = World(s, true).play(kFar);
  EXPECT_EQ(a.ended_ns, b.ended_ns);
  EXPECT_EQ(a.packets, b.packets);
}

TEST(World, IsReadAsItIsWritten) {
  const std::string text = text_of(script_of(7));
  EXPECT_EQ(text_of(parse_script(text)), text);
  EXPECT_THROW(parse_script("event kind=nothing"), std::runtime_error);
  EXPECT_THROW(parse_script("flow colour=1"), std::runtime_error);
  EXPECT_THROW(read_script("no-such-script"), std::runtime_error);
  EXPECT_THROW(read_script("."), std::runtime_error);
}

// The queue overflows; with the gateway it does not, and the transfer takes what the link takes.
TEST(World, HasATransferAsLongAsItsLinkNeeds) {
  const Outcome alone = World(transfer(), false).play(kFar);
  const Outcome with = World(transfer(), true).play(kFar);
  EXPECT_EQ(with.broken, "");
  EXPECT_GT(with.ended_ns[0], 1600 * kMs);
  EXPECT_LT(with.ended_ns[0], 2000 * kMs);
  EXPECT_LT(with.ended_ns[0], alone.ended_ns[0]);
}

TEST(World, LosesWhatALinkLoses) {
  Script s = transfer();
  const u64 alone_ns = World(s, false).play(kFar).ended_ns[0];
  s.events.push_back({.at_us = 500'000, .for_us = 10'000'000, .place = 1, .value = 10});
  EXPECT_GT(World(s, false).play(kFar).ended_ns[0], 2 * alone_ns);
}

// With either of them less is sent again.
TEST(World, HasSackAndEcn) {
  Script plain = transfer(), ecn = plain, lossy = plain;
  lossy.events.push_back({.at_us = 500'000, .for_us = 10'000'000, .place = 1, .value = 5});
  Script sack = lossy;
  sack.flows[0].sack = 1;
  EXPECT_LT(World(sack, false).play(kFar).packets, World(lossy, false).play(kFar).packets);
  ecn.flows[0].ecn = kEct0;
  const Outcome lost = World(plain, false).play(kFar);
  EXPECT_LT(World(ecn, false).play(kFar).packets, lost.packets);
}

// The window closes, and opens when the application reads again.
TEST(World, HasReceiversThatDoNotRead) {
  Script s = transfer();
  s.flows[0].far_buffer = 100'000;
  s.flows[0].stall_us = 5'000'000;
  for (const bool has_gateway : {false, true}) {
    const Outcome o = World(s, has_gateway).play(kFar);
    EXPECT_EQ(o.broken, "");
    EXPECT_GT(o.ended_ns[0], 5 * kSecond);
    EXPECT_LT(o.ended_ns[0], 9 * kSecond);
  }
}

// The second has the ports of the first, which ends, or vanishes.
TEST(World, UsesPortsAgain) {
  for (const u64 quits_us : {0, 500'000}) {
    Script s = transfer();
    s.flows.push_back(s.flows[0]);
    s.flows[0].quits_us = quits_us;
    s.flows[1].number = 2;
    s.flows[1].again = 1;
    s.flows[1].isn = 100'000'000;
    s.flows[1].far_scale = 2;
    const Outcome o = World(s, true).play(kFar);
    EXPECT_EQ(o.broken, "");
    EXPECT_EQ(o.ended_ns[0] == kNever, quits_us != 0);
    EXPECT_GT(o.ended_ns[1], 1800 * kMs);
    EXPECT_LT(o.ended_ns[1], 6 * kSecond);
  }
}

// Of three that want more, one gets a tenth of what the others get.
TEST(World, R36KnowsWhoGetsTooLittle) {
  Fairness fairness(1000);
  std::vector<Progress> flows(3, {.wants = true, .judged = true, .most_bytes_per_s = 1'000'000});
  std::optional<Share> share;
  for (int i = 0; i < 30 && !share; ++i) {
    share = fairness.sample(flows);
    for (std::size_t f = 0; f < flows.size(); ++f) flows[f].bytes += f ? 200 : 20;
  }
  ASSERT_TRUE(share);
  EXPECT_EQ(share->flow, 0U);
  EXPECT_EQ(share->percent, 12U);
}

// The same where one is not controlled: the two others have 66 % of their shares.
TEST(World, R36KnowsWhatControlledFlowsGetBesideOthers) {
  Fairness fairness(1000);
  std::vector<Progress> flows(3, {.wants = true, .judged = true, .most_bytes_per_s = 1'000'000});
  flows[1].judged = false;
  std::optional<Share> share;
  for (int i = 0; i < 30 && !share; ++i) {
    share = fairness.sample(flows);
    for (std::size_t f = 0; f < flows.size(); ++f) flows[f].bytes += f ? 200 : 20;
  }
  ASSERT_TRUE(share);
  EXPECT_TRUE(share->mixed);
  EXPECT_EQ(share->percent, 66U);
}

// The gateway has not seen the handshake of the other. It slows down at marks, whatever its first
// number is.
TEST(World, R36HoldsBesideAFlowThatIsNotControlled) {
  for (const u64 ecn : {kNotEct, kEct0, kEct1}) {
    Script s = transfer();
    s.settings.rate_kbps = 4000;
    s.flows[0].near_bytes = 30'000'000;
    s.flows.push_back(s.flows[0]);
    s.flows[1].number = 2;
    s.flows[1].unseen = 1;
    s.flows[1].ecn = ecn;
    s.flows[1].isn = 3'000'000'000;
    EXPECT_GT(World(s, true).play(60 * kSecond).least_mixed_percent, 75U) << ecn;
  }
}

// The first of them that is drawn.
TEST(World, HoldsForADrawnSenderThatIgnoresMarks) {
  const auto is_deaf = [](const Flow& f) { return f.deaf != 0; };
  u64 seed = 1;
  for (; seed <= 2000; ++seed) {
    const Script s = script_of(seed);
    if (std::any_of(s.flows.begin(), s.flows.end(), is_deaf)) break;
  }
  ASSERT_LE(seed, 2000U);
  EXPECT_EQ(judge(script_of(seed)).broken, "");
}

// Three that ignore marks and slow down at losses, beside four that are controlled.
TEST(World, R36HoldsBesideSendersThatIgnoreMarks) {
  for (const u64 ecn : {kEct0, kEct1}) {
    Script s = transfer();
    s.settings.near_us = s.settings.far_us = 2500;
    s.settings.heal_us = 4'000'000;
    for (u64 number = 1; number <= 7; ++number) {
      Flow f = s.flows[0];
      f.number = number;
      f.near_bytes = 1'000'000'000;
      f.sack = 1;
      f.unseen = f.deaf = number > 4;
      f.ecn = f.unseen ? ecn : kNotEct;
      s.flows.push_back(f);
    }
    s.flows.erase(s.flows.begin());
    EXPECT_GT(World(s, true).play(40 * kSecond).least_mixed_percent, 80U) << ecn;
  }
}

TEST(World, IsCutToWhatItsFailureNeeds) {
  u64 seed = 1;
  while (!has(script_of(seed), Kind::k_damage) || script_of(seed).flows.size() < 4) ++seed;
  const Script s =
      shrunk(script_of(seed), [](const Script& part) { return has(part, Kind::k_damage); });
  EXPECT_EQ(s.flows.size(), 1U);
  EXPECT_EQ(s.events.size(), 1U);
  EXPECT_TRUE(has(s, Kind::k_damage));
}

}  // namespace
}  // namespace penstock::world
