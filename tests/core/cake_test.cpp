// SPDX-License-Identifier: GPL-2.0-only
// COBALT and CAKE against their twins, and what CAKE promises: shares of hosts and of flows.
#include "core/discipline/cake.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "tests/core/twins/cake.h"

namespace {

using penstock::twins::kNone;
using penstock::twins::Packet;
using Twin = penstock::twins::Cobalt;

constexpr u64 kMs = 1'000'000;
constexpr pst_cake_params kDefaults{5 * kMs, 100 * kMs, 1 << 24, 1 << 20, 1, 1024, 1, 1, 0};

double seconds(u64 ns) { return static_cast<double>(ns) * 1e-9; }
double ratio(u64 q32) { return static_cast<double>(q32) / 4294967296.0; }

pst_queue link_of(u64 rate_bps) {
  pst_queue q{};
  q.rate_bytes_per_s = rate_bps / 8;
  return q;
}

Twin twin_of(const pst_cobalt_params& p) {
  Twin t;
  t.target = seconds(p.target_ns);
  t.interval = seconds(p.interval_ns);
  t.packet = seconds(p.packet_ns);
  t.raise = ratio(p.raise_q32);
  t.lower = ratio(p.lower_q32);
  return t;
}

pst_verdict expected(Twin::Verdict verdict) {
  if (verdict == Twin::Verdict::kForward) return PST_PASS;
  return verdict == Twin::Verdict::kMark ? PST_MARK : PST_DROP;
}

// A parameter over its whole range, small and large ones as likely.
u64 any(std::mt19937_64& random, u64 least, u64 most) {
  return std::clamp(random() % (most + 1) >> (random() % 40), least, most);
}

TEST(Cobalt, DecidesAsItsTwinDoes) {
  std::mt19937_64 random(2018);
  int verdicts[4] = {};
  u64 compared = 0;
  for (int run = 0; run < 4000; ++run) {
    pst_cobalt_params p{5 * kMs, 100 * kMs, 0, 1 << 24, 1 << 20};
    if (run % 2) {
      p.target_ns = any(random, 1000, PST_MAX_NS);
      p.interval_ns = any(random, 1000, PST_MAX_NS);
      p.packet_ns = p.target_ns / (1 + random() % 16);
      p.raise_q32 = any(random, 0, PST_Q32_ONE);
      p.lower_q32 = any(random, 0, PST_Q32_ONE);
    }
    Twin twin = twin_of(p);
    pst_cobalt_state s{};
    pst_queue q{};
    q.now_ns = 3 * PST_MAX_NS;
    twin.stepped = twin.due = -seconds(q.now_ns);
    const u64 start_ns = q.now_ns;
    bool congested = true;
    for (int i = 0; i < 200; ++i) {
      q.now_ns += random() % (p.interval_ns / 4 + 2) * (random() % 20 ? 1 : 8);
      const double now = seconds(q.now_ns - start_ns);
      congested = random() % 30 ? congested : !congested;
      const u64 what = random() % 20;
      if (what == 0) {
        pst_cobalt_full(&p, &s, q.now_ns);
        twin.overflow(now);
      } else if (what < 4 && !congested) {
        pst_cobalt_empty(&p, &s, q.now_ns);
        twin.nothing_queued(now);
      } else {
        const u64 level = congested ? 6 * p.target_ns : p.target_ns / 2;
        const u64 waited = std::min(random() % (level + 1), PST_MAX_NS);
        pst_packet k{};
        k.queued_ns = q.now_ns - waited;
        k.tos = random() % 2 ? PST_ECT0 : PST_NOT_ECT;
        q.random = static_cast<u32>(random());
        const pst_verdict ours = pst_cobalt_on_leave(&p, &s, &q, &k);
        const auto theirs = twin.dequeue(now, seconds(waited), k.tos == PST_ECT0, ratio(q.random));
        const double limit = std::max(twin.target, 4 * twin.packet);
        if (twin.close || std::abs(seconds(waited) - limit) < 1e-9 * (1 + limit)) break;
        ASSERT_EQ(ours, expected(theirs)) << run << " " << i;
        ++verdicts[ours];
      }
      if (twin.close || std::abs(now - twin.stepped - twin.target) < 1e-6 * twin.target) break;
      ASSERT_EQ(s.count, twin.count);
      ASSERT_NEAR(ratio(s.probability_q32), twin.p, 1e-9);
      ++compared;
    }
  }
  EXPECT_GT(compared, 200'000U);
  EXPECT_GT(verdicts[PST_DROP], 5'000);
  EXPECT_GT(verdicts[PST_MARK], 2'000);
}

TEST(Cobalt, DropsWhatSpeaksEcnTooOnceOverflowsRaisedItsProbability) {
  const pst_cobalt_params p{5 * kMs, 100 * kMs, 0, 1ULL << 30, 1 << 20};
  pst_cobalt_state s{};
  pst_queue q{};
  pst_packet k{};
  k.tos = PST_ECT0;
  for (q.now_ns = 0; q.now_ns < 60 * kMs; q.now_ns += 6 * kMs) pst_cobalt_full(&p, &s, q.now_ns);
  k.queued_ns = q.now_ns;
  EXPECT_EQ(s.probability_q32, PST_Q32_ONE);
  EXPECT_EQ(pst_cobalt_on_leave(&p, &s, &q, &k), PST_DROP);
}

// The header with FIFOs around it, as a host has it.
class Host {
 public:
  explicit Host(const pst_cake_params& p, u64 rate_bps = 10'000'000)
      : q(link_of(rate_bps)),
        p_(p),
        queues_(p.queues + PST_CAKE_LISTS),
        sources_(p.queues),
        targets_(p.queues),
        fifos_(p.queues) {
    tables_ = {queues_.data(), sources_.data(), targets_.data()};
    pst_cake_begin(&p_, &tables_);
  }

  u32 enqueue(const pst_cake_key& key, const Packet& p) {
    const u32 i = pst_cake_classify(&p_, &s, &tables_, &key);
    fifos_[i].push_back(p);
    pst_cake_added(&p_, &tables_, &q, i, p.bytes);
    ++waiting_;
    return i;
  }

  void overflow() { dropped.push_back(take(pst_cake_overflow(&p_, &tables_, &q)).number); }

  int dequeue() {
    if (!waiting_) return kNone;
    u32 i = pst_cake_select(&p_, &tables_, &q, true);
    while (fifos_[i].empty()) {
      pst_cake_drained(&p_, &tables_, &q, i);
      i = pst_cake_select(&p_, &tables_, &q, false);
    }
    for (;;) {
      const Packet p = take(i);
      pst_packet k{};
      k.bytes = p.bytes;
      k.queued_ns = p.queued_ns;
      k.tos = p.capable ? PST_ECT0 : PST_NOT_ECT;
      const pst_verdict verdict = pst_cake_on_leave(&p_, &tables_, &q, i, &k);
      if (verdict == PST_DROP) {
        dropped.push_back(p.number);
        continue;
      }
      if (verdict == PST_MARK) marked.push_back(p.number);
      pst_cake_sent(&tables_, i, p.bytes);
      return p.number;
    }
  }

  int bulk_flows() const {
    int n = 0;
    for (const pst_cake_host& h : sources_) n += static_cast<int>(h.bulk_flows);
    for (const pst_cake_host& h : targets_) n -= static_cast<int>(h.bulk_flows);
    EXPECT_EQ(n, 0);  // each counts in both
    for (const pst_cake_host& h : sources_) n += static_cast<int>(h.bulk_flows);
    return n;
  }

  pst_queue q;
  pst_cake_state s{};
  std::vector<int> dropped, marked;

 private:
  Packet take(u32 i) {
    const Packet p = fifos_[i].front();
    fifos_[i].pop_front();
    pst_cake_removed(&tables_, i, p.bytes);
    --waiting_;
    return p;
  }

  pst_cake_params p_;
  std::vector<pst_cake_queue> queues_;
  std::vector<pst_cake_host> sources_, targets_;
  std::vector<std::deque<Packet>> fifos_;
  pst_cake_tables tables_{};
  int waiting_ = 0;
};

// Bytes that each of `keys` gets of a link on which all always wait.
std::map<u32, double> shares(const pst_cake_params& p, const std::vector<pst_cake_key>& keys) {
  Host h(p);
  double all = 0;
  std::map<u32, double> bytes;
  for (const pst_cake_key& key : keys)
    for (int i = 0; i < 4; ++i) h.enqueue(key, {0, 1500, false, static_cast<int>(key.flow)});
  for (int i = 0; i < 20'000; ++i) {
    const u32 flow = static_cast<u32>(h.dequeue());
    for (const pst_cake_key& key : keys)
      if (key.flow == flow) h.enqueue(key, {0, 1500, false, static_cast<int>(flow)});
    bytes[flow] += 1500;
    all += 1500;
  }
  for (auto& [flow, share] : bytes) share /= all;
  return bytes;
}

// Host 1 sends three flows, host 2 one; all to different hosts.
const std::vector<pst_cake_key> kThreeAndOne{{1, 1, 11}, {2, 1, 12}, {3, 1, 13}, {4, 2, 14}};

TEST(Cake, DividesTheLinkAmongHostsAndThenAmongTheirFlows) {
  std::map<u32, double> share = shares(kDefaults, kThreeAndOne);
  EXPECT_NEAR(share[4], 0.5, 0.01);
  for (const u32 flow : {1, 2, 3}) EXPECT_NEAR(share[flow], 0.5 / 3, 0.01);
}

TEST(Cake, DividesItAmongFlowsIfItIsNotToLookAtHosts) {
  pst_cake_params p = kDefaults;
  p.by_source = 0;  // each target has one flow
  for (const auto& [flow, share] : shares(p, kThreeAndOne)) EXPECT_NEAR(share, 0.25, 0.01);
  std::vector<pst_cake_key> reversed = kThreeAndOne;
  for (pst_cake_key& key : reversed) std::swap(key.source, key.target);
  EXPECT_NEAR(shares(p, reversed)[4], 0.5, 0.01);
}

TEST(Cake, GivesAQuantumByTheRateOfTheLink) {
  pst_cake_queue f{};
  pst_cake_host host{};
  const pst_cake_tables t{&f, &host, &host};
  pst_cake_params p = kDefaults;
  for (const auto& [rate_bps, bytes] :
       {std::pair{1'000'000, 300}, {20'000'000, 610}, {100'000'000, 1514}}) {
    const pst_queue q = link_of(static_cast<u64>(rate_bps));
    p.shaped = 1;
    EXPECT_EQ(pst_cake_quantum_bytes(&p, &t, &q, &f), bytes);
    p.shaped = 0;
    EXPECT_EQ(pst_cake_quantum_bytes(&p, &t, &q, &f), 1514);
  }
}

TEST(Cake, TakesItsTargetFromSlowLinks) {
  const pst_queue q = link_of(1'000'000);  // 12.112 ms a packet
  const pst_cobalt_params c = pst_cake_cobalt(&kDefaults, &q);
  EXPECT_EQ(c.target_ns, 18'168'000U);
  EXPECT_EQ(c.interval_ns, 113'168'000U);
  const pst_queue fast = link_of(1'000'000'000);
  EXPECT_EQ(pst_cake_cobalt(&kDefaults, &fast).target_ns, 5 * kMs);
  pst_cake_params p = kDefaults;
  p.shaped = 0;
  EXPECT_EQ(pst_cake_cobalt(&p, &q).target_ns, 5 * kMs);
  EXPECT_EQ(pst_cake_cobalt(&p, &q).packet_ns, 0U);
}

TEST(Cake, FlowsShareAQueueOnlyIfTheirSetIsFull) {
  // 100 flows over 1024 queues: without sets of eight about five would share.
  for (u64 salt = 0; salt < 50; ++salt) {
    pst_cake_params p = kDefaults;
    p.perturbation = salt;
    Host h(p);
    std::vector<int> flows(p.queues);
    for (u32 flow = 0; flow < 100; ++flow) {
      const pst_cake_key key{flow, 1, 2};
      const u32 i = h.enqueue(key, {0, 100, false, 0});
      EXPECT_EQ(h.enqueue(key, {0, 100, false, 0}), i);
      EXPECT_LE(++flows[i], 1);
    }
    EXPECT_EQ(h.s.collisions, 0U);
  }
  pst_cake_params p = kDefaults;
  p.queues = 15;  // of which eight are a set
  Host h(p);
  for (u32 flow = 0; flow < 12; ++flow) h.enqueue({flow, 1, 2}, {0, 100, false, 0});
  EXPECT_EQ(h.s.collisions, 4U);
}

TEST(Cake, DoesNotDropTheLastPacketOfAQueue) {
  for (const int packets : {1, 2}) {
    Host h(kDefaults);
    h.q.random = 0;
    for (int i = 0; i < 300; ++i) {  // until BLUE would drop all of them
      h.q.now_ns += 6 * kMs;
      h.enqueue({1, 1, 1}, {h.q.now_ns, 1500, false, -2});
      h.overflow();
    }
    for (int i = 0; i < packets; ++i) h.enqueue({1, 1, 1}, {h.q.now_ns, 1500, true, i});
    EXPECT_EQ(h.dequeue(), packets - 1);
    EXPECT_EQ(h.dropped.size(), 300U + static_cast<u64>(packets) - 1);
  }
}

// What is in one set may take over each other's entries when these rest; the twin has no sets.
bool are_apart(const pst_cake_params& p, u32 keys) {
  std::set<u32> sets;
  for (u32 key = 0; key < keys; ++key)
    sets.insert(pst_cake_place(&p, pst_cake_hash(&p, key)) / PST_CAKE_WAYS);
  return sets.size() == keys;
}

TEST(Cake, SchedulesAndDropsAsItsTwinDoes) {
  std::mt19937_64 random(8);
  std::size_t drops = 0, marks = 0;
  int runs = 0;
  for (int run = 0; run < 1000; ++run) {
    pst_cake_params p = kDefaults;
    p.interval_ns = 1'000'000ULL << (random() % 8);
    p.target_ns = p.interval_ns / (2 + random() % 40);
    p.by_source = random() % 2;
    p.by_target = random() % 2;
    p.perturbation = random() & 0xffffffff;
    p.shaped = 0;
    if (!are_apart(p, 6)) continue;
    Host ours(p);
    penstock::twins::Cake twin;
    twin.by_source = p.by_source;
    twin.by_target = p.by_target;
    twin.fresh.target = seconds(p.target_ns);
    twin.fresh.interval = seconds(p.interval_ns);
    twin.fresh.due = twin.fresh.stepped = -1e6;
    const u64 start_ns = 2 * PST_MAX_NS;
    ours.q.now_ns = start_ns;
    const u64 limit = 10 + random() % 60;
    u64 waiting = 0;
    int number = 0;
    for (int i = 0; i < 600 && !twin.close; ++i) {
      ours.q.now_ns += random() % (p.interval_ns / 4);
      const u32 flow = static_cast<u32>(std::min(random() % 6, random() % 6));
      const pst_cake_key key{flow, flow % 2, flow % 3};
      for (u64 n = random() % 5; n > 0; --n) {
        const u64 at_ns = ours.q.now_ns - start_ns;
        const u32 bytes = static_cast<u32>(40 + random() % 1461);
        const bool capable = random() % 2;
        ours.enqueue(key, {ours.q.now_ns, bytes, capable, number});
        twin.enqueue(static_cast<int>(flow), {flow % 2, flow % 3},
                     {at_ns, bytes, capable, number++});
        if (++waiting > limit) {
          ours.overflow();
          twin.overflow(seconds(at_ns));
          --waiting;
        }
      }
      for (u64 n = random() % 4; n > 0; --n) {
        ours.q.now_ns += random() % (p.interval_ns / 8);
        ours.q.random = static_cast<u32>(random());
        const std::size_t before = ours.dropped.size();
        const int theirs = twin.dequeue(seconds(ours.q.now_ns - start_ns), ratio(ours.q.random));
        const int mine = ours.dequeue();
        if (twin.close) break;
        ASSERT_EQ(mine, theirs) << run << " " << i;
        waiting -= ours.dropped.size() - before + (mine != kNone);
      }
    }
    if (twin.close) continue;
    ASSERT_EQ(ours.dropped, twin.dropped);
    ASSERT_EQ(ours.marked, twin.marked);
    EXPECT_GE(ours.bulk_flows(), 0);
    drops += ours.dropped.size();
    marks += ours.marked.size();
    ++runs;
  }
  EXPECT_GT(runs, 300);
  EXPECT_GT(drops, 5'000U);
  EXPECT_GT(marks, 500U);
}

}  // namespace
