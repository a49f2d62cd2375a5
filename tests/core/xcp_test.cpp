// SPDX-License-Identifier: GPL-2.0-only
// XCP's router against a twin in floating point, written from nis-2004 section 12.3.2, and
// at the fixed points of the fluid model; XCP's sender against (12.5) and (12.6).
#include "core/discipline/xcp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/sender/newreno.h"
#include "core/sender/xcp_sender.h"

namespace {

constexpr pst_xcp_params kDefaults{26214, 14811, 6554, 100'000'000};

struct Packet {
  u64 now_ns;
  u64 queue_bytes;
  u32 bytes;
  double rtt_s;
  double cwnd_bytes;
};

// Equations (12.7) to (12.13) as they are printed, over one control interval.
class Twin {
 public:
  Twin(double capacity, double start_s) : capacity_(capacity), started_s_(start_s) {}

  void arrive(const Packet& p) {
    input_ += p.bytes;
    weight_ += p.rtt_s * p.bytes / p.cwnd_bytes;
    moment_ += p.rtt_s * p.rtt_s * p.bytes / p.cwnd_bytes;
  }

  void tick(double now_s, double persistent_bytes) {
    const double length = now_s - started_s_;
    d_ = moment_ / weight_;
    const double y = input_ / length;
    const double phi = 26214 / 65536.0 * d_ * (capacity_ - y) - 14811 / 65536.0 * persistent_bytes;
    const double h = std::max(0.0, 6554 / 65536.0 * y * d_ - std::abs(phi));
    // The sums are over an interval of the length d.
    xi_p_ = (h + std::max(phi, 0.0)) / (d_ * weight_ * d_ / length);
    xi_n_ = (h + std::max(-phi, 0.0)) / (d_ * input_ * d_ / length);
    input_ = weight_ = moment_ = 0;
    started_s_ = now_s;
  }

  double change(const Packet& p) const {
    return xi_p_ * p.rtt_s * p.rtt_s * p.bytes / p.cwnd_bytes - xi_n_ * p.rtt_s * p.bytes;
  }
  double d() const { return d_; }

 private:
  double capacity_, started_s_;
  double input_ = 0, weight_ = 0, moment_ = 0, d_ = 0, xi_p_ = 0, xi_n_ = 0;
};

class Router {
 public:
  explicit Router(u64 rate_bytes_per_s) {
    view.rate_bytes_per_s = rate_bytes_per_s;
    pst_xcp_init(&kDefaults, &state, &view);
  }

  void arrive(const Packet& p) {
    pst_feedback f = header(p);
    look(p);
    const pst_packet k = packet(p, &f);
    EXPECT_EQ(pst_xcp_on_arrive(&kDefaults, &state, &view, &k), PST_PASS);
    EXPECT_EQ(f.delta_bytes, INT32_MAX);
  }
  s32 leave(const Packet& p, s32 asked = INT32_MAX) {
    pst_feedback f = header(p);
    f.delta_bytes = asked;
    look(p);
    const pst_packet k = packet(p, &f);
    EXPECT_EQ(pst_xcp_on_leave(&kDefaults, &state, &view, &k), PST_PASS);
    return f.delta_bytes;
  }
  u64 tick(u64 now_ns) {
    view.now_ns = now_ns;
    return pst_xcp_on_tick(&kDefaults, &state, &view);
  }

  pst_queue view{};
  pst_xcp_state state{};

