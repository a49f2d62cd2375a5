// SPDX-License-Identifier: GPL-2.0-only
// FQ-CoDel against its twin, and what RFC 8290 promises: shares, new flows first, overflow.
#include "core/discipline/fq_codel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>
#include <vector>

#include "tests/core/twins/fq_codel.h"

namespace {

using penstock::twins::kNone;
using penstock::twins::Packet;

constexpr pst_codel_params kCodel{5'000'000, 100'000'000, 1500, 0};
constexpr pst_fq_codel_params kDefaults{kCodel, 1514, 1024, 64, 0};

pst_packet packet(u32 bytes, u64 queued_ns) {
  pst_packet k{};
  k.bytes = bytes;
  k.queued_ns = queued_ns;
  return k;
}

// The header with FIFOs around it, as a host has it.
class Host {
 public:
  explicit Host(const pst_fq_codel_params& p) : p_(p), table_(p.queues), fifos_(p.queues) {}

  void enqueue(u32 i, const Packet& p) {
    fifos_[i].push_back(p);
    pst_fq_codel_added(&p_, &s_, table_.data(), i, p.bytes);
  }

  int dequeue(u64 now, bool ecn) {
    q_.now_ns = now;
    for (;;) {
      const u32 i = pst_fq_codel_select(&p_, &s_, table_.data());
      if (i == PST_FQ_NONE) return kNone;
      if (fifos_[i].empty()) {
        pst_fq_codel_drained(&s_, table_.data(), i);
        continue;
      }
      const Packet p = fifos_[i].front();
      fifos_[i].pop_front();
      pst_fq_codel_removed(table_.data(), i, p.bytes);
      const pst_packet k = packet(p.bytes, p.queued_ns);
      const pst_verdict verdict = pst_fq_codel_on_leave(&p_, table_.data(), i, &q_, &k);
      if (verdict == PST_SIGNAL && !(ecn && p.capable)) {
        dropped.push_back(p.number);
        continue;
      }
      pst_fq_codel_sent(table_.data(), i, p.bytes);
      return p.number;
    }
  }

  u32 fattest() const { return pst_fq_codel_fattest(&p_, table_.data()); }

  std::vector<int> dropped;

 private:
  pst_fq_codel_params p_;
  pst_fq_codel_state s_{};
  pst_queue q_{};
  std::vector<pst_fq_queue> table_;
  std::vector<std::deque<Packet>> fifos_;
};

TEST(FqCodel, ServesQueuesInTurnByBytes) {
  Host h(kDefaults);
  for (int i = 0; i < 300; ++i) {
    h.enqueue(1, {0, 1500, false, 1});
    h.enqueue(2, {0, 500, false, 2});
    h.enqueue(2, {0, 500, false, 2});
    h.enqueue(2, {0, 500, false, 2});
  }
  int bytes[3] = {};
  for (int i = 0; i < 600; ++i) {
    const int number = h.dequeue(1, false);
    bytes[number] += number == 1 ? 1500 : 500;
  }
  EXPECT_NEAR(bytes[1], bytes[2], 2 * 1514);
}

TEST(FqCodel, ServesANewFlowFirst) {
  Host h(kDefaults);
  for (int i = 0; i < 10; ++i) h.enqueue(1, {0, 1500, false, i});
  EXPECT_EQ(h.dequeue(1, false), 0);
  EXPECT_EQ(h.dequeue(1, false), 1);  // its quantum of 1514 lets two of 1500 go
  h.enqueue(2, {0, 100, false, 77});
  EXPECT_EQ(h.dequeue(1, false), 77);
  EXPECT_EQ(h.dequeue(1, false), 2);
}

TEST(FqCodel, FindsTheQueueWithTheMostBytes) {
  Host h(kDefaults);
  h.enqueue(5, {0, 900, false, 0});
  h.enqueue(9, {0, 600, false, 0});
  EXPECT_EQ(h.fattest(), 5U);
  h.enqueue(9, {0, 600, false, 0});
  EXPECT_EQ(h.fattest(), 9U);
}

TEST(FqCodel, SpreadsFlowsOverItsQueuesAndOtherwiseWithAnotherSalt) {
  std::vector<int> flows(kDefaults.queues);
  int moved = 0;
  pst_fq_codel_params salted = kDefaults;
  salted.perturbation = 12345;
  for (u32 key = 0; key < 102'400; ++key) {
    const u32 i = pst_fq_codel_classify(&kDefaults, key);
    ASSERT_LT(i, kDefaults.queues);
    ++flows[i];
    moved += pst_fq_codel_classify(&salted, key) != i;
  }
  // 100 each, standard deviation 10.
  EXPECT_GT(*std::min_element(flows.begin(), flows.end()), 50);
  EXPECT_LT(*std::max_element(flows.begin(), flows.end()), 150);
  EXPECT_GT(moved, 102'000);
}

TEST(FqCodel, SchedulesAndDropsAsTheRfcDoes) {
  std::mt19937_64 random(8290);
  std::size_t drops = 0;
  int runs = 0;
  for (int run = 0; run < 1500; ++run) {
    const u64 interval = 1'000'000ULL << (random() % 8);
    const u64 target = interval / (1 + random() % 40);
    const u64 quantum = 64 + random() % (random() % 2 ? 200 : 6000);
    const u64 queues = 1 + random() % 5;
    const pst_fq_codel_params p{{target, interval, 1500, 0}, quantum, queues, 64, 0};
    Host ours(p);
    penstock::twins::FqCodel twin(queues, static_cast<std::int64_t>(quantum),
                                  static_cast<double>(target), static_cast<double>(interval));
    u64 now = 1;
    for (int i = 0; i < 400 && !twin.close; ++i) {
      now += random() % (interval / 4);
      for (u64 n = random() % 5; n > 0; --n) {
        const auto queue = static_cast<u32>(std::min(random() % queues, random() % queues));
        const Packet packet{now, static_cast<u32>(40 + random() % 1461), random() % 2 == 0, i};
        ours.enqueue(queue, packet);
        twin.enqueue(queue, packet);
      }
      for (u64 n = random() % 4; n > 0; --n) {
        now += random() % (interval / 8);
        const int theirs = twin.dequeue(static_cast<double>(now), run % 2);
        const int mine = ours.dequeue(now, run % 2);
        if (twin.close) break;
        ASSERT_EQ(mine, theirs);
      }
    }
    if (twin.close) continue;
    std::vector<int> theirs = twin.dropped();
    std::sort(theirs.begin(), theirs.end());
    std::sort(ours.dropped.begin(), ours.dropped.end());
    ASSERT_EQ(ours.dropped, theirs);
    drops += theirs.size();
    ++runs;
  }
  EXPECT_GT(drops, 5'000U);
  EXPECT_GT(runs, 500);
}

}  // namespace
