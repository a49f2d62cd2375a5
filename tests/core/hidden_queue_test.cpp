// SPDX-License-Identifier: GPL-2.0-only
// A queue further down, from the trips of segments: against a twin in floating point, and what is
// made of trips that no queue explains.
#include "core/queue/hidden_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/gateway/gateway.h"
#include "core/queue/hidden_supposed.h"
#include "core/queue/hidden_trip.h"

namespace {

constexpr u64 kMs = 1'000'000;
constexpr u64 kPacketBytes = 1500;
constexpr u64 kRate = 2'500'000;  // bytes per second
constexpr u64 kPathNs = 40 * kMs;
constexpr u64 kPairNs = 2 * kPacketBytes * PST_NS_PER_S / kRate;

// A flow through a bottleneck, and who measures it at its gateway.
class Path {
 public:
  Path() { pst_departure_rate_init(&rate_); }

  // A segment passes, and `bytes` are acknowledged until its own ACK comes, `trip_ns` later.
  void trip(u64 trip_ns, u64 bytes, bool paired = true) {
    pst_hidden_look(&hidden_, &rate_, now_ns_);
    pst_hidden_mark(&hidden_, &flow_);
    pst_hidden_enter(&hidden_, bytes);
    now_ns_ += trip_ns;
    pst_hidden_acked(&hidden_, bytes);
    const pst_trip t{now_ns_, trip_ns, kPathNs, paired, 0, observed_, acks_wait_ns_};
    pst_hidden_trip(&hidden_, &rate_, &flow_, &t, kPacketBytes);
  }
  // Trips at `bytes_per_s`, each longer than the path by `delay_ns`, for `for_ns`.
  void trips(u64 bytes_per_s, u64 delay_ns, u64 for_ns, bool paired = true) {
    const u64 trip_ns = kPathNs + delay_ns;
    for (const u64 end_ns = now_ns_ + for_ns; now_ns_ < end_ns;)
      trip(trip_ns, bytes_per_s * trip_ns / PST_NS_PER_S, paired);
  }
  void observe(bool observed) { observed_ = observed; }
  // ACKs wait in another queue, and it is known for how long.
  void acks_wait(u64 ns) { acks_wait_ns_ = ns; }
  bool known() const { return pst_hidden_is_known(&hidden_); }
  double ratio() const { return static_cast<double>(rate_.bytes_per_s) / double{kRate}; }
  u64 bytes() const { return pst_hidden_bytes(&hidden_, &rate_, now_ns_); }
  const pst_hidden_queue& hidden() const { return hidden_; }
  const pst_hidden_flow& flow() const { return flow_; }

