// SPDX-License-Identifier: GPL-2.0-only
// CoDel against a twin in floating point that keeps its own queue, written from RFC 8289.
#include "core/discipline/codel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <random>
#include <vector>

#include "tests/core/twins/codel.h"

namespace {

using penstock::twins::Packet;
using Twin = penstock::twins::Codel;
using penstock::twins::kNone;

pst_packet packet(u32 bytes, u64 queued_ns) {
  pst_packet k{};
  k.bytes = bytes;
  k.queued_ns = queued_ns;
  return k;
}

// The header with a queue around it, as a host has it.
class Codel {
 public:
  explicit Codel(const pst_codel_params& p) : params_(p) {}

  void enqueue(const Packet& p) {
    queue_.push_back(p);
    view_.bytes += p.bytes;
    ++view_.packets;
  }

  int dequeue(u64 now, bool ecn) {
    view_.now_ns = now;
    while (!queue_.empty()) {
      const Packet p = queue_.front();
      queue_.pop_front();
      view_.bytes -= p.bytes;
      --view_.packets;
      const pst_packet k = packet(p.bytes, p.queued_ns);
      const pst_verdict verdict = pst_codel_on_leave(&params_, &state, &view_, &k);
      if (verdict == PST_PASS) return p.number;
      EXPECT_EQ(verdict, PST_SIGNAL);
      if (ecn && p.capable) {
        marked.push_back(p.number);
        return p.number;
      }
      dropped.push_back(p.number);
    }
    return kNone;
  }

  pst_codel_state state{};
  std::vector<int> dropped, marked;

