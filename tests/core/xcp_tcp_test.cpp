// SPDX-License-Identifier: GPL-2.0-only
// XCP beside TCP against its twin, over the whole range of its parameters.
#include "core/discipline/xcp_tcp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/discipline/xcp_tcp_turns.h"
#include "tests/core/twins/xcp_tcp.h"

namespace {

using penstock::twins::LossIntervals;
using penstock::twins::tcp_window;

constexpr u64 kMs = 1'000'000;
constexpr u64 kRate = 12'500'000;

pst_xcp_tcp_params defaults() {
  pst_xcp_tcp_params p{};
  p.alpha_q16 = 26'214;
  p.beta_q16 = 14'811;
  p.gamma_q16 = 6'554;
  p.interval_ns = 100 * kMs;
  p.kappa_q16 = 6'554;
  p.least_share_q16 = 1'024;
  p.by_rate = 1;
  p.min_th_bytes = 50'000;
  p.max_th_bytes = 150'000;
  p.weight_q32 = 8'589'935;
  p.max_p_q32 = 85'899'346;
  return p;
}

double ratio(u64 q32) { return static_cast<double>(q32) / 4294967296.0; }

TEST(Tfrc, KeepsTheLossRateOfTheRfc) {
  std::mt19937_64 random(5348);
  for (int run = 0; run < 200; ++run) {
    pst_tfrc ours{};
    LossIntervals twin;
    const u64 every = 1 + (random() % 100'000 >> random() % 17);
    for (int i = 0; i < 3'000; ++i) {
      pst_tfrc_arrive(&ours);
      twin.open += 1;
      if (random() % every == 0) {
        pst_tfrc_lose(&ours);
        twin.lose();
      }
      ASSERT_NEAR(ratio(pst_tfrc_rate_q32(&ours)), twin.rate(), 2.0 / 4294967296.0);
    }
  }
}

TEST(Tfrc, CountsNoFurtherThanItsRange) {
  pst_tfrc t{};
  t.open_pkts = PST_MAX_PKTS;
  pst_tfrc_arrive(&t);
  EXPECT_EQ(t.open_pkts, PST_MAX_PKTS);
  for (int i = 0; i < 20; ++i) {
    t.open_pkts = PST_MAX_PKTS;
    pst_tfrc_lose(&t);
  }
  EXPECT_EQ(pst_tfrc_rate_q32(&t), PST_Q32_ONE / PST_MAX_PKTS);
}

TEST(Tfrc, HasTheWindowOfItsEquation) {
  std::mt19937_64 random(31);
  for (int run = 0; run < 100'000; ++run) {
    const u64 p_q32 = 1 + (random() % (PST_Q32_ONE - 1) >> random() % 32);
    const u64 bytes = 1 + random() % 65'535;
    const double exact = tcp_window(static_cast<double>(bytes), ratio(p_q32));
    ASSERT_NEAR(static_cast<double>(pst_tfrc_window_bytes(bytes, p_q32)), exact, 1 + 1e-4 * exact)
        << p_q32;
  }
}

struct Router {
  explicit Router(const pst_xcp_tcp_params& params) : p(params) {
    q.rate_bytes_per_s = kRate;
    q.limit_bytes = 600'000;
    q.flows = 1;
    q.mss_bytes = 1'460;
    pst_xcp_tcp_init(&p, &s, &q);
  }
  pst_verdict arrive(u32 bytes, pst_feedback* feedback, u8 kind = PST_KIND_CONTROLLED) {
    pst_packet k{};
    k.bytes = bytes;
    k.kind = kind;
    k.feedback = feedback;
    return pst_xcp_tcp_on_arrive(&p, &s, &q, &k);
  }
  void tick(u64 now_ns) {
    q.now_ns = now_ns;
    pst_xcp_tcp_on_tick(&p, &s, &q);
  }

  pst_xcp_tcp_params p;
  pst_xcp_tcp_state s{};
  pst_queue q{};
};

TEST(XcpTcp, MovesTheWeightsAsTheEquationSays) {
  std::mt19937_64 random(12);
  for (int run = 0; run < 100'000; ++run) {
    pst_xcp_tcp_params p = defaults();
    p.kappa_q16 = 1 + (random() % PST_Q16_ONE >> random() % 16);
    p.least_share_q16 = 64 + random() % (32'768 - 64 + 1);
    pst_xcp_tcp_state s{};
    const u64 least = p.least_share_q16 << 16;
    s.weight_q32 = least + random() % (PST_Q32_ONE - 2 * least + 1);
    s.x_window_bytes = 1 + (random() % PST_MAX_BYTES >> random() % 40);
    s.t_window_bytes = 1 + (random() % PST_MAX_BYTES >> random() % 40);
    const double expected = penstock::twins::weight(
        ratio(s.weight_q32), static_cast<double>(p.kappa_q16) / 65'536,
        static_cast<double>(s.x_window_bytes), static_cast<double>(s.t_window_bytes), ratio(least));
    pst_xcp_tcp_weigh(&p, &s);
    ASSERT_NEAR(ratio(s.weight_q32), expected, 1e-9);
  }
}

TEST(XcpTcp, LeavesTheLinkToTheKindThatIsThere) {
  const pst_xcp_tcp_params p = defaults();
  pst_xcp_tcp_state s{};
  s.weight_q32 = PST_Q32_ONE / 2;
  pst_xcp_tcp_weigh(&p, &s);
  EXPECT_EQ(s.weight_q32, PST_Q32_ONE / 2);  // neither
  s.t_window_bytes = 10'000;
  for (int i = 0; i < 10; ++i) pst_xcp_tcp_weigh(&p, &s);
  EXPECT_EQ(s.weight_q32, PST_Q32_ONE - (p.least_share_q16 << 16));
  s.t_window_bytes = 0;
  s.x_window_bytes = 10'000;
  for (int i = 0; i < 20; ++i) pst_xcp_tcp_weigh(&p, &s);
  EXPECT_EQ(s.weight_q32, p.least_share_q16 << 16);
  EXPECT_EQ(pst_xcp_tcp_x_share_q32(&s), PST_Q32_ONE);
  s.t_bytes = 1;
  EXPECT_EQ(pst_xcp_tcp_x_share_q32(&s), PST_Q32_ONE - s.weight_q32);
}

// Each flow counts once, whatever its rate: the mean of the windows, not of the packets' windows.
TEST(XcpTcp, MeasuresTheMeanWindowOfXcpsFlows) {
  std::mt19937_64 random(3);
  for (int run = 0; run < 300; ++run) {
    Router router(defaults());
    const std::size_t flows = 1 + random() % 12;
    const double seconds = 0.1;
    double sum = 0;
    for (std::size_t i = 0; i < flows; ++i) {
      pst_feedback f{static_cast<u32>(30'000 + random() % 1'000'000),
                     static_cast<u32>(2'000 + random() % 98'000), INT32_MAX, 0};
      const double rate = f.cwnd_bytes / (f.rtt_us * 1e-6);
      const auto packets = static_cast<int>(std::lround(rate * seconds / 1'500));
      for (int n = 0; n < packets; ++n) router.arrive(1'500, &f);
      sum += f.cwnd_bytes;
    }
    const double mean = sum / static_cast<double>(flows);
    ASSERT_NEAR(static_cast<double>(pst_xcp_tcp_x_bytes(&router.s)), mean, 256 + 0.05 * mean);
  }
}

TEST(XcpTcp, MeasuresTcpByTheLossesOfPacketsWithData) {
  Router router(defaults());
  for (int i = 1; i <= 3'000; ++i) {
    router.arrive(1'500, nullptr);
    router.arrive(40, nullptr, PST_KIND_SMALL);
    pst_packet k{};
    k.bytes = 40;
    k.kind = PST_KIND_SMALL;
    pst_xcp_tcp_on_overflow(&router.p, &router.s, &router.q, &k);
    k.bytes = 1'500;
    k.kind = PST_KIND_CONTROLLED;
    if (i % 100 == 0) pst_xcp_tcp_on_overflow(&router.p, &router.s, &router.q, &k);
  }
  const double exact = tcp_window(1'500, 0.01);
  EXPECT_NEAR(static_cast<double>(pst_xcp_tcp_t_bytes(&router.p, &router.s)), exact, 0.002 * exact);
  // With 100 ms of XCP, 20 ms in the T-queue and none in the other a rate is a sixth less.
  router.s.xcp.mean_rtt_us = 100'000;
  router.s.t_wait_us = 200'000;
  router.s.t_sent_pkts = 10;
  EXPECT_NEAR(static_cast<double>(pst_xcp_tcp_t_bytes(&router.p, &router.s)), exact / 1.2,
              0.002 * exact);
  router.p.by_rate = 0;
  EXPECT_NEAR(static_cast<double>(pst_xcp_tcp_t_bytes(&router.p, &router.s)), exact, 0.002 * exact);
}

// S_X: XCP's controller has the X-queue and w_X of the link, RED the T-queue.
TEST(XcpTcp, GivesXcpItsShareOfTheLink) {
  const pst_xcp_tcp_params p = defaults();
  Router router(p);
  const pst_xcp_params plain{p.alpha_q16, p.beta_q16, p.gamma_q16, p.interval_ns};
  for (u64 interval = 1; interval < 20; ++interval) {
    pst_feedback f{100'000, 80'000, INT32_MAX, 0};
    for (int n = 0; n < 200; ++n) {
      router.arrive(1'500, &f);
      router.arrive(1'500, nullptr);
    }
    const pst_xcp_state before = router.s.xcp;
    router.tick(interval * 80 * kMs);
    pst_xcp_state alone = before;
    pst_queue half = router.q;
    half.bytes = router.s.x_queue_bytes;
    half.rate_bytes_per_s =
        static_cast<u64>(static_cast<double>(kRate) * (1 - ratio(router.s.weight_q32)));
    pst_xcp_on_tick(&plain, &alone, &half);
    EXPECT_NEAR(static_cast<double>(alone.positive_q8_bytes),
                static_cast<double>(router.s.xcp.positive_q8_bytes), 512);
    EXPECT_NEAR(static_cast<double>(alone.negative_q8_bytes),
                static_cast<double>(router.s.xcp.negative_q8_bytes), 512);
    EXPECT_EQ(alone.mean_rtt_us, router.s.xcp.mean_rtt_us);
  }
}

TEST(XcpTcp, DropsWhatRedDropsOfTheTQueueAlone) {
  const pst_xcp_tcp_params p = defaults();
  Router router(p);
  const pst_red_params red{p.min_th_bytes, p.max_th_bytes, p.weight_q32, p.max_p_q32, 1, 0};
  pst_red_state alone{};
  router.s.t_queue_bytes = 200'000;
  router.s.x_queue_bytes = 300'000;
  router.q.bytes = 500'000;
  std::mt19937_64 random(7);
  int drops = 0;
  for (int i = 0; i < 20'000; ++i) {
    pst_feedback f{100'000, 80'000, INT32_MAX, 0};
    EXPECT_EQ(router.arrive(1'500, &f), PST_PASS);
    router.q.random = static_cast<u32>(random());
    pst_queue part = router.q;
    part.bytes = 200'000;
    pst_packet k{};
    k.bytes = 1'500;
    const pst_verdict expected = pst_red_on_arrive(&red, &alone, &part, &k);
    ASSERT_EQ(router.arrive(1'500, nullptr), expected);
    drops += expected != PST_PASS;
  }
  EXPECT_GT(drops, 100);
}

TEST(XcpTcp, LeavesHalfOfTheLimitToXcp) {
  Router router(defaults());
  router.p.min_th_bytes = router.p.max_th_bytes = PST_MAX_BYTES;
  router.s.t_queue_bytes = router.q.limit_bytes / 2 - 1'500;
  pst_feedback f{100'000, 80'000, INT32_MAX, 0};
  EXPECT_EQ(router.arrive(1'500, nullptr), PST_PASS);
  EXPECT_EQ(router.arrive(1'501, nullptr), PST_DROP);
  EXPECT_EQ(router.arrive(1'501, &f), PST_PASS);
  EXPECT_EQ(router.s.tfrc.losses, 1U);
}

TEST(XcpTcp, ServesBothQueuesByTheirWeights) {
  std::mt19937_64 random(94);
  for (const double w_t : {1.0 / 64, 0.1, 0.5, 0.8, 63.0 / 64}) {
    pst_xcp_tcp_state s{};
    s.weight_q32 = static_cast<u64>(w_t * 4294967296.0);
    s.x_queue_bytes = s.t_queue_bytes = 1'000'000;
    double bytes[PST_XCP_TCP_COUNT] = {};
    u32 heads[PST_XCP_TCP_COUNT] = {1'500, 1'500};
    for (int i = 0; i < 200'000; ++i) {
      const pst_xcp_tcp_queue queue =
          pst_xcp_tcp_select(&s, heads[PST_XCP_TCP_X], heads[PST_XCP_TCP_T]);
      bytes[queue] += heads[queue];
      pst_xcp_tcp_sent(&s, queue, heads[queue], 0);
      heads[queue] = static_cast<u32>(40 + random() % 1'461);
      EXPECT_EQ(std::min(s.x_ahead_q8_bytes, s.t_ahead_q8_bytes), 0U);
    }
    EXPECT_NEAR(bytes[PST_XCP_TCP_T] / (bytes[PST_XCP_TCP_X] + bytes[PST_XCP_TCP_T]), w_t, 2e-4);
  }
}

TEST(XcpTcp, OwesNothingToAQueueThatIsEmpty) {
  pst_xcp_tcp_state s{};
  s.weight_q32 = PST_Q32_ONE / 2;
  EXPECT_EQ(pst_xcp_tcp_select(&s, 0, 1'500), PST_XCP_TCP_T);
  EXPECT_EQ(pst_xcp_tcp_select(&s, 1'500, 0), PST_XCP_TCP_X);
  s.t_queue_bytes = 1'000'000;
  for (int i = 0; i < 1'000; ++i) pst_xcp_tcp_sent(&s, PST_XCP_TCP_T, 1'500, 0);
  s.x_queue_bytes = 1'000'000;
  int in_turn = 0;
  for (int i = 0; i < 1'000; ++i) {
    const pst_xcp_tcp_queue queue = pst_xcp_tcp_select(&s, 1'500, 1'500);
    pst_xcp_tcp_sent(&s, queue, 1'500, 0);
    in_turn += queue == PST_XCP_TCP_X;
    ASSERT_NEAR(in_turn, (i + 1) / 2.0, 1);
  }
}

// Any sizes, headers and times: each event leaves the state in its ranges.
TEST(XcpTcp, OverflowsNowhere) {
  std::mt19937_64 random(64);
  for (int run = 0; run < 300; ++run) {
    pst_xcp_tcp_params p = defaults();
    p.kappa_q16 = 1 + random() % PST_Q16_ONE;
    p.max_p_q32 = random() % (PST_Q32_ONE + 1);
    p.by_rate = random() % 2;
    Router router(p);
    router.q.rate_bytes_per_s = random() >> random() % 64;
    u64 now_ns = 0;
    for (int i = 0; i < 500; ++i) {
      pst_feedback f{static_cast<u32>(random()), static_cast<u32>(random() >> random() % 64),
                     static_cast<s32>(random()), 0};
      pst_packet k{};
      k.bytes = static_cast<u32>(1 + random() % 65'535);
      k.feedback = random() % 2 ? &f : nullptr;
      router.q.random = static_cast<u32>(random());
      router.q.now_ns = now_ns += random() % (PST_NS_PER_S >> random() % 30);
      pst_xcp_tcp_on_arrive(&router.p, &router.s, &router.q, &k);
      pst_xcp_tcp_on_accepted(&router.p, &router.s, &router.q, &k);
      const pst_xcp_tcp_queue queue = pst_xcp_tcp_classify(&k);
      EXPECT_EQ(pst_xcp_tcp_on_leave(&router.p, &router.s, queue, &router.q, &k), PST_PASS);
      pst_xcp_tcp_sent(&router.s, queue, k.bytes, random() >> random() % 64);
      if (random() % 3) pst_xcp_tcp_on_left(&router.p, &router.s, &router.q, &k);
      if (random() % 20 == 0) router.tick(now_ns);
      ASSERT_TRUE(pst_xcp_tcp_invariant(&router.s));
      ASSERT_TRUE(pst_xcp_invariant(&router.s.xcp));
      ASSERT_TRUE(pst_red_invariant(&router.s.red));
      ASSERT_TRUE(pst_tfrc_invariant(&router.s.tfrc));
      ASSERT_GE(router.s.weight_q32, p.least_share_q16 << 16);
      ASSERT_LE(router.s.weight_q32, PST_Q32_ONE - (p.least_share_q16 << 16));
    }
  }
}

}  // namespace
