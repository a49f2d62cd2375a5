// SPDX-License-Identifier: GPL-2.0-only
// CSFQ against a twin in floating point, written from nis-2004 section 12.4.
#include "core/discipline/csfq.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace {

// (12.20), (12.25)
struct Rate {
  double rate = 0, last_s = 0;
  bool known = false;

  void add(double bytes, double now_s, double k_s) {
    const double t = known ? std::min(now_s - last_s, 255 * k_s) : k_s;
    const double kept = std::exp(-t / k_s);
    rate = (t > 0 ? (1 - kept) * bytes / t : bytes / k_s) + kept * rate;
    last_s = now_s;
    known = true;
  }
};

// The share of section 12.4.2, told which packets were dropped.
struct Share {
  double share, capacity, k_s;
  Rate arriving{}, accepted{};
  bool congested = false;
  double began_s = 0, largest = 0;

  void see(double bytes, double label, bool dropped, double now_s) {
    arriving.add(bytes, now_s, k_s);
    if (!dropped) accepted.add(bytes, now_s, k_s);
    largest = std::max(largest, label);
    const bool now_congested = arriving.rate >= capacity;
    if (now_congested != congested) {
      congested = now_congested;
    } else if (now_s - began_s < k_s) {
      return;
    } else if (congested) {
      share = std::max(share * capacity / accepted.rate, 0.75 * share);
    } else {
      share = largest;
    }
    began_s = now_s;
    largest = 0;
  }
};

TEST(Rate, IsTheEquationsAtAnyDistanceOfArrivals) {
  std::mt19937_64 random(3);
  const auto uniform = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(random));
  };
  for (int run = 0; run < 200; ++run) {
    const auto k_ns = static_cast<u64>(uniform(1e6, 1e10));
    const double gap_ns = uniform(1e3, 1e10);
    pst_rate ours{};
    Rate twin;
    u64 now_ns = 1 + random() % (1ULL << 50);
    for (int i = 0; i < 400; ++i) {
      const u64 bytes = 40 + random() % 1461;
      now_ns += random() % 8 ? static_cast<u64>(uniform(gap_ns / 4, gap_ns * 4)) : 0;
      pst_rate_add(&ours, bytes, now_ns, k_ns);
      twin.add(static_cast<double>(bytes), static_cast<double>(now_ns) / 1e9,
               static_cast<double>(k_ns) / 1e9);
      const double most = static_cast<double>(PST_RATE_MAX_BYTES_PER_S);
      // Half a byte per second is rounded at each arrival, and kept for a K.
      const double rounded = 1 + static_cast<double>(k_ns) / gap_ns * 4;
      ASSERT_NEAR(static_cast<double>(ours.bytes_per_s), std::min(twin.rate, most),
                  std::max(rounded, 2e-4 * twin.rate))
          << "K " << k_ns << " gap " << gap_ns;
      twin.rate = std::min(twin.rate, most);
    }
  }
}

