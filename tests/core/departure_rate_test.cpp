// SPDX-License-Identifier: GPL-2.0-only
// A link's rate from what leaves its queue: against a twin in floating point, and against links
// that are simulated here, packet by packet.
#include "core/queue/departure_rate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace {

constexpr u64 kMs = 1'000'000;
constexpr u64 kPacketBytes = 1500;

// Equations 2 to 4 of core/queue/departure_rate.h, in steps of 5 ms.
struct Twin {
  double rate = 125'000, sent = 0, known_s = 0;
  double seen_s = 0, seen_bytes = 0, busy_bytes = 0, busy_s = 0, all_bytes = 0, all_s = 0;
  bool seen = false;

  static double mean(double before, double bytes, double s, double of_s) {
    return before + std::min(s / of_s, 1.0) * (bytes / s - before);
  }
  void step() {
    const double k_s = std::clamp(16 * double{kPacketBytes} / rate, 0.05, 1.0);
    double busy = rate;
    sent = mean(sent, all_bytes, all_s, k_s);
    all_bytes = all_s = 0;
    if (busy_s >= 0.005) {
      known_s = std::min(known_s + busy_s, k_s);
      busy = mean(busy, busy_bytes, busy_s, known_s);
      busy_bytes = busy_s = 0;
    }
    rate = std::max({busy, known_s > 0 ? sent - double{kPacketBytes} / k_s : 2 * sent, 125.0});
  }
  void look(double queue_bytes, double now_s) {
    const double left = std::max(seen_bytes - queue_bytes, 0.0), s = now_s - seen_s;
    if (seen) {
      all_bytes += left;
      all_s += s;
      busy_bytes += queue_bytes > 0 ? left : 0;
      busy_s += queue_bytes > 0 ? s : 0;
      if (all_s >= 0.005) step();
    }
    seen = true;
    seen_s = now_s;
    seen_bytes = queue_bytes;
  }
};

// A FIFO of 100 packets on a link, the packet in transmission not counted, and who measures it.
class Line {
 public:
  explicit Line(u64 bytes_per_s) : bytes_per_s_(bytes_per_s) {
    pst_departure_rate_init(&measured_);
  }

  // As who is told a rate does before each look.
  void expect(u64 bytes_per_s) {
    pst_departure_rate_expect(&measured_, bytes_per_s);
    twin_.rate = static_cast<double>(bytes_per_s);
    twin_.known_s = 1;
  }
  void set_rate(u64 bytes_per_s) { bytes_per_s_ = bytes_per_s; }
  // Whoever measures is told this limit, and does not see what is dropped.
  void tell_limit(u64 packets) { told_bytes_ = packets * kPacketBytes; }
  u64 longest_packets() const { return pst_departure_rate_longest(&measured_) / kPacketBytes; }
  void arrive(u64 now_ns) {
    look(now_ns);
    if (is_counted()) {
      pst_departure_rate_enter(&measured_, kPacketBytes);
      twin_.seen_bytes += double{kPacketBytes};
    }
    if (packets_ == 100) return;
    ++packets_;
    free_ns_ = std::max(free_ns_, now_ns);
    send(now_ns);
  }
  void look(u64 now_ns) {
    send(now_ns);
    pst_departure_rate_look(&measured_, packets_ * kPacketBytes, kPacketBytes, now_ns);
    twin_.look(static_cast<double>(packets_ * kPacketBytes), static_cast<double>(now_ns) * 1e-9);
  }
  // Packets at `part` of the link's rate, for `for_ns`; the distances are exponential.
  void load(double part, u64 for_ns) {
    for (const u64 end_ns = now_ns_ + for_ns; now_ns_ < end_ns; arrive(now_ns_)) {
      const double mean_ns = static_cast<double>(kPacketBytes * PST_NS_PER_S) /
                             (part * static_cast<double>(bytes_per_s_));
      now_ns_ += 1 + static_cast<u64>(mean_ns * std::exponential_distribution(1.0)(random_));
    }
  }
  double measured() const { return static_cast<double>(measured_.bytes_per_s); }
  double ratio() const { return measured() / static_cast<double>(bytes_per_s_); }
  double twin() const { return twin_.rate; }

 private:
  bool is_counted() const {
    return told_bytes_ ? pst_departure_rate_fits(&measured_, packets_ * kPacketBytes, told_bytes_,
                                                 kPacketBytes)
                       : packets_ < 100;
  }
  void send(u64 now_ns) {
    for (; packets_ > 0 && free_ns_ <= now_ns; --packets_)
      free_ns_ += kPacketBytes * PST_NS_PER_S / bytes_per_s_;
  }

  u64 bytes_per_s_, now_ns_ = kMs, free_ns_ = 0, packets_ = 0, told_bytes_ = 0;
  pst_departure_rate measured_{};
  Twin twin_;
  std::mt19937_64 random_{5};
};

