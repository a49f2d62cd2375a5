// SPDX-License-Identifier: GPL-2.0-only
// Quick-Start's approvals step by step (RFC 4782), its nonce, and its sender; AntiECN's bit.
#include "core/discipline/quick_start.h"

#include <gtest/gtest.h>

#include <random>

#include "core/discipline/antiecn.h"
#include "core/sender/antiecn_sender.h"
#include "core/sender/quick_start_sender.h"

namespace {

constexpr u64 kMs = 1'000'000;
constexpr u64 kInterval = 150 * kMs;
constexpr u64 kRate = 12'500'000;  // 100 Mbit/s

// What is approved in 90 % of the link, less what is used and what was approved.
struct Router {
  pst_quick_start_params params{58982, kInterval};
  pst_quick_start_state state{};
  pst_queue view{};

  Router() {
    view.rate_bytes_per_s = kRate;
    view.random = 0xaaaaaaaaU;
    pst_quick_start_init(&params, &state, &view);
  }
  pst_feedback ask(u32 step, u32 nonce = 0x15555555U) {
    pst_feedback f{0, 0, static_cast<s32>(nonce), step};
    pst_packet k{};
    k.bytes = 60;
    k.feedback = &f;
    EXPECT_EQ(pst_quick_start_on_arrive(&params, &state, &view, &k), PST_PASS);
    return f;
  }
  void carry(u64 bytes) {  // in one interval, which ends
    state.arrived_bytes += bytes;
    view.now_ns += kInterval;
    EXPECT_EQ(pst_quick_start_on_tick(&params, &state, &view), kInterval);
  }
};

double rate(u32 step) { return step ? 40e3 / 8 * std::pow(2.0, step) : 0; }

TEST(QuickStart, ApprovesStepByStep) {
  Router router;
  EXPECT_EQ(router.ask(8).label, 8U);  // an idle link: 10.24 of 90 Mbit/s
  EXPECT_EQ(router.ask(8).label, 8U);
  EXPECT_EQ(router.ask(15).label, 10U);  // 69.5 are left: 40.96
  EXPECT_EQ(router.ask(15).label, 9U);   // 28.6 are left: 20.48
  EXPECT_EQ(router.ask(1).label, 1U);    // 8.1 are left: what it asks for
  EXPECT_EQ(router.ask(0).label, 0U);    // asks for nothing
  router.carry(0);
  EXPECT_EQ(router.ask(15).label, 7U);  // approvals count for another interval: 8.0 left
  router.carry(0);
  EXPECT_EQ(router.ask(15).label, 11U);  // of the last one alone: 84.9 left
  router.carry(0);
  router.carry(0);
  router.carry(kRate / 1000 * 150 / 2);
  EXPECT_EQ(router.ask(15).label, 9U);  // half of the link is used: 40 left
  router.carry(kRate / 1000 * 150);
  EXPECT_EQ(router.ask(15).label, 0U);  // a full one
  router.carry(0);
  EXPECT_EQ(router.ask(15).label, 0U);  // the peak of the last two
}

// As real numbers have it, over random histories.
TEST(QuickStart, FollowsTheTwin) {
  std::mt19937_64 random(7);
  for (int run = 0; run < 300; ++run) {
    Router router;
    router.view.rate_bytes_per_s = 10'000ULL << random() % 18;
    router.params.threshold_q16 = 1 + random() % 65536;
    double last = 0, earlier = 0, now = 0, before = 0;
    for (int i = 0; i < 60; ++i) {
      if (random() % 3 == 0) {
        const u64 bytes = random() % (router.view.rate_bytes_per_s / 6);
        const u64 arrived = router.state.arrived_bytes + bytes;
        router.carry(bytes);
        earlier = last;
        last = static_cast<double>(arrived) / 0.15;
        before = now;
        now = 0;
        continue;
      }
      const u32 asked = static_cast<u32>(random() % 16);
      const double room = static_cast<double>(router.view.rate_bytes_per_s) *
                              static_cast<double>(router.params.threshold_q16) / 65536 -
                          std::max(last, earlier) - now - before;
      u32 step = asked;
      while (step && rate(step) > room + 2) --step;
      const u32 ours = router.ask(asked).label;
      if (step && std::abs(rate(step) - room) < 4) step = ours;  // within rounding
      ASSERT_EQ(ours, step);
      now += rate(step);
    }
  }
}

TEST(QuickStart, ScramblesTheStepsThatItTakesAway) {
  Router router;
  router.view.rate_bytes_per_s = 1'000'000;
  const pst_feedback f = router.ask(12);  // 900 kB/s: 2^7 * 5000 = 640,000
  ASSERT_EQ(f.label, 7U);
  const u32 changed = static_cast<u32>(f.delta_bytes) ^ 0x15555555U;
  EXPECT_EQ(changed, 0xffc000U);  // bits 14 to 23: the five steps from 12 to 8
}

struct Sender {
  pst_quick_start_sender_params params{2, 10'240'000};
  pst_quick_start_sender_state state{};
  pst_sender_view view{};
  pst_cwnd window{14'480, PST_SSTHRESH_MAX};
  pst_feedback sent{};

  Sender() {
    view.mss_bytes = 1448;
    view.secret = 0x2badcafe;
    pst_quick_start_sender_stamp(&params, &state, &view, &window, &sent);
    view.srtt_ns = 100 * kMs;
  }
  u64 answered(u32 step, u32 nonce, bool header = true) {
    view.has_feedback = header;
    view.feedback_label = step;
    view.feedback_bytes = static_cast<s32>(nonce);
    pst_quick_start_sender_init(&params, &state, &view, &window);
    return window.bytes;
  }
};

TEST(QuickStartSender, AsksForTheStepBelowItsRate) {
  Sender sender;
  EXPECT_EQ(sender.sent.label, 8U);
  EXPECT_EQ(sender.sent.delta_bytes, 0x2badcafe & 0x3fffffff);
  for (u32 step = 0; step <= 15; ++step)
    for (const u64 more : {0, 1, 39'999}) {
      const pst_quick_start_sender_params p{2, (step ? 40'000ULL << step : 0) + more};
      EXPECT_EQ(pst_quick_start_sender_step(&p), step);
    }
}

TEST(QuickStartSender, TakesTheApprovedRateTimesTheRoundTrip) {
  for (u32 step = 1; step <= 8; ++step) {
    Sender sender;
    const double bytes = rate(step) * 0.1 * 1448 / 1488;
    EXPECT_NEAR(static_cast<double>(sender.answered(step, sender.sent.delta_bytes)),
                std::max(bytes, 14'480.0), 2);
    EXPECT_EQ(sender.state.active, bytes > 14'480);
  }
}

TEST(QuickStartSender, DoesNotBelieveWhatWasNotApproved) {
  EXPECT_EQ(Sender().answered(9, 0x2badcafe), 14'480U);         // above the request
  EXPECT_EQ(Sender().answered(8, 0x2badcafe, false), 14'480U);  // a router did not take part
  EXPECT_EQ(Sender().answered(0, 0x2badcafe), 14'480U);
  // A receiver claims 8 where the routers left 5: three steps of the nonce to be guessed.
  std::mt19937 random(9);
  int believed = 0;
  for (int i = 0; i < 64'000; ++i) {
    Sender sender;
    sender.view.secret = static_cast<u32>(random());
    pst_quick_start_sender_stamp(&sender.params, &sender.state, &sender.view, &sender.window,
                                 &sender.sent);
    const u32 steps = pst_quick_start_steps(5, 8);
    const u32 seen =
        (static_cast<u32>(sender.sent.delta_bytes) & ~steps) | (static_cast<u32>(random()) & steps);
    believed += sender.answered(8, seen) > 14'480;
  }
  EXPECT_NEAR(believed, 1000, 150);  // one of 4^3
}

TEST(QuickStartSender, TheFirstAckEndsIt) {
  Sender sender;
  const u64 approved = sender.answered(8, sender.sent.delta_bytes);
  EXPECT_GT(approved, 100'000U);
  sender.view.flight_bytes = 40'000;
  pst_quick_start_sender_on_sample(&sender.params, &sender.state, &sender.view, &sender.window);
  EXPECT_EQ(sender.window.bytes, 40'000U);
  EXPECT_FALSE(sender.state.active);
  pst_quick_start_sender_on_sample(&sender.params, &sender.state, &sender.view, &sender.window);
  EXPECT_EQ(sender.window.bytes, 40'000U);
}

TEST(AntiEcn, ClearsTheBitAboveItsLoad) {
  for (const double load : {0.3, 0.85, 0.95, 1.5}) {
    const pst_antiecn_params p{58982, 100 * kMs};
    pst_antiecn_state state{};
    pst_queue q{};
    q.rate_bytes_per_s = kRate;
    pst_feedback f{};
    pst_packet k{};
    k.bytes = 1500;
    k.feedback = &f;
    for (int i = 0; i < 5000; ++i) {
      q.now_ns += static_cast<u64>(1500 / (load * static_cast<double>(kRate)) * 1e9);
      f.label = 1;
      EXPECT_EQ(pst_antiecn_on_arrive(&p, &state, &q, &k), PST_PASS);
    }
    EXPECT_EQ(f.label, load < 0.9 ? 1U : 0U) << load;
    f.label = 0;  // another router's answer stands
    pst_antiecn_on_arrive(&p, &state, &q, &k);
    EXPECT_EQ(f.label, 0U);
  }
}

TEST(AntiEcn, AddsAFractionOfTheWindowInAWindowOfAcks) {
  for (const u64 fraction_q16 : {u64{0}, u64{6554}, u64{16384}, u64{65536}})
    for (const bool bit : {false, true}) {
      const pst_antiecn_sender_params p{2, fraction_q16};
      pst_antiecn_sender_state s{};
      pst_cwnd w{100'000, 50'000};
      pst_sender_view v{};
      v.mss_bytes = 1000;
      v.cwnd_limited = v.has_feedback = true;
      v.feedback_label = bit;
      v.acked_bytes = 1000;
      double twin = 100'000;
      for (int i = 0; i < 100; ++i) {
        pst_antiecn_sender_on_sample(&p, &s, &v, &w);
        pst_antiecn_sender_on_ack(&p, &s, &v, &w);
        if (bit) twin += 1000 * static_cast<double>(fraction_q16) / 65536;
      }
      EXPECT_NEAR(static_cast<double>(w.bytes), twin + 1000, 1001);
      const u64 before = w.bytes;  // slow start is TCP's
      w.ssthresh_bytes = PST_SSTHRESH_MAX;
      pst_antiecn_sender_on_ack(&p, &s, &v, &w);
      EXPECT_EQ(w.bytes, before + 1000);
    }
}

}  // namespace
