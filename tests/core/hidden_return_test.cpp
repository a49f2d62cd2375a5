// SPDX-License-Identifier: GPL-2.0-only
// What ACKs have waited on their way to the gateway, by the receiver's clock.
#include "core/queue/hidden_return.h"

#include <gtest/gtest.h>

namespace {

constexpr u64 kMs = 1'000'000;
constexpr u64 kToldNs = 77 * kMs;
constexpr u64 kEveryNs = 4'700'000;  // from ACK to ACK

// A receiver whose clock may tick slowly, and drift.
class Receiver {
 public:
  explicit Receiver(u64 tick_ns, double drift = 0) : tick_ns_(tick_ns), drift_(drift) {}

  u32 stamp() const {
    const double clock_ns = static_cast<double>(sent_ns_) * (1 + drift_);
    return static_cast<u32>(static_cast<u64>(clock_ns) / tick_ns_);
  }
  // What was found of an ACK that is sent now.
  double found_ms(u32 stamp, u64 wait_ns) {
    const u64 now_ns = sent_ns_ + 20 * kMs + wait_ns;
    return static_cast<double>(pst_return_wait_ns(&queue_, &return_, stamp, kToldNs, now_ns)) *
           1e-6;
  }
  // Of an ACK without a stamp that comes so long after the last one.
  double of_another_ms(u64 after_ns) const {
    const u64 now_ns = queue_.acks_waited_ns + after_ns;
    return static_cast<double>(
               pst_return_of_others_ns(&queue_, kToldNs, now_ns ? now_ns : sent_ns_)) *
           1e-6;
  }
  // Sends ACKs for so long that all wait so long: what was found of the last one.
  double send_ms(u64 for_ns, u64 wait_ns) {
    double found = 0;
    for (const u64 end_ns = sent_ns_ + for_ns; sent_ns_ < end_ns; sent_ns_ += kEveryNs)
      found = found_ms(stamp(), wait_ns);
    return found;
  }

 private:
  u64 tick_ns_;
  double drift_;
  u64 sent_ns_ = 100 * PST_NS_PER_S;
  pst_hidden_queue queue_{};
  pst_return return_{};
};

TEST(HiddenReturn, SaysWhatAnAckHasWaited) {
  for (const u64 tick_ns : {u64{1000}, kMs}) {
    Receiver receiver(tick_ns);
    EXPECT_LE(receiver.send_ms(PST_NS_PER_S, 0), 1);
    EXPECT_NEAR(receiver.send_ms(100 * kMs, 30 * kMs), 30, 1.1);
    EXPECT_NEAR(receiver.send_ms(100 * kMs, 5 * kMs), 5, 1.1);
  }
}

TEST(HiddenReturn, TakesWhatIsToldWhereTheClockSaysTooLittle) {
  for (const u64 tick_ns : {4 * kMs, 10 * kMs, 100 * kMs})
    EXPECT_EQ(Receiver(tick_ns).send_ms(10 * PST_NS_PER_S, 30 * kMs), 77);
}

// As of a host without timestamps beside others: all ACKs wait in one queue.
TEST(HiddenReturn, SaysWhatAnotherAckHasWaitedForOneThatDoesNot) {
  Receiver receiver(kMs);
  EXPECT_EQ(receiver.of_another_ms(0), 77) << "none has said it";
  receiver.send_ms(PST_NS_PER_S, 0);
  receiver.send_ms(100 * kMs, 30 * kMs);
  EXPECT_NEAR(receiver.of_another_ms(10 * kMs), 30, 1.1);
  EXPECT_EQ(receiver.of_another_ms(200 * kMs), 77) << "a while ago";
}

TEST(HiddenReturn, TakesWhatTheLastOneSaidForAnOldStamp) {
  Receiver receiver(kMs);
  receiver.send_ms(PST_NS_PER_S, 0);
  EXPECT_LE(receiver.found_ms(receiver.stamp() - 100, 5 * kMs), 1);
  // A forged one is ahead of all that follow.
  receiver.found_ms(receiver.stamp() + (1 << 30), 5 * kMs);
  EXPECT_EQ(receiver.send_ms(PST_NS_PER_S, 5 * kMs), 77);
}

TEST(HiddenReturn, FollowsAClockThatDrifts) {
  for (const double drift : {-1e-4, 1e-4}) {
    Receiver receiver(kMs, drift);
    receiver.send_ms(600 * PST_NS_PER_S, 0);
    EXPECT_NEAR(receiver.send_ms(100 * kMs, 30 * kMs), 30, 2.1);
  }
}

// Of ACKs that always wait, 12 ms are forgotten in a minute.
TEST(HiddenReturn, ForgetsALongWaitSlowly) {
  Receiver receiver(kMs);
  receiver.send_ms(6 * PST_NS_PER_S, 0);
  EXPECT_NEAR(receiver.send_ms(60 * PST_NS_PER_S, 80 * kMs), 68, 2.1);
}

}  // namespace