TEST(DepartureRate, IsTheEquationsAtAnyRateAndLoad) {
  for (const u64 rate : {12'500U, 125'000U, 2'500'000U, 1'250'000'000U})
    for (const double part : {0.2, 0.8, 1.0, 1.5}) {
      Line line(rate);
      for (int i = 0; i < 200; ++i) {
        line.load(part, 10 * kPacketBytes * PST_NS_PER_S / rate);
        ASSERT_NEAR(line.measured() / line.twin(), 1, 2e-3) << rate << " " << part << " " << i;
      }
    }
}

TEST(DepartureRate, IsTheLinksWhileTheQueueIsBusy) {
  for (const u64 rate : {125'000U, 2'500'000U, 125'000'000U}) {
    Line line(rate);
    line.load(1.2, 2 * PST_NS_PER_S);
    EXPECT_NEAR(line.ratio(), 1, 0.07) << rate;
  }
}

// Otherwise what arrives at a queue above that limit would not count, and would never have left.
TEST(DepartureRate, IsTheLinksWhereTheLimitIsToldTooLow) {
  for (const u64 told : {2U, 20U, 50U, 99U, 100U})
    for (const double load : {1.2, 2.0}) {
      Line line(2'500'000);
      line.tell_limit(told);
      line.load(load, 4 * PST_NS_PER_S);
      EXPECT_NEAR(line.ratio(), 1, 0.07) << told << " " << load;
      EXPECT_EQ(line.longest_packets(), 100U) << told << " " << load;
    }
}

TEST(DepartureRate, ForgetsAQueueThatIsLongNoMore) {
  Line line(2'500'000);
  line.tell_limit(20);
  line.load(1.2, 2 * PST_NS_PER_S);
  line.load(0.5, 30 * PST_NS_PER_S);
  EXPECT_LT(line.longest_packets(), 20U);
  line.load(1.2, 2 * PST_NS_PER_S);
  EXPECT_NEAR(line.ratio(), 1, 0.07);
}

TEST(DepartureRate, IsKnownAfterTheFirstBurst) {
  Line line(2'500'000);
  for (int i = 0; i < 20; ++i) line.arrive(kMs + static_cast<u64>(i));
  line.look(8 * kMs);
  EXPECT_NEAR(line.ratio(), 1, 0.15);
}

TEST(DepartureRate, IsWhatWasToldUntilTheQueueShowsAnother) {
  for (const double told : {0.5, 1.0, 2.0}) {
    Line line(2'500'000);
    line.expect(static_cast<u64>(told * 2'500'000));
    line.load(0.05, 10 * kMs);
    EXPECT_NEAR(line.ratio(), told, 0.01);
    line.load(1.2, 20 * kMs);
    EXPECT_NEAR(line.ratio(), line.twin() / 2'500'000, 2e-3);
    line.load(1.2, PST_NS_PER_S);
    EXPECT_NEAR(line.ratio(), 1, 0.07) << told;
    EXPECT_NEAR(line.ratio(), line.twin() / 2'500'000, 2e-3);
  }
}

TEST(DepartureRate, IsToldOnce) {
  pst_departure_rate r;
  pst_departure_rate_init(&r);
  pst_departure_rate_expect(&r, 5'000'000);
  pst_departure_rate_expect(&r, 1'000'000);
  EXPECT_EQ(r.bytes_per_s, 5'000'000U);
}

TEST(DepartureRate, FollowsALinkThatSlowsDownAndOneThatSpeedsUp) {
  Line line(2'500'000);
  line.load(1.2, PST_NS_PER_S);
  line.set_rate(1'250'000);
  line.load(1.2, 50 * kMs);
  EXPECT_LT(line.ratio(), 1.6);
  line.load(1.2, 150 * kMs);
  EXPECT_NEAR(line.ratio(), 1, 0.07);
  line.set_rate(5'000'000);
  line.load(1.2, 200 * kMs);
  EXPECT_NEAR(line.ratio(), 1, 0.07);
}

// A queue that stays empty says nothing of the rate but that it is no less than what is sent.
TEST(DepartureRate, StaysWhileTheLinkIsIdleAndRisesWithWhatIsSent) {
  Line line(2'500'000);
  line.load(1.2, PST_NS_PER_S);
  line.load(0.05, 10 * PST_NS_PER_S);
  EXPECT_NEAR(line.ratio(), 1, 0.1);
  line.set_rate(25'000'000);
  line.load(0.3, PST_NS_PER_S);
  EXPECT_GT(line.ratio(), 0.28);
}

TEST(DepartureRate, HoldsWithWhateverAHostPassesIn) {
  std::mt19937_64 random(9);
  pst_departure_rate r;
  pst_departure_rate_init(&r);
  const auto any = [&] { return random() >> random() % 64; };
  for (int i = 0; i < 100'000; ++i) {
    pst_departure_rate_look(&r, any(), any(), any());
    pst_departure_rate_enter(&r, any());
    ASSERT_GE(r.bytes_per_s, PST_DEPARTURE_MIN_BYTES_PER_S);
    ASSERT_LE(r.bytes_per_s, PST_MAX_BYTES);
  }
  static_assert(std::numeric_limits<u64>::max() / PST_NS_PER_S > PST_DEPARTURE_AVERAGE_PACKETS);
}

}  // namespace