 private:
  static pst_feedback header(const Packet& p) {
    return {static_cast<u32>(p.cwnd_bytes), static_cast<u32>(std::llround(p.rtt_s * 1e6)),
            INT32_MAX, 0};
  }
  static pst_packet packet(const Packet& p, pst_feedback* f) {
    pst_packet k{};
    k.bytes = p.bytes;
    k.feedback = f;
    return k;
  }
  void look(const Packet& p) {
    view.now_ns = p.now_ns;
    view.bytes = p.queue_bytes;
  }
};

TEST(XcpRouter, GivesWhatTheEquationsSay) {
  std::mt19937_64 random(1);
  const auto uniform = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(random));
  };
  for (int run = 0; run < 300; ++run) {
    const double rate = std::floor(uniform(1e5, 1e9));
    Router router(static_cast<u64>(rate));
    Twin twin(rate, 0);
    const u64 length_ns = static_cast<u64>(uniform(5e6, 1e9));
    const u64 queue = random() % 3 ? 0 : random() % 1'000'000;
    std::vector<Packet> packets;
    for (int i = 0; i < 400; ++i) {
      const auto bytes = static_cast<u32>(40 + random() % 1461);
      packets.push_back({length_ns * static_cast<u64>(i) / 400, queue, bytes,
                         std::round(uniform(1e-3, 1) * 1e6) / 1e6, std::floor(uniform(1500, 1e8))});
      router.arrive(packets.back());
      twin.arrive(packets.back());
    }
    const u64 next_ns = router.tick(length_ns);
    twin.tick(static_cast<double>(length_ns) * 1e-9,
              static_cast<double>(router.state.persistent_bytes));
    EXPECT_NEAR(static_cast<double>(router.state.mean_rtt_us) * 1e-6, twin.d(),
                2e-6 + 2e-3 * twin.d());
    EXPECT_EQ(next_ns, std::clamp<u64>(router.state.mean_rtt_us * 1000, 1'000'000, 10'000'000'000));
    for (const Packet& p : packets) {
      const double exact = std::clamp(twin.change(p), -1e9, 1e9);
      const double ours = std::clamp<double>(router.leave(p), -1e9, 1e9);
      ASSERT_NEAR(ours, exact, 1.1 + 0.005 * std::abs(exact)) << run;
    }
  }
}

// `rates` of the capacity with equal round trips; the change of each flow's window in a d.
std::vector<double> changes(const std::vector<double>& rates, u64 queue_bytes = 0) {
  constexpr double kRtt = 0.1, kCapacity = 16e6;
  constexpr u32 kBytes = 1000;
  Router router(static_cast<u64>(kCapacity));
  std::vector<double> sums(rates.size());
  for (int interval = 0; interval < 3; ++interval) {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const double cwnd = rates[i] * kCapacity * kRtt;
      const int count = static_cast<int>(std::lround(cwnd / kBytes));
      for (int n = 0; n < count; ++n) {
        const Packet p{static_cast<u64>(interval) * 100'000'000, queue_bytes, kBytes, kRtt, cwnd};
        router.arrive(p);
        sums[i] += router.leave(p);
      }
    }
    router.tick(static_cast<u64>(interval + 1) * 100'000'000);
  }
  return sums;
}

TEST(XcpRouter, AFairShareOfAllIsAFixedPoint) {
  for (const double change : changes({0.25, 0.25, 0.25, 0.25})) EXPECT_NEAR(change, 0, 10);
}

