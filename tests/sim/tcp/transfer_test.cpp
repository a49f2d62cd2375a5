// SPDX-License-Identifier: GPL-2.0-only
// Whole transfers over a lossy line: every combination of options completes, and
// every byte arrives exactly once.
#include <gtest/gtest.h>

#include <random>

#include "mini_link.h"
#include "tests/sim/times.h"

namespace penstock::tcp {
namespace {

struct Options {
  bool sack, timestamps, scale, limited_transmit, ecn, nagle, pacing, autotune;
};

Options options_of(unsigned bits) {
  const auto on = [bits](unsigned i) { return (bits >> i & 1U) != 0; };
  return {on(0), on(1), on(2), on(3), on(4), on(5), on(6), on(7)};
}

void configure(const Options& o, SenderConfig& sc, ReceiverConfig& rc) {
  sc.sack = rc.sack = o.sack;
  sc.timestamps = rc.timestamps = o.timestamps;
  sc.window_scale = rc.window_scale = o.scale;
  sc.ecn = rc.ecn = o.ecn;
  sc.limited_transmit = o.limited_transmit;
  sc.nagle = o.nagle;
  sc.pacing = o.pacing;
  rc.autotune = o.autotune;
}

class Transfer : public testing::TestWithParam<unsigned> {};

// Of the seeds, the receiver opens in the second dozen.
TEST_P(Transfer, CompletesOverLossAndReordering) {
  const unsigned bits = GetParam();
  for (unsigned seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(testing::Message() << "options " << bits << " seed " << seed);
    std::mt19937 random(seed * 977 + bits);
    const auto chance = [&random](unsigned permille) { return random() % 1000 < permille; };
    SenderConfig sc = sender_of(seed % PST_SENDER_COUNT);
    ReceiverConfig rc;
    configure(options_of(bits), sc, rc);
    sc.accecn = rc.accecn = sc.ecn && seed % 2 > 0;
    rc.opens = seed >= 12;
    if (seed % 6 == 5) rc.retract_period_ns = 300 * kMs;
    rc.delayed_ack_segments = 1 + seed % 3;
    rc.buffer_bytes = seed % 4 == 3 ? 4000 : 100'000;
    const unsigned loss = std::array{0U, 5U, 30U, 150U}[seed % 4];
    const std::uint64_t size = std::array{0ULL, 1ULL, 1448ULL, 1449ULL, 400'001ULL}[seed % 5];
    MiniLink link(sc, rc, size, 0xffff'0000U + seed);
    std::uint64_t delivered_payload = 0;
    link.script = [&](Segment& s, bool to_receiver) {
      MiniLink::Fate fate{.lost = chance(loss), .extra_ns = 0};
      if (chance(loss / 3)) fate.extra_ns = random() % 60'000'000;
      if (to_receiver && s.ecn == kEct0 && chance(20)) s.ecn = kCe;
      EXPECT_FALSE((s.options & kExtension) && has_accecn(s));  // they share their place
      if (to_receiver && !fate.lost) delivered_payload += s.payload_bytes;
      return fate;
    };
    link.open();
    ASSERT_TRUE(link.run(3600 * kSecond));
    EXPECT_TRUE(link.sender.done());
    EXPECT_TRUE(link.receiver.finished());
    EXPECT_EQ(link.sender.acked_bytes(), size);
    EXPECT_EQ(link.sender.next_timer_ns(), kNever);
    EXPECT_EQ(link.receiver.next_timer_ns(), kNever);
    const ReceiverCounters& r = link.receiver.counters();
    const SenderCounters& c = link.sender.counters();
    EXPECT_EQ(r.delivered_bytes, size);
    EXPECT_EQ(r.out_of_window, 0U);
    EXPECT_EQ(r.delivered_bytes + r.duplicate_bytes, delivered_payload);
    EXPECT_EQ(c.bytes_sent - c.retransmitted_bytes, size);
    if (loss == 0) {
      EXPECT_EQ(c.retransmissions, 0U);
    }
  }
}

// A gateway that takes windows back at random, down to one segment or to nothing,
// and an application that stops reading now and then: nothing gets stuck.
TEST_P(Transfer, CompletesThroughShrinkingWindows) {
  const unsigned bits = GetParam();
  for (unsigned seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(testing::Message() << "options " << bits << " seed " << seed);
    std::mt19937 random(seed * 613 + bits);
    SenderConfig sc = sender_of(seed % PST_SENDER_COUNT);
    ReceiverConfig rc;
    configure(options_of(bits), sc, rc);
    const unsigned loss = seed % 2 ? 20 : 0;
    constexpr std::uint64_t kSize = 300'000;
    MiniLink link(sc, rc, kSize);
    std::uint8_t scale = 0;
    link.script = [&](Segment& s, bool to_receiver) {
      if (!to_receiver && (s.flags & kSyn)) scale = s.options & kWindowScale ? s.syn.scale : 0;
      if (!to_receiver && !(s.flags & kSyn) && random() % 2) {
        const std::uint64_t bytes = random() % 8 == 0 ? 0 : 1448 + random() % 20'000;
        const std::uint64_t field = (bytes + (1U << scale) - 1) >> scale;
        s.window = static_cast<std::uint16_t>(std::min<std::uint64_t>(s.window, field));
      }
      return MiniLink::Fate{.lost = random() % 1000 < loss, .extra_ns = 0};
    };
    link.after_step = [&] {
      if (random() % 64 == 0) link.receiver.pause_reading();
      if (random() % 32 == 0) link.resume();
    };
    link.open();
    for (int i = 0; i < 1000 && !link.sender.done(); ++i) {
      ASSERT_TRUE(link.run(link.now_ns + kSecond));
      link.resume();
    }
    EXPECT_TRUE(link.sender.done());
    EXPECT_EQ(link.receiver.counters().delivered_bytes, kSize);
    EXPECT_EQ(link.receiver.counters().out_of_window, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(AllOptions, Transfer, testing::Range(0U, 256U));

// 20 Mbit/s, 40 ms, room for 64 segments: Linux ends between 0.7 and 2.5 MB there.
TEST(AutotunedWindow, EndsWhereLinuxDoes) {
  ReceiverConfig rc;
  rc.autotune = true;
  rc.buffer_bytes = 65536;
  MiniLink link(sender_of(PST_SENDER_CUBIC), rc, kNever);
  link.gap_ns = 605'600;
  link.queue_segments = 64;
  link.open();
  ASSERT_TRUE(link.run(16 * kSecond));
  EXPECT_GT(link.receiver.window_bytes(), 700'000U);
  EXPECT_LT(link.receiver.window_bytes(), 2'500'000U);
  // 19 Mbit/s of 20 are payload.
  EXPECT_GT(link.receiver.counters().delivered_bytes, 15ULL * 19'000'000 / 8);
}

TEST(LongTransfer, PassesFourGigabytes) {
  SenderConfig sc = sender_of(PST_SENDER_NEWRENO);
  ReceiverConfig rc;
  sc.mss_bytes = rc.mss_bytes = 60'000;
  rc.buffer_bytes = 20'000'000;
  constexpr std::uint64_t kSize = 9'000'000'001;
  MiniLink link(sc, rc, kSize, 0xfff0'0000U);
  std::uint64_t n = 0;
  link.script = [&n](Segment&, bool to_receiver) {
    return MiniLink::Fate{.lost = to_receiver && ++n % 5000 == 0, .extra_ns = 0};
  };
  link.open();
  ASSERT_TRUE(link.run(36000 * kSecond));
  EXPECT_TRUE(link.sender.done());
  EXPECT_EQ(link.receiver.counters().delivered_bytes, kSize);
  EXPECT_EQ(link.sender.counters().bytes_sent - link.sender.counters().retransmitted_bytes, kSize);
}

}  // namespace
}  // namespace penstock::tcp