 private:
  bool observed_ = false;
  u64 acks_wait_ns_ = 0;
  u64 now_ns_ = PST_NS_PER_S;
  pst_hidden_queue hidden_{};
  pst_hidden_flow flow_{};
  pst_departure_rate rate_{};
};

TEST(HiddenQueue, AnErrorOfWhatAcksWaitDoesNotShortenThePath) {
  Path path;
  path.trips(kRate, 20 * kMs, PST_NS_PER_S);
  const u64 least_ns = path.flow().least_ns;
  path.acks_wait(30 * kMs);
  path.trip(kPathNs - 10 * kMs, kRate / 100);
  EXPECT_EQ(path.flow().least_ns, least_ns);
}

TEST(HiddenQueue, IsKnownAfterAQueueHasStood) {
  Path path;
  path.trips(kRate, 0, kPathNs);
  EXPECT_FALSE(path.known());
  path.trips(kRate, 60 * kMs, 500 * kMs);
  EXPECT_TRUE(path.known());
  EXPECT_NEAR(path.ratio(), 1, 0.02);
}

// Methods multiply it.
TEST(HiddenQueue, IsNoLongerThanAQueueMayBe) {
  pst_hidden_queue hidden{};
  pst_departure_rate rate{};
  rate.bytes_per_s = PST_MAX_BYTES / 2;
  rate.known_ns = PST_DEPARTURE_AVERAGE_NS;
  pst_hidden_learn(&hidden, &rate, PST_NS_PER_S, 5 * PST_NS_PER_S);
  EXPECT_TRUE(pst_hidden_is_known(&hidden));
  EXPECT_EQ(hidden.bytes, PST_MAX_BYTES);
}

TEST(HiddenQueue, IsUnknownWhereNothingWaits) {
  Path path;
  path.trips(kRate, 0, 10 * PST_NS_PER_S);
  path.trips(kRate, 1 * kMs, 10 * PST_NS_PER_S);
  EXPECT_FALSE(path.known());
}

// A receiver delays the ACK of a single segment.
TEST(HiddenQueue, IsUnknownByAcksOfSingleSegments) {
  Path path;
  path.trips(kRate, 0, kPathNs);
  path.trips(kRate, 60 * kMs, 5 * PST_NS_PER_S, false);
  EXPECT_FALSE(path.known());
  EXPECT_EQ(path.hidden().excess_bytes, 0U);
}

TEST(HiddenQueue, FollowsAStepOfFourTimes) {
  Path path;
  path.trips(kRate, 60 * kMs, PST_NS_PER_S);
  path.trips(kRate / 4, 120 * kMs, 600 * kMs);
  EXPECT_NEAR(path.ratio(), 0.25, 0.02);
  path.trips(kRate, 0, 600 * kMs);  // no queue is left, and what is sent can be sent
  EXPECT_GT(path.ratio(), 0.95);
  EXPECT_LE(path.ratio(), 1.25);
}

TEST(HiddenQueue, ADelayThatStaysWhileTheRateHalvesIsPathOnceAndThenDoubted) {
  Path path;
  path.trips(kRate, 0, kPathNs);
  path.trips(kRate, 60 * kMs, PST_NS_PER_S);
  ASSERT_TRUE(path.known());
  path.trips(kRate / 3, 60 * kMs, PST_NS_PER_S);
  EXPECT_TRUE(path.known());
  EXPECT_EQ(path.hidden().doubts, 1U);
  EXPECT_EQ(path.flow().least_ns, kPathNs + 60 * kMs);  // this is the path now
  EXPECT_GT(path.ratio(), 0.9);                         // and that is the rate
  EXPECT_EQ(path.bytes(), 0U);
  path.trips(kRate, 120 * kMs, PST_NS_PER_S);
  path.trips(kRate / 3, 120 * kMs, 2 * PST_NS_PER_S);
  EXPECT_FALSE(path.known());
  EXPECT_EQ(path.hidden().doubts, 2U);
  path.trips(kRate / 3, 120 * kMs, 10 * PST_NS_PER_S);
  EXPECT_FALSE(path.known());
  EXPECT_EQ(path.flow().least_ns, kPathNs + 120 * kMs);
}

// Windows reduce the rate for a path that is 6 ms longer, and not its delay; a drain shows that.
TEST(HiddenQueue, ALongerPathIsFoundByTheRateThatItTakes) {
  for (const u64 part : {1, 2}) {
    Path path;
    path.trips(kRate, 0, kPathNs);
    path.trips(kRate, 60 * kMs, 500 * kMs);
    path.trips(kRate, 6 * kMs, 500 * kMs);
    ASSERT_TRUE(path.known());
    path.trips(kRate / part, 6 * kMs, 2 * PST_NS_PER_S);
    EXPECT_EQ(path.hidden().longer, part - 1);
    EXPECT_EQ(path.flow().least_ns, kPathNs + (part == 2 ? 6 * kMs - kPairNs : 0));
  }
}

// One trip of four has an ACK that was delayed.
TEST(HiddenQueue, IsDoubtedThoughSomeTripsAreLonger) {
  Path path;
  path.trips(kRate, 0, kPathNs);
  path.trips(kRate, 60 * kMs, 500 * kMs);
  ASSERT_TRUE(path.known());
  path.trips(kRate, 140 * kMs, 1 * kMs);
  for (u64 part = 2; part <= 4 && path.known(); ++part) {
    path.trips(kRate / part, 60 * kMs, 300 * kMs);
    if (path.known()) path.trips(kRate / part, 140 * kMs, 1 * kMs);
  }
  EXPECT_EQ(path.hidden().doubts, 1U);
}

TEST(HiddenQueue, IsNotDoubtedWhileNoWindowIsWritten) {
  Path path;
  path.observe(true);
  path.trips(kRate, 60 * kMs, PST_NS_PER_S);
  path.trips(kRate / 3, 60 * kMs, 5 * PST_NS_PER_S);
  EXPECT_TRUE(path.known());
  path.observe(false);
  path.trips(kRate / 3, 60 * kMs, 100 * kMs);
  EXPECT_TRUE(path.known());
}

TEST(HiddenQueue, NothingIsDroppedWhileItIsUnknown) {
  pst_gateway_config c{};
  c.auto_rate = c.passive = true;
  pst_gateway_state s{};
  const pst_packet k{};
  EXPECT_EQ(pst_gateway_verdict(&c, &s, &k, PST_DROP), PST_PASS);
  s.hidden.known_ns = 1;
  EXPECT_EQ(pst_gateway_verdict(&c, &s, &k, PST_DROP), PST_DROP);
}

TEST(HiddenQueue, IsForgottenWhenTooLittleIsSent) {
  Path path;
  path.trips(kRate, 60 * kMs, PST_NS_PER_S);
  path.trips(kRate / 10, 0, 9 * PST_NS_PER_S);
  EXPECT_TRUE(path.known());
  EXPECT_TRUE(path.hidden().idle);
  path.trips(kRate / 10, 0, 2 * PST_NS_PER_S);
  EXPECT_FALSE(path.known());
  // It is as it was once half of it is used, before a queue has stood.
  path.trips(kRate * 4 / 10, 0, 200 * kMs);
  EXPECT_FALSE(path.known());
  path.trips(kRate * 6 / 10, 0, 200 * kMs);
  EXPECT_TRUE(path.known());
  EXPECT_NEAR(path.ratio(), 1, 0.1);
}

// Equation 4; its halves are for a queue that stands and for none.
TEST(HiddenQueue, CorrectsTheRateByTheErrorOfTheModel) {
  for (const u64 half_bytes : {100U, 5'000U, 40'000U, 4'000'000U}) {
    const double change = static_cast<double>(half_bytes) / (4 * 0.04);
    pst_hidden_queue h{};
    h.known_ns = h.stands_ns = 1;
    pst_departure_rate r{};
    const pst_trip t{PST_NS_PER_S, 40 * kMs, kPathNs, true, 0, 0, 0};
    r.bytes_per_s = r.sent_bytes_per_s = kRate;
    pst_hidden_raise(&h, &r, &t, half_bytes);
    EXPECT_EQ(r.bytes_per_s, kRate);
    pst_hidden_lower(&h, &r, &t, half_bytes);
    EXPECT_NEAR(static_cast<double>(r.bytes_per_s), double{kRate} - std::min(change, kRate / 16.0),
                2);
    h.stands_ns = 0;
    r.bytes_per_s = kRate;
    pst_hidden_lower(&h, &r, &t, half_bytes);
    EXPECT_EQ(r.bytes_per_s, kRate);
    pst_hidden_raise(&h, &r, &t, half_bytes);
    EXPECT_NEAR(static_cast<double>(r.bytes_per_s), std::min(kRate + change, 1.25 * kRate), 2);
  }
}

TEST(HiddenQueue, CountsWhatNoAckTellsOfApart) {
  pst_hidden_queue h{};
  pst_hidden_other(&h, 1000);
  EXPECT_EQ(h.acked_bytes, 0U);
  pst_hidden_enter(&h, 1000);
  pst_hidden_enter(&h, 500);  // of a flow whose ACKs will
  EXPECT_EQ(h.others_bytes, 1000U);
  EXPECT_EQ(h.acked_bytes, 0U);
  EXPECT_EQ(h.bytes, 1500U);
}

// Equations 1 to 3 of core/queue/hidden_queue.h, in bytes and seconds; C is given.
struct Twin {
  double queue = 0, excess = 0, corrected = 0, mark = 0, seen_s = 0, least_s = 1e9;

