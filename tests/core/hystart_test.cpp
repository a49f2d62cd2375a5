// SPDX-License-Identifier: GPL-2.0-only
// HyStart++ against the pseudocode of RFC 9406 section 4.3, and PRR against that of
// RFC 6937 section 3.1, both in floating point.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/sender/hystart.h"
#include "core/sender/prr.h"

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr u64 kMss = 1000;

// RFC 9406 section 4.3; RTTs in milliseconds.
struct HystartTwin {
  double last_round = kInfinity, current = kInfinity, baseline = kInfinity;
  int samples = 0, css_rounds = 0;
  bool css = false, done = false;
  u64 window_end = 0;

  double ack(u64 una, u64 sent, double rtt_ms, double acked) {
    if (una >= window_end) {
      window_end = sent;
      last_round = current;
      current = kInfinity;
      samples = 0;
      if (css && ++css_rounds > 5) done = true;
    }
    current = std::min(current, rtt_ms);
    ++samples;
    if (css) {
      if (samples >= 8 && current < baseline) {
        baseline = kInfinity;
        css = false;
      }
    } else if (samples >= 8 && std::isfinite(current) && std::isfinite(last_round)) {
      const double thresh = std::max(4.0, std::min(last_round / 8, 16.0));
      if (current >= last_round + thresh) {
        css = true;
        css_rounds = 1;
        baseline = current;
      }
    }
    return css && !done ? acked / 4 : acked;
  }
};

TEST(Hystart, FollowsTheRfcsPseudocode) {
  std::mt19937 random(1);
  int ended = 0, resumed = 0, in_css = 0;
  for (int run = 0; run < 400; ++run) {
    pst_hystart h{};
    HystartTwin twin;
    pst_cwnd w{10 * kMss, PST_SSTHRESH_MAX};
    pst_sender_view v{};
    double base = 1 + static_cast<double>(random() % 200);
    bool was_css = false;
    for (int k = 0; k < 600 && w.ssthresh_bytes == PST_SSTHRESH_MAX; ++k) {
      if (random() % 40 == 0) base = std::max(1.0, base + static_cast<double>(random() % 30) - 12);
      const double rtt_ms = base + static_cast<double>(random() % 3);
      v.acked_bytes = kMss;
      v.una += kMss;
      v.sent = v.una + w.bytes;
      v.rtt_ns = static_cast<u64>(rtt_ms) * 1'000'000;
      const u64 before_ssthresh = w.ssthresh_bytes;
      const u64 counted = kMss / pst_hystart_on_ack(&h, &v, &w);
      const double wanted = twin.ack(v.una, v.sent, std::floor(rtt_ms), kMss);
      ASSERT_EQ(counted, static_cast<u64>(wanted)) << "run " << run << " ACK " << k;
      ASSERT_EQ(w.ssthresh_bytes != before_ssthresh, twin.done);
      ASSERT_EQ(w.ssthresh_bytes, twin.done ? w.bytes : PST_SSTHRESH_MAX);
      resumed += was_css && !twin.css;
      in_css += twin.css;
      was_css = twin.css;
      w.bytes += counted;
    }
    ended += twin.done;
  }
  EXPECT_GT(ended, 20);
  EXPECT_GT(resumed, 20);
  EXPECT_GT(in_css, 1000);
}

TEST(Hystart, NeedsEightSamplesARound) {
  pst_hystart h{};
  pst_cwnd w{10 * kMss, PST_SSTHRESH_MAX};
  pst_sender_view v{};
  v.acked_bytes = kMss;
  for (u64 round = 1; round < 20; ++round) {
    for (int k = 0; k < 7; ++k) {
      v.una += kMss;
      v.sent = v.una + 6 * kMss;
      v.rtt_ns = round * 50'000'000;
      EXPECT_EQ(pst_hystart_on_ack(&h, &v, &w), 1U);
    }
  }
}

// RFC 6937 section 3.1, with PRR-SSRB.
struct PrrTwin {
  double recover_fs, delivered = 0, out = 0;

  double ack(double news, double pipe, double ssthresh) {
    delivered += news;
    if (pipe > ssthresh) return std::max(0.0, std::ceil(delivered * ssthresh / recover_fs) - out);
    const double limit = std::max(delivered - out, news) + kMss;
    return std::min(ssthresh - pipe, limit);
  }
};

TEST(Prr, FollowsTheRfcsPseudocode) {
  std::mt19937 random(2);
  for (int run = 0; run < 500; ++run) {
    const u64 flight = (1 + random() % 500) * kMss;
    const u64 ssthresh = std::max<u64>(2 * kMss, flight * (30 + random() % 60) / 100);
    pst_prr p{};
    pst_prr_begin(&p, flight);
    PrrTwin twin{static_cast<double>(flight)};
    u64 pipe = flight;
    for (int k = 0; k < 100; ++k) {
      const u64 news = (random() % 3) * kMss;
      const u64 lost = random() % 4 == 0 ? kMss : 0;
      pipe = pst_sub_floor(pipe, news + lost);
      const u64 found = pst_prr_on_ack(&p, news, pipe, ssthresh, kMss);
      const double wanted = twin.ack(static_cast<double>(news), static_cast<double>(pipe),
                                     static_cast<double>(ssthresh));
      ASSERT_EQ(found, static_cast<u64>(wanted));
      for (u64 room = found; room >= kMss; room -= kMss) {
        pst_prr_on_send(&p, kMss);
        twin.out += kMss;
        pipe += kMss;
      }
    }
  }
}

}  // namespace