TEST(Label, IsRightToASixteenthAndKeepsItsOrder) {
  for (const u64 unit_bps : {u64{8}, u64{1000}, u64{1'000'000}, u64{1'000'000'000}}) {
    u32 before = 0;
    for (double bps = static_cast<double>(unit_bps); bps < 8.0 * PST_RATE_MAX_BYTES_PER_S;
         bps *= 1.01) {
      const u64 bytes_per_s = static_cast<u64>(bps / 8);
      const u32 label = pst_csfq_encode(bytes_per_s, unit_bps);
      ASSERT_GE(label, std::max(before, 1U));
      ASSERT_LE(label, 255U);
      before = label;
      const double units = bps / static_cast<double>(unit_bps);
      if (units < 1.1 || units > 63'488 || bytes_per_s < 1000) continue;
      const double back = static_cast<double>(pst_csfq_decode_bytes_per_s(label, unit_bps));
      ASSERT_NEAR(back * 8 / bps, 1, 0.0625 / 2 + 0.01) << bps;
    }
    for (u32 label = 1; label < 256; ++label) {
      const u64 decoded = pst_csfq_decode_bytes_per_s(label, unit_bps);
      if (unit_bps > 8 && decoded < PST_RATE_MAX_BYTES_PER_S) {
        ASSERT_EQ(pst_csfq_encode(decoded, unit_bps), label) << unit_bps;
      }
    }
  }
  EXPECT_EQ(pst_csfq_encode(125, 1000), 1U);  // 0 says that there is no label
  EXPECT_EQ(pst_csfq_decode_bytes_per_s(255, 1000) * 8, 63'488'000U);
}

struct Router {
  explicit Router(u64 rate_bytes_per_s, u64 average_ns) : params{average_ns, 1000, 0}, view{} {
    view.rate_bytes_per_s = rate_bytes_per_s;
    view.limit_bytes = 150'000;
    pst_csfq_init(&params, &state, &view);
  }

  pst_verdict arrive(pst_rate* flow, u8* octet, u32 bytes, u64 now_ns) {
    view.now_ns = now_ns;
    pst_packet k{};
    k.bytes = bytes;
    k.tos = octet ? *octet : u8{0};
    k.flow_rate = flow;
    k.label = octet;
    return pst_csfq_on_arrive(&params, &state, &view, &k);
  }

  pst_csfq_params params;
  pst_csfq_state state{};
  pst_queue view;
};

TEST(Csfq, FollowsTheShareOfTheEquations) {
  std::mt19937_64 random(4);
  for (int run = 0; run < 60; ++run) {
    const u64 capacity = 100'000 + random() % 10'000'000;
    const u64 k_ns = 5'000'000 + random() % 200'000'000;
    Router router(capacity, k_ns);
    Share twin{static_cast<double>(capacity), static_cast<double>(capacity),
               static_cast<double>(k_ns) / 1e9};
    const double load = 0.5 + static_cast<double>(random() % 300) / 100;
    pst_rate flows[8]{};
    u64 now_ns = 0;
    for (int i = 0; i < 5000; ++i) {
      const u32 bytes = 40 + static_cast<u32>(random() % 1461);
      now_ns += static_cast<u64>(bytes / (load * static_cast<double>(capacity)) * 1e9 *
                                 std::exponential_distribution(1.0)(random));
      router.view.random = static_cast<u32>(random());
      pst_rate* flow = &flows[random() % 8];
      u8 octet = 0;
      const u64 before = router.state.share_bytes_per_s;
      const bool congested = router.state.congested;
      const bool dropped = router.arrive(flow, &octet, bytes, now_ns) == PST_DROP;
      // (12.27), with the rate that the flow now has
      const double above = 1 - static_cast<double>(before) / static_cast<double>(flow->bytes_per_s);
      const double drawn = router.view.random / 4294967296.0;
      if (std::abs(drawn - above) > 1e-6) {
        ASSERT_EQ(dropped, congested && drawn < above);
      }
      if (!dropped) {
        const u64 share = router.state.congested ? router.state.share_bytes_per_s : ~0ULL;
        ASSERT_EQ(octet, pst_csfq_encode(std::min(flow->bytes_per_s, share), 1000));
      }
      twin.see(bytes, static_cast<double>(flow->bytes_per_s), dropped,
               static_cast<double>(now_ns) / 1e9);
      ASSERT_NEAR(static_cast<double>(router.state.share_bytes_per_s) / twin.share, 1, 0.01) << i;
      // Rounding may move a change of state by a packet: go on from the same share.
      twin.share = static_cast<double>(router.state.share_bytes_per_s);
      if (twin.congested != (router.state.congested != 0)) break;
    }
  }
}

TEST(Csfq, ACoreRouterTakesTheLabelAndAnEdgeDoesNot) {
  for (const u64 edge : {0, 1}) {
    Router router(1'000'000, 100'000'000);
    router.params.edge = edge;
    router.state.share_bytes_per_s = 50'000;
    router.state.congested = 1;
    pst_rate flow{};
    u8 octet = static_cast<u8>(pst_csfq_encode(400'000, 1000));
    router.view.random = 0x80000000U;  // drops what has more than twice the share
    EXPECT_EQ(router.arrive(&flow, &octet, 1000, 1), edge ? PST_PASS : PST_DROP);
    EXPECT_EQ(flow.known, edge);
  }
}

TEST(Csfq, AnOverflowTakesAHundredth) {
  Router router(1'000'000, 100'000'000);
  const pst_packet k{};
  pst_csfq_on_overflow(&router.params, &router.state, &router.view, &k);
  EXPECT_EQ(router.state.share_bytes_per_s, 990'000U);
}

TEST(Csfq, TellsReceiversTheShareOrWhatIsSpare) {
  Router router(1'000'000, 100'000'000);
  router.state.share_bytes_per_s = 125'000;
  pst_feedback f{0, 0, 0, PST_FBA_UNLIMITED};
  pst_rate flow{};
  pst_packet k{};
  k.bytes = 1000;
  k.flow_rate = &flow;
  k.feedback = &f;
  router.view.random = 0xffffffffU;
  EXPECT_EQ(pst_csfq_on_arrive(&router.params, &router.state, &router.view, &k), PST_PASS);
  // Idle so far: its own rate and all that is spare, which is the link.
  EXPECT_NEAR(f.label * 125.0, 1'000'000, 200);
  router.state.congested = 1;
  router.state.arriving_bytes_per_s = 4'000'000;
  EXPECT_EQ(pst_csfq_on_arrive(&router.params, &router.state, &router.view, &k), PST_PASS);
  EXPECT_EQ(f.label, 1000U);  // kbit/s; the least of the way
}

}  // namespace