  void pass(double now_s, double rate) {
    queue = std::max(queue - rate * (now_s - seen_s), 0.0);
    seen_s = now_s;
  }
  void trip(double trip_s, double rate, bool known, bool paired) {
    least_s = std::min(least_s, trip_s);
    const double delay_s = std::max(trip_s - least_s - (known ? 3000 / rate : 0.0), 0.0);
    const double then = std::max(mark + corrected, 0.0), more = rate * delay_s - then;
    double change = 0;
    if (more <= 0)
      change = -std::min(-more / 2, queue);
    else if (paired)
      change = std::min(more, excess) / 2;
    if (more <= 0 || paired) excess = std::max(more, 0.0);
    queue += change;
    corrected += change;
  }
};

TEST(HiddenQueue, IsTheEquations) {
  std::mt19937_64 random(3);
  pst_hidden_queue h{};
  pst_hidden_flow f{};
  pst_departure_rate r;
  pst_departure_rate_init(&r);
  h.known_ns = ~0ULL;
  r.bytes_per_s = kRate;
  Twin twin;
  f.least_ns = kPathNs;
  twin.least_s = 0.04;
  u64 now_ns = PST_NS_PER_S;
  for (int i = 0; i < 10'000; ++i) {
    const u64 start_ns = now_ns;
    const u64 trip_ns = kPathNs + random() % (20 * kMs);
    const bool paired = random() % 4 != 0;
    pst_hidden_look(&h, &r, start_ns);
    twin.pass(static_cast<double>(start_ns) * 1e-9, double{kRate});
    pst_hidden_mark(&h, &f);
    twin.mark = twin.queue - twin.corrected;
    const u64 bytes = random() % 200'000;
    pst_hidden_enter(&h, bytes);
    twin.queue += static_cast<double>(bytes);
    now_ns += trip_ns;
    r.bytes_per_s = kRate;  // of the queue alone: the rate has its own test
    const pst_trip t{now_ns, trip_ns, kPathNs, paired, 0, 0, 0};
    twin.pass(static_cast<double>(now_ns) * 1e-9, double{kRate});
    twin.trip(static_cast<double>(trip_ns) * 1e-9, double{kRate}, true, paired);
    pst_hidden_look(&h, &r, now_ns);
    pst_hidden_correct(&h, &f, pst_bytes_in(kRate, pst_hidden_delay_ns(&h, &f, &r, &t, 600'000)),
                       paired);
    ASSERT_NEAR(static_cast<double>(h.bytes), twin.queue, 200) << i;
  }
}

TEST(HiddenQueue, HoldsWithWhateverAHostPassesIn) {
  std::mt19937_64 random(9);
  const auto any = [&] { return random() >> random() % 64; };
  pst_hidden_queue h{};
  pst_hidden_flow f{};
  pst_departure_rate r;
  pst_departure_rate_init(&r);
  for (int i = 0; i < 200'000; ++i) {
    pst_hidden_look(&h, &r, any());
    pst_hidden_mark(&h, &f);
    pst_hidden_other(&h, any());
    pst_hidden_enter(&h, any());
    pst_hidden_follow(&h, &f);
    pst_hidden_acked(&h, any());
    pst_hidden_sent(&h, any(), random() % 2, any());
    pst_hidden_suppose(&h, &r, any());
    const pst_trip t{
        any(), any(), any(), random() % 2, random() % 2, random() % 2, random() % PST_MAX_NS};
    pst_hidden_trip(&h, &r, &f, &t, any());
    ASSERT_LE(h.bytes, PST_MAX_BYTES);
    ASSERT_GE(r.bytes_per_s, PST_DEPARTURE_MIN_BYTES_PER_S);
    ASSERT_LE(r.bytes_per_s, PST_MAX_BYTES);
  }
}

}  // namespace
