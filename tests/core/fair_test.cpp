// SPDX-License-Identifier: GPL-2.0-only
// `fair` against a twin in floating point, and against who would turn it on others.
#include "fair_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

namespace {

// Equations 1 to 5, with a table of its own that has a row for each flow.
struct Twin {
  struct Row {
    double level = 0, mean = 0, seen_s = -1e9, part = 0, above_s = -1, hit_s = -1e9;
    long epoch = -1;
    bool held = false;
  };
  static constexpr double kMeanS = 4.294967296;
  double k_s = 0.1, target = kTarget, rate = kBytesPerS;
  std::map<u64, Row> rows{};
  double running = 0, last = 0, end_s = 0;
  long epoch = 0;
  double p = 0;  // with which the last packet is hit; 0 as well where it is spared

  void arrive(u64 flow, double bytes, bool controlled, bool restrained, double queue,
              double now_s) {
    if (now_s >= end_s) {
      last = now_s < end_s + k_s ? running : 0;
      running = 0;
      ++epoch;
      end_s = now_s + k_s;
    }
    Row& r = rows[flow];
    const double fair = rate * k_s / std::max(1.0, std::max(last, running));
    const double passed_s = now_s - r.seen_s;
    r.level = r.level * std::pow(std::max(0.0, 1 - passed_s / k_s / 4), 4) + bytes;
    r.mean = (passed_s < 4 * k_s ? r.mean * (1 - passed_s / kMeanS) : fair * kMeanS / k_s) + bytes;
    r.seen_s = now_s;
    const double behind = controlled ? 0 : std::max(0.0, fair - r.mean * k_s / kMeanS);
    const auto raised = [&](double v) { return v + std::min(v, 12 * behind); };
    const double share = raised(fair);
    if (r.level < share / 2) r.held = false;
    if (r.level <= share)
      r.above_s = -1;
    else if (r.above_s < 0)
      r.above_s = now_s;
    const double plain_limit = fair * target / std::clamp(queue, target / 2, 2 * target);
    const double limit = raised(plain_limit);
    const bool full = controlled ? restrained : r.held;
    const double part = full ? 1 : std::min(1.0, r.level / plain_limit);
    const double before = r.epoch == epoch ? r.part : 0;
    if (part > before) {
      running += part - before;
      r.part = part;
      r.epoch = epoch;
    }
    p = 0;
    if (controlled || r.level <= limit || queue <= target / 2) return;
    if (r.level <= share && !r.held) return;
    const bool responds = now_s - r.hit_s <= k_s && !(r.above_s >= 0 && now_s - r.above_s > k_s);
    if (r.level < 2 * limit && responds) return;
    p = 1 - limit / r.level;
  }

