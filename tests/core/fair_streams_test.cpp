// SPDX-License-Identifier: GPL-2.0-only
// Streams that nobody answers: those that last have places of their own, within what is spared, and
// floods of forged flows have none.
#include "fair_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <tuple>
#include <vector>

namespace {

constexpr double kC = static_cast<double>(kBytesPerS);
constexpr u32 kPacket = 1000;

// A sender that nobody answers, and whose packet number `n` has the name that it says.
struct Source {
  std::function<double(double now_s)> rate;  // of C
  std::function<u64(u64 n)> name;
  u32 bytes = kPacket;
  double due = 0, sent = 0, passed = 0;
  u64 n = 0;
};

std::function<double(double)> constant(double rate) {
  return [rate](double) { return rate; };
}
std::function<u64(u64)> one(u64 name) {
  return [name](u64) { return name; };
}
std::function<u64(u64)> some(u64 first, u64 names) {
  return [first, names](u64 n) { return first + n % names; };
}

// Beside `controlled` flows that take what is left and fill their windows.
void run(Fair& fair, std::vector<Source>& sources, u64 controlled, double seconds, double from_s) {
  fair.p.spare_q16 = PST_Q16_ONE / 2;
  std::mt19937_64 random{11};
  double due = 0;
  for (u64 step = 0; step < static_cast<u64>(seconds * 1e4); ++step) {
    fair.q.now_ns += 100'000;
    fair.q.bytes = kTarget;
    const double now_s = static_cast<double>(fair.q.now_ns) / 1e9;
    double passed = 0;
    for (Source& s : sources)
      for (s.due += s.rate(now_s) * kC * 1e-4; s.due >= s.bytes; s.due -= s.bytes) {
        fair.q.random = static_cast<u32>(random());
        const bool passes = fair.arrive(s.name(s.n++), s.bytes, PST_KIND_OTHER) == PST_PASS;
        passed += passes ? s.bytes : 0;
        if (now_s < from_s) continue;
        s.sent += 1;
        s.passed += passes ? 1 : 0;
      }
    due += std::max(0.0, kC * 1e-4 - passed);
    for (u64 flow = 0; due >= kPacket; due -= kPacket, ++flow)
      fair.arrive(1000 + flow % controlled, kPacket, PST_KIND_CONTROLLED, 0, true);
    for (u64 flow = 0; step % 200 == 0 && flow < controlled; ++flow)
      fair.arrive(1000 + flow, 60, PST_KIND_CONTROLLED, 0, true);
  }
}

double lost(const Source& s) { return 1 - s.passed / s.sent; }
double goodput(const Source& s, double seconds) { return s.passed * s.bytes / seconds / kC; }

// 90 kbit/s of voice and a fourth of the link beside what nobody answers either.
TEST(FairStreams, AStreamThatLastsLosesNothingBesideWhatNobodyAnswers) {
  const Source others[] = {
      {.rate = constant(1.5), .name = one(7)},
      {.rate = constant(1.5), .name = some(5'000'000, 100'000'000)},
      {.rate = [](double s) { return static_cast<int>(s / 3) % 2 ? 0.02 : 1.0; }, .name = one(7)},
  };
  for (const Source& other : others) {
    std::vector<Source> senders{{.rate = constant(0.0045), .name = one(1), .bytes = 200},
                                {.rate = constant(0.25), .name = one(2)},
                                other};
    Fair fair;
    run(fair, senders, 8, 25, 12);
    EXPECT_EQ(lost(senders[0]), 0);
    EXPECT_EQ(lost(senders[1]), 0);
  }
}

// More than may be spared in all: each is held to its half of that, and is no flood, from the
// start.
TEST(FairStreams, TwoThatAreTooMuchAreEachHeldToHalfOfWhatIsSpared) {
  std::vector<Source> senders{{.rate = constant(0.3), .name = one(1)},
                              {.rate = constant(0.3), .name = one(2)}};
  for (const double seconds : {5, 12, 40}) {
    for (Source& s : senders) s.due = s.sent = s.passed = 0;
    Fair fair;
    run(fair, senders, 8, seconds, 0);
    for (const Source& s : senders) EXPECT_GE(goodput(s, seconds), 0.245) << seconds;
  }
}

TEST(FairStreams, ForgedFloodsHaveNoPlaces) {
  std::vector<Source> flood{{.rate = constant(1.5), .name = some(5'000'000, 100'000'000)}};
  Fair fair;
  run(fair, flood, 4, 20, 10);
  EXPECT_LE(goodput(flood[0], 10), 1.2 / 5);
}

// As many constant ones as one likes have what is spared, and a share: as answered ones have.
TEST(FairStreams, ManyHaveNoMoreThanIsSpared) {
  for (const u64 names : {2ULL, 20ULL, 1000ULL}) {
    std::vector<Source> many{{.rate = constant(1.5), .name = some(5'000'000, names)}};
    Fair fair;
    run(fair, many, 4, 20, 10);
    EXPECT_LE(goodput(many[0], 10), 0.55) << names;
  }
}

// Names that change each second, one or sixteen at once, have a share; that change each two
// seconds, what is spared and a share. Who was there before loses nothing.
TEST(FairStreams, NamesThatChangeHaveNoMoreThanIsSpared) {
  for (const auto& [names, seconds, most] :
       {std::tuple{1ULL, 1ULL, 0.2}, {16ULL, 1ULL, 0.2}, {1ULL, 2ULL, 0.5}, {16ULL, 2ULL, 0.5}}) {
    const auto changing = [n0 = names, s0 = seconds](u64 n) {
      return 5'000'000 + n / (3750 * s0) * n0 + n % n0;
    };
    std::vector<Source> senders{{.rate = constant(1.5), .name = changing},
                                {.rate = constant(0.0045), .name = one(1), .bytes = 200},
                                {.rate = constant(0.25), .name = one(2)}};
    Fair fair;
    run(fair, senders, 4, 40, 20);
    EXPECT_LE(goodput(senders[0], 20), most) << names << " for " << seconds << " s";
    EXPECT_EQ(lost(senders[1]), 0);
    EXPECT_LT(lost(senders[2]), 0.001);
  }
}

TEST(FairStreams, OneThatGrowsAfterwardsIsOneOfAllThatNobodyAnswers) {
  const auto grows = [](double s) { return s < 20 ? 0.02 : 1.5; };
  std::vector<Source> senders{{.rate = grows, .name = one(1)}, {.rate = grows, .name = one(2)}};
  Fair fair;
  run(fair, senders, 4, 40, 25);
  EXPECT_LE(goodput(senders[0], 15) + goodput(senders[1], 15), 1.2 / 5);
}

// What it has sent in 8 s is nothing that another one may have.
TEST(FairStreams, APauseOfASlotEndsIt) {
  pst_fair_streams s{};
  const u64 flow = pst_fair_hash(3);
  u32 now = 1001;
  for (int i = 0; i < 20; ++i, now += 500) {
    const u16 place = pst_fair_stream_of(&s, flow, now);
    EXPECT_EQ(place != 0, 500U * static_cast<unsigned>(i) >= PST_GROWTH_SLOT_UNITS) << i;
    EXPECT_EQ((place & PST_STREAM_LASTS) != 0, 500U * static_cast<unsigned>(i) >= PST_STREAM_UNITS)
        << i;
  }
  now += PST_GROWTH_SLOT_UNITS;
  EXPECT_EQ(pst_fair_stream_of(&s, flow, now), 0);
}

}  // namespace