TEST(XcpRouter, ShufflesATenthTowardsFairness) {
  // h = 0.1 * 1.6 MB: each gets a half of it, and gives in proportion to its rate.
  const std::vector<double> change = changes({0.75, 0.25});
  EXPECT_NEAR(change[0], 160'000 * (0.5 - 0.75), 50);
  EXPECT_NEAR(change[1], 160'000 * (0.5 - 0.25), 50);
}

TEST(XcpRouter, HandsOutTwoFifthsOfWhatIsSpareToAllAlike) {
  // phi = 0.4 * 0.5 * 1.6 MB, above the 0.1 * y * d that would be shuffled.
  const std::vector<double> change = changes({0.375, 0.125});
  EXPECT_NEAR(change[0], 160'000, 50);
  EXPECT_NEAR(change[1], 160'000, 50);
}

TEST(XcpRouter, DrainsAPersistentQueueInProportion) {
  const std::vector<double> change = changes({0.75, 0.25}, 1'000'000);
  EXPECT_NEAR(change[0] + change[1], -226'000, 50);
  EXPECT_NEAR(change[0] / change[1], 3, 0.01);
}

TEST(XcpRouter, NeverGivesMoreThanWasAskedNorAnythingWithoutARoundTrip) {
  Router router(12'500'000);
  const Packet p{0, 0, 1000, 0.1, 10'000};
  for (int i = 0; i < 100; ++i) router.arrive(p);
  router.tick(100'000'000);
  EXPECT_GT(router.leave(p), 1'000);
  EXPECT_EQ(router.leave(p, 7), 7);
  EXPECT_EQ(router.leave(p, -7), -7);
  EXPECT_EQ(router.leave({0, 0, 1000, 0, 10'000}), 0);
}

// Headers of any content: nothing overflows, and what is handed out stays bounded.
TEST(XcpRouter, ForgedHeadersGetNoMoreThanThereIs) {
  std::mt19937_64 random(5);
  for (int run = 0; run < 200; ++run) {
    Router router(1'000'000);
    for (int interval = 1; interval < 4; ++interval) {
      for (int i = 0; i < 200; ++i) {
        pst_feedback f{static_cast<u32>(random()), static_cast<u32>(random() >> random() % 64),
                       static_cast<s32>(random()), 0};
        pst_packet k{};
        k.bytes = static_cast<u32>(random() % 65536);
        k.feedback = &f;
        router.view.bytes = random() % 100'000;
        pst_xcp_on_arrive(&kDefaults, &router.state, &router.view, &k);
        const s32 asked = f.delta_bytes;
        pst_xcp_on_leave(&kDefaults, &router.state, &router.view, &k);
        EXPECT_LE(f.delta_bytes, std::max(asked, 0));
      }
      const u64 ns = router.tick(static_cast<u64>(interval) * 100'000'000);
      EXPECT_GE(ns, 1'000'000U);
      EXPECT_LE(ns, 10'000'000'000U);
    }
  }
}

pst_sender_view view(s32 feedback, bool has = true) {
  pst_sender_view v{};
  v.srtt_ns = 100'000'000;
  v.mss_bytes = 1000;
  v.flight_bytes = 20'000;
  v.acked_bytes = 2000;
  v.feedback_bytes = feedback;
  v.cwnd_limited = true;
  v.has_feedback = has;
  return v;
}

constexpr pst_xcp_sender_params kSender{2, 0};

TEST(XcpSender, FollowsTheFeedbackDownToOnePacket) {
  std::mt19937_64 random(2);
  pst_xcp_sender_state s{};
  pst_cwnd w{10'000, PST_SSTHRESH_MAX};
  double twin = 10'000;
  for (int i = 0; i < 10'000; ++i) {
    const auto feedback = static_cast<s32>(random() % 4001) - 2000;
    const pst_sender_view v = view(feedback);
    twin = std::max(twin + feedback, 1000.0);
    pst_xcp_sender_on_sample(&kSender, &s, &v, &w);
    pst_xcp_sender_on_ack(&kSender, &s, &v, &w);
    ASSERT_EQ(static_cast<double>(w.bytes), twin);
  }
}

TEST(XcpSender, AsksForTheRateThatItWants) {
  const pst_xcp_sender_state s{};
  const pst_sender_view v = view(0);
  const pst_cwnd w{10'000, PST_SSTHRESH_MAX};
  for (const u64 rate_bps : {80'000U, 800'000U, 8'000'000U, 80'000'000U}) {
    const pst_xcp_sender_params p{2, rate_bps};
    pst_feedback f{};
    pst_xcp_sender_stamp(&p, &s, &v, &w, &f);
    EXPECT_NEAR(f.delta_bytes, (static_cast<double>(rate_bps) / 8 * 0.1 - 10'000) / 10, 1);
    EXPECT_EQ(f.rtt_us, 100'000U);
    EXPECT_EQ(f.cwnd_bytes, 10'000U);
  }
  pst_feedback f{};
  pst_xcp_sender_stamp(&kSender, &s, &v, &w, &f);
  EXPECT_EQ(f.delta_bytes, INT32_MAX);
}

TEST(XcpSender, ForgedFeedbackRaisesItToTheRateThatItWantsAtMost) {
  pst_xcp_sender_state s{};
  pst_cwnd w{10'000, PST_SSTHRESH_MAX};
  const pst_xcp_sender_params p{2, 8'000'000};  // 100 kB in a round trip
  for (int i = 0; i < 10; ++i) {
    const pst_sender_view v = view(INT32_MAX);
    pst_xcp_sender_on_sample(&p, &s, &v, &w);
    EXPECT_EQ(w.bytes, 100'000U);
  }
}

TEST(XcpSender, IsNewRenoWithoutFeedback) {
  pst_xcp_sender_state s{};
  pst_cwnd w{10'000, PST_SSTHRESH_MAX};
  pst_cwnd reno = w;
  pst_newreno_state r{};
  const pst_newreno_params n{2};
  const pst_sender_view v = view(0, false);
  pst_xcp_sender_init(&kSender, &s, &v, &w);
  for (int i = 0; i < 100; ++i) {
    if (i == 50) {
      w.ssthresh_bytes = pst_xcp_sender_on_congestion(&kSender, &s, &v, &w, PST_LOSS);
      reno.ssthresh_bytes = pst_newreno_on_congestion(&n, &r, &v, &reno, PST_LOSS);
      w.bytes = reno.bytes = w.ssthresh_bytes;
    }
    pst_xcp_sender_on_sample(&kSender, &s, &v, &w);
    pst_xcp_sender_on_ack(&kSender, &s, &v, &w);
    pst_newreno_on_ack(&n, &r, &v, &reno);
    ASSERT_EQ(w.bytes, reno.bytes);
    ASSERT_EQ(w.ssthresh_bytes, reno.ssthresh_bytes);
  }
}

TEST(XcpSender, DoesNotGrowInARecoveryOrUnused) {
  pst_xcp_sender_state s{};
  pst_cwnd w{10'000, PST_SSTHRESH_MAX};
  pst_sender_view v = view(500);
  pst_xcp_sender_on_congestion(&kSender, &s, &v, &w, PST_LOSS);
  pst_xcp_sender_on_sample(&kSender, &s, &v, &w);
  EXPECT_EQ(w.bytes, 10'000U);
  pst_xcp_sender_on_recovered(&kSender, &s, &v, &w);
  pst_xcp_sender_on_sample(&kSender, &s, &v, &w);
  EXPECT_EQ(w.bytes, 10'500U);
  v.cwnd_limited = false;
  pst_xcp_sender_on_sample(&kSender, &s, &v, &w);
  EXPECT_EQ(w.bytes, 10'500U);
}

}  // namespace