  void drop(u64 flow, double bytes, double now_s) {
    Row& r = rows[flow];
    r.held = true;
    r.hit_s = now_s;
    r.mean = std::max(0.0, r.mean - bytes);
  }
};

// What is told has no effect where the rate is measured.
TEST(Fair, IsTheEquations) {
  std::mt19937_64 random(7);
  int hits = 0, near = 0, apart = 0, packets = 0;
  for (int run = 0; run < 20; ++run) {
    Fair fair;
    Twin twin;
    twin.rate = 400'000;
    fair.q.rate_bytes_per_s = run % 2 ? 400'000 : 800'000;
    if (run % 2 == 0) fair.q.measured_bytes_per_s = 400'000;
    fair.p.target_ns = 1'000 * kMs;
    const u64 flows = 2 + random() % 12;
    for (u64 flow = 0; flow < flows; ++flow) fair.answer(flow);
    u64 now_ns = kMs;
    for (int i = 0; i < 3000; ++i, ++packets) {
      now_ns += random() % (2 * kMs);
      const u64 flow = std::min(random() % flows, random() % flows);
      const bool controlled = flow % 3 == 0, restrained = flow % 2 == 0;
      const u32 bytes = 60 + static_cast<u32>(random() % 1441);
      fair.q.now_ns = now_ns;
      fair.q.bytes = random() % (3 * kTarget);
      fair.q.random = static_cast<u32>(random());
      if (i % 1000 == 0) fair.answer(flow);
      const double now_s = static_cast<double>(now_ns) / 1e9;
      const pst_verdict verdict = fair.arrive(
          flow, bytes, controlled ? PST_KIND_CONTROLLED : PST_KIND_OTHER, 0, restrained);
      twin.arrive(flow, bytes, controlled, restrained, static_cast<double>(fair.q.bytes), now_s);
      const double x = fair.q.random / 4294967296.0;
      const bool hit = verdict == PST_DROP;
      // Times are rounded to milliseconds, and a draw may lie on the edge.
      if (hit != (x < twin.p) && std::abs(x - twin.p) > 0.01) ++near;
      if (hit) twin.drop(flow, bytes, now_s);
      hits += hit;
      // A level on the edge of half a share holds a flow in one of the two alone.
      const double count = static_cast<double>(pst_fair_flows_q16(&fair.s)) / 65536;
      if (std::abs(count - std::max(1.0, std::max(twin.last, twin.running))) > 0.01 * count)
        ++apart;
    }
  }
  EXPECT_GT(hits, 500);
  EXPECT_LT(near, packets / 500);
  EXPECT_LT(apart, packets / 50);
}

// Flows at these rates.
struct Flood {
  std::vector<double> rates;  // of C
  u64 queue_bytes = kTarget;
  pst_kind kind = PST_KIND_OTHER;
  u8 tos = 0;
  bool answered = true;
};

// The part of flow number `of` that is hit, once the averages are right.
double hit_part(Fair& fair, const Flood& flood, std::size_t of, double seconds = 2) {
  std::mt19937_64 random(3);
  std::vector<double> due(flood.rates.size());
  int sent = 0, hits = 0;
  for (u64 step = 0; step < static_cast<u64>(seconds * 1e5); ++step) {
    fair.q.now_ns += 10'000;
    for (std::size_t i = 0; i < due.size(); ++i) {
      due[i] += flood.rates[i] * static_cast<double>(kBytesPerS) * 1e-5;
      if (due[i] < 1000) continue;
      due[i] -= 1000;
      fair.q.random = static_cast<u32>(random());
      fair.q.bytes = flood.queue_bytes;
      if (flood.answered) fair.answer(i);
      const bool hit = fair.arrive(i, 1000, flood.kind, flood.tos) != PST_PASS;
      if (i != of || step < 50'000) continue;
      ++sent;
      hits += hit;
    }
  }
  return static_cast<double>(hits) / sent;
}

TEST(Fair, R36LeavesEachItsShareAtTheTarget) {
  // Max-min: 0.1 and 0.2 of C fit, and the other two have 0.35 each.
  const Flood flood{.rates = {0.1, 0.2, 0.7, 1.4}};
  for (const auto& [flow, part] :
       std::vector<std::pair<std::size_t, double>>{{0, 0}, {1, 0}, {2, 0.5}, {3, 0.75}}) {
    Fair fair;
    EXPECT_NEAR(hit_part(fair, flood, flow), part, 0.04) << flow;
  }
}

TEST(Fair, ActsOnlyWhileTheQueueIsNearItsTarget) {
  Fair fair;
  EXPECT_EQ(hit_part(fair, {.rates = {1.4, 0.1}, .queue_bytes = kTarget / 2}, 0), 0);
}

TEST(Fair, SparesWhatIsControlledAndWhatCarriesNoData) {
  for (const pst_kind kind : {PST_KIND_CONTROLLED, PST_KIND_SPARED}) {
    Fair fair;
    EXPECT_EQ(hit_part(fair, {.rates = {5, 0.1}, .queue_bytes = 3 * kTarget, .kind = kind}, 0), 0);
  }
}

struct Reacted {
  double goodput;  // of C
  int drops;
};

// A sender that falls to 0.7 of its rate at each loss, and at each mark if it `heeds` marks, and
// grows back by `growth` of C in a second.
Reacted reacted(unsigned tos, bool heeds, double growth = 0.1) {
  Fair fair;
  std::mt19937_64 random(13);
  double rate = 0.1, due = 0, due_beside = 0, passed = 0;
  int drops = 0;
  u64 reacts_ns = 0;
  for (int step = 0; step < 6'000'000; ++step) {
    fair.q.now_ns += 10'000;
    fair.q.bytes = kTarget;
    fair.q.random = static_cast<u32>(random());
    rate += growth * 1e-5;
    due_beside += static_cast<double>(kBytesPerS) * 1e-5;
    if (due_beside >= 1000) {
      due_beside -= 1000;
      fair.arrive(1, 1000, PST_KIND_CONTROLLED, 0, true);
    }
    due += rate * static_cast<double>(kBytesPerS) * 1e-5;
    if (due < 1000) continue;
    due -= 1000;
    fair.answer(0);
    const pst_verdict v = fair.arrive(0, 1000, PST_KIND_OTHER, static_cast<u8>(tos));
    if (v == PST_DROP)
      ++drops;
    else
      passed += 1000;
    if (fair.q.now_ns < reacts_ns || v == PST_PASS || (v == PST_MARK && !heeds)) continue;
    rate *= 0.7;
    reacts_ns = fair.q.now_ns + 100 * kMs;
  }
  return {passed / (60 * static_cast<double>(kBytesPerS)), drops};
}

// With peaks at the share it would have 0.43 of the link.
TEST(Fair, LeavesASenderThatSlowsDownAtLossesItsShareOnAverage) {
  const double goodput = reacted(0, false).goodput;
  EXPECT_GT(goodput, 0.46);
  EXPECT_LT(goodput, 0.51);
}

TEST(Fair, DropsNothingOfASenderThatHeedsMarks) {
  for (const unsigned tos : {PST_ECT0, PST_ECT1}) {
    const Reacted r = reacted(tos, true);
    EXPECT_GT(r.goodput, 0.44);
    EXPECT_LT(r.goodput, 0.51);
    EXPECT_EQ(r.drops, 0);
  }
}

// If a drop restored its marks, it would grow beyond its share for two seconds after each.
TEST(Fair, LeavesASenderThatHeedsDropsAloneNoMoreThanItsShare) {
  for (const unsigned tos : {PST_ECT0, PST_ECT1}) {
    const double goodput = reacted(tos, false, 0.5).goodput;
    EXPECT_GT(goodput, 0.46);
    EXPECT_LT(goodput, 0.53);
  }
}

TEST(Fair, MarksScalableSendersByTheRootOfTheProbability) {
  // At 1.25 times its share: 0.2 of its packets as a classic sender, 2 sqrt(0.2) = 0.89 else.
  const auto part = [](u8 tos) {
    Fair fair;
    return hit_part(fair, {.rates = {0.625, 0.9}, .tos = tos}, 0, 1.5);
  };
  EXPECT_NEAR(part(PST_ECT0), 0.2, 0.04);
  EXPECT_NEAR(part(PST_ECT1), 0.89, 0.06);
}

// Of a million sources that nobody answers, one flow: it has its share, and takes no one's.
TEST(Fair, CountsAMillionForgedSourcesAsOneFlow) {
  Fair fair;
  std::mt19937_64 random(5);
  int sent = 0, hits = 0, neighbour_hits = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    fair.q.now_ns += 267'000;  // 1,000 bytes at 1.5 C
    fair.q.bytes = kTarget;
    fair.q.random = static_cast<u32>(random());
    hits += fair.arrive(1'000 + static_cast<u64>(i), 1000, PST_KIND_OTHER) != PST_PASS;
    ++sent;
    if (i % 3) continue;
    for (u64 flow = 0; flow < 4; ++flow) fair.arrive(flow, 300, PST_KIND_CONTROLLED, 0, true);
    fair.answer(9);  // a neighbour with 0.075 of C
    fair.q.random = static_cast<u32>(random());
    neighbour_hits += fair.arrive(9, 150, PST_KIND_OTHER) != PST_PASS;
  }
  EXPECT_EQ(neighbour_hits, 0);
  // Five flows that want more divide what the neighbour leaves: 0.185 of C of its 1.5.
  EXPECT_NEAR(static_cast<double>(hits) / sent, 1 - 0.185 / 1.5, 0.02);
  EXPECT_LT(static_cast<double>(pst_fair_flows_q16(&fair.s)) / 65536, 6);
}

// A flow above its share that has a new name every so often, as QUIC has when it migrates, all of
// them answered, beside four flows that want more.
struct Migration {
  u64 period_ns = 0;
  double passed = 0;  // of C, what it is left
  double least_share = 1;  // of C, the smallest fair share meanwhile

  explicit Migration(u64 every_ns, u64 queue_bytes = kTarget) : period_ns(every_ns) {
    Fair fair;
    std::mt19937_64 random(11);
    constexpr int kPackets = 40'000;
    for (int i = 0; i < kPackets; ++i) {
      fair.q.now_ns += 267'000;  // 1,000 bytes at 1.5 C
      fair.q.bytes = queue_bytes;
      fair.q.random = static_cast<u32>(random());
      const u64 name = 100 + fair.q.now_ns / period_ns;
      fair.answer(name);
      passed += fair.arrive(name, 1000, PST_KIND_OTHER) == PST_PASS ? 1.5 / kPackets : 0;
      for (u64 flow = 0; i % 3 == 0 && flow < 4; ++flow)
        fair.arrive(flow, 300, PST_KIND_CONTROLLED, 0, true);
      const double share = static_cast<double>(fair.s.share_bytes) * 1e9 /
                           static_cast<double>(fair.p.average_ns) / kBytesPerS;
      if (fair.q.now_ns > 1'000 * kMs) least_share = std::min(least_share, share);
    }
  }
};

TEST(Fair, LeavesAFlowThatMigratesItsShareOfSomeAveragingTimesMore) {
  EXPECT_NEAR(Migration(1'000'000 * kMs).passed, 0.2, 0.01) << "it does not";
  // A level that starts at zero and rises to r is above the limit of (4) later, and by less.
  const double times = 1.3 + std::log(1.5 / 0.2);
  for (const u64 period_ms : {5000ULL, 1000ULL, 300ULL}) {
    const Migration m(period_ms * kMs);
    const double names = std::ceil(10'680 / static_cast<double>(period_ms));
    EXPECT_LT(m.passed, 0.2 * (1 + times * 0.1 * names / 10.68) + 0.002) << period_ms;
    EXPECT_GT(m.passed, 0.2) << period_ms;
    // Its old name counts for two averaging times at most.
    EXPECT_GT(m.least_share, 1.0 / 6.5) << period_ms;
  }
}

// Each name that its receiver answers within an averaging time is a flow, as with TCP, and begins
// like one. The queue is as long as the limit of (3) falls for.
TEST(Fair, LeavesAFlowOfManyAnsweredNamesLessThanTheLink) {
  const Migration m(20 * kMs, 2 * kTarget);
  EXPECT_LT(m.passed, 0.85);
  EXPECT_GT(m.least_share, 1.0 / 12);
}

// Cells collide, flows rarely: only in both tables would one answer for another.
TEST(Fair, LetsNoCollisionPunishANeighbour) {
  Fair fair;
  std::mt19937_64 random(9);
  std::vector<double> rates(100, 0.003);
  rates[0] = 2;
  int punished = 0;
  for (std::size_t flow = 1; flow < rates.size(); flow += 14)
    punished += hit_part(fair, {.rates = rates, .queue_bytes = 2 * kTarget}, flow, 1) > 0;
  EXPECT_EQ(punished, 0);
}

TEST(Fair, DividesTheLinkAmongControlledFlowsToo) {
  Fair fair;
  hit_part(fair, {.rates = {1, 1, 0.1}}, 0);
  for (u64 flow = 10; flow < 12; ++flow)
    for (int i = 0; i < 5; ++i) fair.arrive(flow, 1000, PST_KIND_CONTROLLED, 0, true);
  // Two of four that want more, and one that takes 0.1: 0.45 and 0.1 of C.
  const double share = static_cast<double>(fair.s.share_bytes) * 1e9 /
                       static_cast<double>(fair.p.average_ns) / kBytesPerS;
  EXPECT_NEAR(2 * share + 0.1, 0.55, 0.05);
}

// floor(2^20 passed / average) by the inverse of the average, without a division.
TEST(FairTable, ThePartOfAnAverageThatHasPassedIsExact) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const u64 average_ns = i % 3 ? 10'000'000 + random() % 990'000'001
                                 : 1ULL << (24 + static_cast<unsigned>(random() % 6));
    const u64 inverse = ~0ULL / average_ns;
    for (const u64 passed_ns : {u64{0}, u64{1}, random() % average_ns, average_ns - 1,
                                (average_ns - 1) / (1 + random() % 1000)})
      ASSERT_EQ(pst_fair_passed_q20(passed_ns, average_ns, inverse), (passed_ns << 20) / average_ns)
          << passed_ns << " " << average_ns;
  }
}

// Where the queue is further down and long, controlled flows may have no packet in K.
TEST(Fair, LeavesTheirSharesToFlowsThatTheLawCounts) {
  for (const u64 controlled : {0U, 4U}) {
    Fair fair;
    fair.q.controlled_q16 = controlled << 16;
    fair.q.bytes = kTarget;
    for (int i = 0; i < 1000; ++i) {
      fair.q.now_ns += kMs;
      fair.arrive(7, 1000, PST_KIND_OTHER);
    }
    EXPECT_NEAR(static_cast<double>(fair.s.share_bytes),
                kBytesPerS * 0.1 / static_cast<double>(controlled + 1), 100);
  }
}

}  // namespace
