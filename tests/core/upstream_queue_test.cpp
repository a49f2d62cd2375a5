// SPDX-License-Identifier: GPL-2.0-only
// A queue before the gateway, from the timestamps of what comes: when it is known, its rate beside
// traffic that says nothing, drains, and waits that windows do not change.
#include "core/queue/upstream_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "core/gateway/gateway.h"

namespace {

constexpr u64 kMs = 1'000'000;
constexpr u64 kPacketBytes = 1500;
constexpr u64 kRate = 2'500'000;  // bytes per second
constexpr u64 kPathNs = 20 * kMs;
constexpr u64 kRttNs = 40 * kMs;

// A line that is busy, and who measures it at its end.
class Line {
 public:
  Line() { pst_departure_rate_init(&rate_); }

  // A packet comes that waited so long; without a flow it says nothing.
  void packet(u64 wait_ns, int flow = 0) {
    pst_upstream_look(&queue_, &rate_, now_ns_);
    if (flow >= 0) {
      const u64 sent_ns = now_ns_ - kPathNs - wait_ns + lie_ns_.at(static_cast<size_t>(flow));
      const pst_stamp t{now_ns_,  kRttNs, kPacketBytes, pause_ns_, static_cast<u32>(sent_ns / 1000),
                        observed_};
      rebased_ = pst_upstream_stamp(&queue_, &rate_, &flows_.at(static_cast<size_t>(flow)), &t) ||
                 rebased_;
    }
    pst_upstream_enter(&queue_, kPacketBytes);
  }
  // Packets of `flows` in turn at `bytes_per_s`, of which each `every`-th says nothing.
  void run(u64 bytes_per_s, u64 wait_ns, u64 for_ns, int flows = 1, int every = 1 << 30) {
    int turn = 0;
    for (const u64 end_ns = now_ns_ + for_ns; now_ns_ < end_ns; ++turn) {
      packet(wait_ns, turn % every == every - 1 ? -1 : turn % flows);
      now_ns_ += kPacketBytes * PST_NS_PER_S / bytes_per_s;
    }
  }
  void begin(int flows = 1) { run(kRate / 4, 0, 300 * kMs, flows); }
  void lie(int flow, u64 ns) { lie_ns_.at(static_cast<size_t>(flow)) = ns; }
  void observe() { observed_ = 1; }
  void pause(u64 ns) { pause_ns_ = ns; }
  double wait_now_ms() const {
    return static_cast<double>(pst_upstream_now_ns(&queue_, now_ns_)) * 1e-6;
  }
  void pass(u64 ns) { now_ns_ += ns; }
  bool known() const { return pst_upstream_is_known(&queue_); }
  double ratio() const { return static_cast<double>(rate_.bytes_per_s) / double{kRate}; }
  double wait_ms() const { return static_cast<double>(queue_.wait.wait_ns) * 1e-6; }
  double bytes() const { return static_cast<double>(pst_upstream_bytes(&queue_, &rate_, now_ns_)); }
  const pst_upstream_queue& queue() const { return queue_; }
  u64 now_ns() const { return now_ns_; }
  bool inferred() const { return pst_upstream_is_inferred(&queue_, now_ns_); }
  bool rebased() const { return rebased_; }

