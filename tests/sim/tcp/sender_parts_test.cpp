// SPDX-License-Identifier: GPL-2.0-only
// The parts of a sender, each alone: the peer's window, the use of cwnd, pacing, the stopwatch,
// and the membership of an ensemble.
#include <gtest/gtest.h>

#include "core/describe.h"
#include "sim/tcp/membership.h"
#include "sim/tcp/pacer.h"
#include "sim/tcp/peer_window.h"
#include "sim/tcp/stopwatch.h"
#include "sim/tcp/window_use.h"
#include "tests/sim/times.h"

namespace penstock::tcp {
namespace {

Segment ack_of(std::uint32_t seq, std::uint16_t window, std::uint8_t flags = kAck) {
  Segment s{};
  s.seq = seq;
  s.window = window;
  s.flags = flags;
  return s;
}

TEST(PeerWindow, OfASynIsNotScaledAndThatOfAnAckIs) {
  PeerWindow window;
  window.open(ack_of(1, 1'000, kSyn | kAck), 3);
  EXPECT_EQ(window.bytes(), 1'000U);
  window.update(ack_of(2, 1'000), true);
  EXPECT_EQ(window.bytes(), 8'000U);
  EXPECT_EQ(window.most_bytes(), 8'000U);
}

TEST(PeerWindow, ShrinksOnlyOnAnAckThatIsNewerOrCloses) {
  PeerWindow window;
  window.open(ack_of(1, 9'000), 0);
  window.update(ack_of(1, 5'000), false);
  EXPECT_EQ(window.bytes(), 9'000U);
  window.update(ack_of(1, 5'000), true);
  EXPECT_EQ(window.bytes(), 5'000U);
  window.update(ack_of(2, 4'000), false);
  EXPECT_EQ(window.bytes(), 4'000U);
  window.update(ack_of(2, 0), false);
  EXPECT_EQ(window.bytes(), 0U);
  EXPECT_EQ(window.most_bytes(), 9'000U);
  EXPECT_TRUE(window.differs(ack_of(2, 1)));
  EXPECT_FALSE(window.differs(ack_of(2, 0)));
}

TEST(WindowUse, OfTheLastWindowOfDataCounts) {
  WindowUse use;
  const pst_cwnd avoidance{10'000, 10'000};
  EXPECT_FALSE(use.permits_growth(avoidance));
  use.begin();
  use.find_full();
  use.note(0, 10'000, false);
  EXPECT_TRUE(use.permits_growth(avoidance));
  use.begin();
  use.note(5'000, 11'000, false);  // less is in flight, but the window is not over
  EXPECT_TRUE(use.permits_growth(avoidance));
  use.begin();
  use.note(10'000, 12'000, false);
  EXPECT_FALSE(use.permits_growth(avoidance));
}

TEST(WindowUse, OfHalfIsEnoughInSlowStart) {
  WindowUse use;
  use.begin();
  use.note(0, 6'000, false);
  EXPECT_TRUE(use.permits_growth({11'999, PST_SSTHRESH_MAX}));
  EXPECT_FALSE(use.permits_growth({12'000, PST_SSTHRESH_MAX}));
}

TEST(Pacer, SpreadsAWindowOverARoundTrip) {
  Pacer pacer;
  EXPECT_TRUE(pacer.allows(0));
  EXPECT_EQ(pacer.timer_ns(), kNever);
  pacer.spread(1'000, 2, 100, 10'000, 100 * kMs, 0);
  EXPECT_TRUE(pacer.allows(0));  // a burst has two
  pacer.spread(1'000, 2, 100, 10'000, 100 * kMs, 0);
  EXPECT_FALSE(pacer.allows(20 * kMs - 1));
  EXPECT_EQ(pacer.timer_ns(), 20 * kMs);
  pacer.begin();
  EXPECT_EQ(pacer.timer_ns(), kNever);  // nothing was kept back
  EXPECT_TRUE(pacer.allows(20 * kMs));
}

TEST(Pacer, ABurstThatLeavesLateHasUpToHalfOfItsGapBehindIt) {
  Pacer pacer;
  pst_pacing p{};
  p.burst_bytes = 1'000;
  p.bytes_per_s = 100'000;  // a gap of 10 ms
  pacer.keep_rate(1'000, p, kMs);
  EXPECT_EQ(pacer.wait_ns(kMs), 9 * kMs);  // a millisecond late
  pacer.keep_rate(1'000, p, 100 * kMs);
  EXPECT_EQ(pacer.wait_ns(100 * kMs), 5 * kMs);
}

TEST(Stopwatch, ARetransmissionEndsTheMeasurement) {
  Stopwatch watch;
  std::uint64_t rtt_ns = 0;
  watch.on_send(1'000, false, kMs);
  watch.on_send(2'000, false, 2 * kMs);  // the first one is still timed
  EXPECT_FALSE(watch.on_ack(999, 5 * kMs, rtt_ns));
  EXPECT_TRUE(watch.on_ack(1'000, 5 * kMs, rtt_ns));
  EXPECT_EQ(rtt_ns, 4 * kMs);
  watch.on_send(3'000, false, 6 * kMs);
  watch.on_send(3'000, true, 7 * kMs);
  EXPECT_FALSE(watch.on_ack(3'000, 9 * kMs, rtt_ns));
}

TEST(Membership, ANewMemberGetsTheRoundTripOfTheOthers) {
  SenderConfig config;
  config.sharing = pst_sharing_find("efcm");
  pst_sharing_defaults(config.sharing, &config.sharing_params);
  pst_ensemble ensemble{};
  const auto state = [](pst_cwnd& cwnd, RttEstimator& rtt) {
    return Membership::State{.cwnd = cwnd,
                             .rtt = rtt,
                             .now_ns = 0,
                             .mss_bytes = 1'000,
                             .timed_out = false,
                             .idle = false};
  };
  pst_cwnd first_cwnd{20'000, 40'000}, second_cwnd{2'000, PST_SSTHRESH_MAX};
  RttEstimator first_rtt, second_rtt;
  first_rtt.sample(50 * kMs);
  Membership first(config, ensemble), second(config, ensemble);
  first.join(state(first_cwnd, first_rtt));
  first.push(state(first_cwnd, first_rtt), Membership::Event::kAck, 1'000);
  second.hear_round_trip(state(second_cwnd, second_rtt));
  EXPECT_EQ(second_rtt.srtt_ns(), 50 * kMs);
  second.join(state(second_cwnd, second_rtt));
  EXPECT_GT(second_cwnd.bytes, 2'000U);  // a share of what both have
  EXPECT_EQ(ensemble.members, 2U);
  second.leave(state(second_cwnd, second_rtt));
  EXPECT_EQ(ensemble.members, 1U);
}

}  // namespace
}  // namespace penstock::tcp