 private:
  pst_codel_params params_;
  pst_queue view_{};
  std::deque<Packet> queue_;
};

constexpr pst_codel_params kDefaults{5'000'000, 100'000'000, 1500, 0};

TEST(Sqrt, IsTheFloor) {
  for (u64 root = 1; root < 0xffffffffULL; root += root / 100 + 1) {
    EXPECT_EQ(pst_sqrt(root * root), root);
    EXPECT_EQ(pst_sqrt(root * root - 1), root - 1);
  }
  EXPECT_EQ(pst_sqrt(0), 0U);
  EXPECT_EQ(pst_sqrt(~0ULL), 0xffffffffU);
}

TEST(Codel, LawIsTheIntervalOverTheRootOfTheCount) {
  for (const u64 interval : {1'000ULL, 100'000'000ULL, PST_MAX_NS})
    for (u64 count = 1; count < PST_CODEL_MAX_COUNT; count += count / 3 + 1) {
      const pst_codel_params p{5'000'000, interval, 1500, 0};
      pst_codel_state s{};
      s.count_pkts = count;
      const double exact = static_cast<double>(interval) / std::sqrt(static_cast<double>(count));
      EXPECT_NEAR(static_cast<double>(pst_codel_control_law(&p, &s, 0)), exact,
                  1.0 + exact / 65536);
    }
}

TEST(Codel, NewtonsStepsLagBehindTheRoot) {
  pst_codel_state s{};
  double x = 1;
  for (u64 count = 1; count <= 10'000; ++count) {
    s.count_pkts = count;
    pst_codel_root(&s);
    const auto n = static_cast<double>(count);
    if (count > 1) x = x * (3 - n * x * x) / 2;
    const double ours = static_cast<double>(s.inverse_root_q16) / 65536;
    ASSERT_NEAR(ours, x, 5e-5) << count;
    if (count > 20) {
      ASSERT_NEAR(ours, 1 / std::sqrt(n), 3e-4) << count;
    }
  }
  s.count_pkts = 1;
  pst_codel_root(&s);
  s.count_pkts = 2;
  pst_codel_root(&s);
  EXPECT_NEAR(static_cast<double>(s.inverse_root_q16) / 65536, 0.5, 1e-4);  // and not 0.707
}

// A queue of 20 packets that each waited 20 ms; one leaves each millisecond.
std::vector<u64> drop_times(Codel& codel, u64 until_ms, bool ecn) {
  std::vector<u64> times;
  int number = 0;
  for (u64 ms = 20; ms < until_ms; ++ms) {
    while (number < static_cast<int>(ms + 200))
      codel.enqueue({(ms - 20) * 1'000'000, 1000, true, number++});
    const std::size_t before = codel.dropped.size() + codel.marked.size();
    codel.dequeue(ms * 1'000'000, ecn);
    for (std::size_t i = before; i < codel.dropped.size() + codel.marked.size(); ++i)
      times.push_back(ms);
  }
  return times;
}

TEST(Codel, DropsAfterAnIntervalAndThenFasterWithTheRootOfTheCount) {
  Codel codel(kDefaults);
  const std::vector<u64> times = drop_times(codel, 500, true);
  // First above at 20 ms, so the first signal at 120 ms; then 100/sqrt(n) later.
  const std::vector<u64> expected{120, 220, 291, 349, 399, 444, 484};
  EXPECT_EQ(times, expected);
}

TEST(Codel, LeavesOnePacketAlone) {
  Codel codel(kDefaults);
  for (int i = 0; i < 100; ++i) {
    codel.enqueue({0, 1500, false, i});
    EXPECT_EQ(codel.dequeue(1'000'000'000ULL * static_cast<u64>(i + 1), false), i);
  }
  EXPECT_TRUE(codel.dropped.empty());
}

TEST(Codel, DropsWhatLeavesAfterAnIntervalAboveTheTarget) {
  Codel codel(kDefaults);
  for (int i = 0; i < 4; ++i) codel.enqueue({0, 1500, false, i});
  EXPECT_EQ(codel.dequeue(100'000'000, false), 0);  // above the target since now
  EXPECT_EQ(codel.dequeue(200'000'000, false), 2);  // for an interval: 1 is dropped
  EXPECT_EQ(codel.dropped, std::vector<int>{1});
}

struct Range {
  u64 target, interval, maxpacket, spread;
};

// Bursts and pauses around a server whose speed changes.
void compare(std::mt19937_64& random, const Range& r, bool ecn, int& drops, int& runs) {
  Codel codel({r.target, r.interval, r.maxpacket, 0});
  Twin twin(static_cast<double>(r.target), static_cast<double>(r.interval), r.maxpacket);
  u64 now = 1;
  int number = 0;
  for (int i = 0; i < 600 && !twin.close; ++i) {
    now += random() % (r.spread + 1);
    for (u64 n = random() % 4; n > 0; --n) {
      const Packet p{now, static_cast<u32>(40 + random() % 1461), random() % 2 == 0, number++};
      codel.enqueue(p);
      twin.enqueue(p);
    }
    for (u64 n = random() % 3; n > 0; --n) {
      now += random() % (r.spread / 4 + 1);
      const int theirs = twin.dequeue(static_cast<double>(now), ecn);
      const int ours = codel.dequeue(now, ecn);
      if (twin.close) break;
      ASSERT_EQ(ours, theirs) << "packet " << number;
      ASSERT_EQ(codel.dropped, twin.dropped);
      ASSERT_EQ(codel.marked, twin.marked);
    }
  }
  drops += static_cast<int>(codel.dropped.size() + codel.marked.size());
  runs += !twin.close;
}

TEST(Codel, DecidesAsTheRfcDoes) {
  std::mt19937_64 random(8289);
  int drops = 0, runs = 0;
  for (int i = 0; i < 3000; ++i) {
    const u64 interval = 1'000ULL << (random() % 30);
    const u64 target = 1'000ULL + random() % interval / (1 + random() % 20);
    const u64 spread = interval >> (random() % 8);
    const u64 maxpacket = random() % 3 ? 1500 : random() % 100'000;
    compare(random, {target, interval, maxpacket, spread}, random() % 2 == 0, drops, runs);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(drops, 10'000);
  EXPECT_GT(runs, 1'000);
}

}  // namespace
