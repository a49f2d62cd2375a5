// SPDX-License-Identifier: GPL-2.0-only
// What carries no data: some of it passes in `fair`, and more counts as flows, each with a share.
#include "fair_host.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {

constexpr double kC = static_cast<double>(kBytesPerS);
constexpr double kFree = 1.0 / (1 << PST_FAIR_SMALL_SHIFT);
constexpr u32 kSmall = 200, kPacket = 1000;
constexpr double kSeconds = 5, kFromS = 2;

struct Source {
  double rate;          // of C
  bool answered = true;
  bool forged = false;  // each packet under another name
  double due = 0, sent = 0, passed = 0;
};

// Small packets beside `controlled` flows that take what is left, with the queue at its target.
void run(Fair& fair, std::vector<Source>& sources, u64 controlled, double seconds = kSeconds) {
  std::mt19937_64 random{5};
  double due = 0;
  u64 forged = 1'000'000;
  for (u64 step = 0; step < static_cast<u64>(seconds * 1e4); ++step) {
    fair.q.now_ns += 100'000;
    fair.q.bytes = kTarget;
    double passed = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      Source& s = sources[i];
      for (s.due += s.rate * kC * 1e-4; s.due >= kSmall; s.due -= kSmall) {
        pst_packet k{};
        k.queued_ns = fair.q.now_ns;
        k.bytes = kSmall;
        k.kind = PST_KIND_SMALL;
        k.answered = s.answered;
        k.flow = pst_fair_hash(s.forged ? forged++ : i + 1);
        fair.q.random = static_cast<u32>(random());
        const bool passes = fair.arrive(k, 0) == PST_PASS;
        passed += passes ? kSmall : 0;
        if (static_cast<double>(step) < kFromS * 1e4) continue;
        s.sent += 1;
        s.passed += passes ? 1 : 0;
      }
    }
    due += std::max(0.0, kC * 1e-4 - passed);
    for (u64 flow = 0; due >= kPacket; due -= kPacket, ++flow)
      fair.arrive(1000 + flow % controlled, kPacket, PST_KIND_CONTROLLED, 0, true);
    for (u64 flow = 0; step % 200 == 0 && flow < controlled; ++flow)
      fair.arrive(1000 + flow, kSmall, PST_KIND_CONTROLLED, 0, true);
  }
}

double goodput(const Source& s) { return s.passed * kSmall / (kSeconds - kFromS) / kC; }
double lost(const Source& s) { return 1 - s.passed / s.sent; }

TEST(FairSmall, LosesNothingOfAFew) {
  for (const bool forged : {false, true}) {
    std::vector<Source> few{{.rate = 0.9 * kFree, .answered = !forged, .forged = forged}};
    Fair fair;
    run(fair, few, 40);
    EXPECT_EQ(lost(few[0]), 0) << forged;
  }
}

// A sixteenth of the link and a share, under whatever names.
TEST(FairSmall, HoldsAFloodToAShareUnderAnyNames) {
  for (const bool forged : {false, true}) {
    for (const double rate : {0.8, 1.5, 3.0}) {
      std::vector<Source> flood{{.rate = rate, .answered = !forged, .forged = forged}};
      Fair fair;
      run(fair, flood, 4);
      const double share = (1 - kFree) / 5;
      EXPECT_LE(goodput(flood[0]), kFree + 1.3 * share) << forged << " " << rate;
      EXPECT_GE(goodput(flood[0]), kFree + 0.8 * share) << forged << " " << rate;
    }
  }
}

TEST(FairSmall, ACKsOfAFlowLoseNothingBesideAFlood) {
  for (const bool forged : {false, true}) {
    std::vector<Source> senders{{.rate = 1.5, .answered = !forged, .forged = forged},
                                {.rate = 0.1}};
    Fair fair;
    run(fair, senders, 4);
    EXPECT_EQ(lost(senders[1]), 0) << forged;
    EXPECT_GT(lost(senders[0]), 0.7) << forged;
  }
}

// The ACKs of a flow are not its data, which may be held while they are not.
TEST(FairSmall, DataIsNotItsAcks) {
  Fair fair;
  std::vector<Source> acks{{.rate = 0.1}, {.rate = 1.5}};
  fair.q.bytes = 2 * kTarget;
  for (int i = 0; i < 3000; ++i) fair.arrive(0, 1500, PST_KIND_CONTROLLED);
  run(fair, acks, 4, 2.1);
  EXPECT_EQ(lost(acks[0]), 0);
}

TEST(FairSmall, AnswersNothing) {
  Fair fair;
  std::vector<Source> acks{{.rate = 0.01}};
  run(fair, acks, 1, 2.1);
  fair.s.known_ns = 1;
  fair.q.now_ns += 2 * PST_FAIR_ONE_WAY_NS;
  ASSERT_TRUE(pst_fair_is_one_way(&fair.s, fair.q.now_ns));
  for (int i = 0; i < 10'000; ++i) {
    fair.q.bytes = 3 * kTarget;
    EXPECT_EQ(fair.arrive(7, kSmall, PST_KIND_SMALL), PST_PASS);
  }
  EXPECT_TRUE(pst_fair_is_one_way(&fair.s, fair.q.now_ns));
}

}  // namespace