 private:
  u64 now_ns_ = 5 * PST_NS_PER_S;
  u32 observed_ = 0;
  u64 pause_ns_ = 0;
  bool rebased_ = false;
  pst_upstream_queue queue_{};
  pst_departure_rate rate_{};
  std::array<pst_one_way, 8> flows_{};
  std::array<u64, 8> lie_ns_{};
};

TEST(UpstreamQueue, IsKnownAfterAQueueHasStood) {
  Line line;
  line.begin();
  EXPECT_FALSE(line.known());
  line.run(kRate, 30 * kMs, 500 * kMs);
  EXPECT_TRUE(line.known());
  EXPECT_NEAR(line.ratio(), 1, 0.02);
  EXPECT_NEAR(line.bytes(), double{kRate} * 0.030, double{kRate} * 0.002);
}

TEST(UpstreamQueue, IsUnknownWhereNothingWaits) {
  Line line;
  line.begin();
  line.run(kRate / 2, 0, 10 * PST_NS_PER_S);
  EXPECT_FALSE(line.known());
}

TEST(UpstreamQueue, CountsWhatSaysNothingInTheRate) {
  Line line;
  line.begin();
  line.run(kRate, 30 * kMs, PST_NS_PER_S, 1, 3);
  EXPECT_NEAR(line.ratio(), 1, 0.05);
}

TEST(UpstreamQueue, IsForgottenWhenNothingStandsForTenSeconds) {
  Line line;
  line.begin();
  line.run(kRate, 30 * kMs, 500 * kMs);
  line.run(kRate / 4, 0, 9 * PST_NS_PER_S);
  EXPECT_TRUE(line.known());
  line.run(kRate / 4, 0, 2 * PST_NS_PER_S);
  EXPECT_FALSE(line.known());
  // It is as it was once half of it is used, before a queue has stood.
  line.run(kRate * 4 / 10, 0, 200 * kMs);
  EXPECT_FALSE(line.known());
  line.run(kRate * 6 / 10, 0, 200 * kMs);
  EXPECT_TRUE(line.known());
  EXPECT_NEAR(line.ratio(), 1, 0.1);
}

// One of four that says too little, or too much.
TEST(UpstreamQueue, DoesNotDependOnOneThatLies) {
  for (const u64 lie_ns : {30 * kMs, 0 - 200 * kMs}) {
    Line line;
    line.begin(4);
    line.run(kRate, 30 * kMs, 200 * kMs, 4);
    line.lie(2, lie_ns);
    line.run(kRate, 30 * kMs, 500 * kMs, 4);
    EXPECT_NEAR(line.wait_ms(), 30, 1);
  }
}

TEST(UpstreamQueue, IsDrainedWhenItWasNotEmptyForFiveSeconds) {
  Line line;
  line.begin();
  line.run(kRate, 6 * kMs, PST_NS_PER_S);
  EXPECT_EQ(line.queue().drain.until_ns, 0U);
  while (!line.queue().drain.until_ns) line.run(kRate, 6 * kMs, 10 * kMs);
  EXPECT_NEAR(static_cast<double>(line.now_ns()) * 1e-9, 10.4, 0.3);
  EXPECT_EQ(pst_drain_part_q16(&line.queue().drain, line.now_ns()), PST_Q16_ONE * 9 / 40);
  EXPECT_EQ(pst_drain_part_q16(&line.queue().drain, line.now_ns() + kRttNs + 10 * kMs), 0U);
  // Methods see what was there before.
  const double before = line.bytes();
  line.run(kRate, 2 * kMs, 30 * kMs);
  EXPECT_NEAR(line.bytes(), before, before / 20);
}

// Windows reduce the rate for a path that is 8 ms longer, and not its wait; a drain shows that.
TEST(UpstreamQueue, ALongerPathIsFoundByTheRateThatItTakes) {
  for (const u64 part : {1, 2}) {
    Line line;
    line.begin();
    line.run(kRate, 4 * kMs, 2 * PST_NS_PER_S);
    for (int i = 0; i < 200; ++i)
      line.run(kRate / part / (line.queue().drain.until_ns && part == 2 ? 2 : 1), 8 * kMs,
               10 * kMs);
    EXPECT_EQ(line.rebased(), part == 2);
    EXPECT_NEAR(line.wait_ms(), part == 2 ? 0 : 8, 0.2);
    // A shorter one is found at once, and the drain's is forgotten.
    line.run(kRate, 4 * kMs, 100 * kMs);
    EXPECT_NEAR(line.wait_ms(), part == 2 ? 0 : 4, 0.2);
  }
}

// What a slow clock adds is found by an idle link; without one nothing moves.
TEST(UpstreamQueue, ADrainMovesTheBaseOnlyIfTheLinkWasIdle) {
  for (const bool idle : {true, false}) {
    Line line;
    line.begin();
    while (!line.queue().drain.until_ns) line.run(kRate, 6 * kMs, kMs);
    line.run(kRate, 2 * kMs, 40 * kMs);
    if (idle) line.run(kRate / 4, 2 * kMs, 10 * kMs);
    while (line.queue().drain.until_ns) line.run(kRate, 6 * kMs, kMs);
    line.run(kRate, 6 * kMs, 20 * kMs);
    EXPECT_NEAR(line.wait_ms(), idle ? 5 : 6, 0.2);
  }
}

TEST(UpstreamQueue, AWaitThatNoWindowChangesIsPath) {
  Line line;
  line.begin();
  line.run(kRate, 5 * kMs, PST_NS_PER_S);
  for (u64 part = 2; part < 6; ++part) line.run(kRate / part, 35 * kMs, 400 * kMs);
  EXPECT_TRUE(line.rebased());
  EXPECT_TRUE(line.known());
  EXPECT_LT(line.wait_ms(), 1);
  EXPECT_NEAR(line.ratio(), 1, 0.3);
}

// A target that outlasts pauses keeps a wait that high by itself.
TEST(UpstreamQueue, AWaitThatPausesNeedIsNoPath) {
  Line line;
  line.pause(15 * kMs);
  line.begin();
  line.run(kRate, 5 * kMs, PST_NS_PER_S);
  for (u64 part = 2; part < 6; ++part) line.run(kRate / part, 35 * kMs, 400 * kMs);
  EXPECT_FALSE(line.rebased());
}

TEST(UpstreamQueue, EmptiesWhereNothingComes) {
  Line line;
  line.begin();
  line.run(kRate, 30 * kMs, 500 * kMs);
  const double before_ms = line.wait_now_ms();
  line.pass(10 * kMs);
  EXPECT_NEAR(line.wait_now_ms(), before_ms - 10, 0.01);
  line.pass(PST_NS_PER_S);
  EXPECT_EQ(line.wait_now_ms(), 0);
}

TEST(UpstreamQueue, StandsForARoundTripWhilePacketsComeThatSayNothing) {
  Line line;
  line.begin();
  line.run(kRate, 30 * kMs, 500 * kMs);
  line.run(kRate, 30 * kMs, kRttNs, 1, 1);
  EXPECT_NEAR(line.wait_now_ms(), 30, 1.5);
  line.run(kRate, 30 * kMs, 20 * kMs, 1, 1);
  EXPECT_NEAR(line.wait_now_ms(), 10, 1.5);
}

// Silence: a pause if waits were short since the last drain, else it may be a longer path.
TEST(UpstreamQueue, IsInferredWhereNothingComesAndNoWaitWasShort) {
  for (const u64 least_ns : {u64{0}, 8 * kMs}) {
    Line line;
    line.begin();
    line.run(kRate, 12 * kMs, 500 * kMs);
    line.run(kRate, least_ns, 100 * kMs);
    line.run(kRate, 12 * kMs, 100 * kMs);
    EXPECT_FALSE(line.inferred());
    line.pass(10 * kMs);
    EXPECT_EQ(line.inferred(), least_ns != 0);
  }
}

TEST(UpstreamQueue, IsReleasedIfOthersFillIt) {
  Line line;
  line.begin();
  line.run(kRate, 5 * kMs, PST_NS_PER_S);
  for (u64 part = 2; part < 6; ++part) line.run(kRate / part, 35 * kMs, 400 * kMs);
  for (u64 part = 2; part < 6; ++part) line.run(kRate / part, 75 * kMs, 400 * kMs);
  EXPECT_FALSE(line.known());
  line.run(kRate, 75 * kMs, 5 * PST_NS_PER_S);
  EXPECT_FALSE(line.known());
}

TEST(UpstreamQueue, WhileObservedNothingIsDrainedOrDoubted) {
  Line line;
  line.observe();
  line.begin();
  line.run(kRate, 35 * kMs, 8 * PST_NS_PER_S);
  for (u64 part = 2; part < 6; ++part) line.run(kRate / part, 35 * kMs, 500 * kMs);
  EXPECT_FALSE(line.rebased());
  EXPECT_EQ(line.queue().drain.until_ns, 0U);
}

// Any stamps, sizes and times: nothing overflows, and no queue is longer than one may be.
TEST(UpstreamQueue, IsBoundedWhateverComes) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 500; ++trial) {
    pst_upstream_queue u{};
    pst_departure_rate r{};
    pst_departure_rate_init(&r);
    std::array<pst_one_way, 4> flows{};
    u64 now_ns = random() >> (4 + random() % 40);
    for (int i = 0; i < 200; ++i) {
      now_ns += random() >> (24 + random() % 40);
      pst_upstream_look(&u, &r, now_ns);
      const pst_stamp t{now_ns,
                        random() % 2 ? random() % PST_MAX_NS : 0,
                        1 + random() % 65535,
                        random() % PST_MAX_NS,
                        static_cast<u32>(random() >> (random() % 32)),
                        0};
      pst_upstream_stamp(&u, &r, &flows.at(random() % 4), &t);
      pst_upstream_enter(&u, random() >> (random() % 64));
      ASSERT_LE(pst_upstream_bytes(&u, &r, now_ns), PST_MAX_BYTES);
      ASSERT_LE(pst_drain_part_q16(&u.drain, now_ns), PST_Q16_ONE / 4);
    }
  }
}

}  // namespace
