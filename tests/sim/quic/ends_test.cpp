// SPDX-License-Identifier: GPL-2.0-only
// Both ends of a QUIC connection on a delay line that may lose packets.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "core/describe.h"
#include "sim/quic/receiver.h"
#include "sim/quic/sender.h"
#include "tests/sim/times.h"

namespace penstock::quic {
namespace {

constexpr std::uint32_t kDatagramBytes = 1'200;

tcp::SenderConfig sender_config() {
  tcp::SenderConfig c;
  c.quic = true;
  c.mss_bytes = kDatagramBytes;
  pst_sender_defaults(c.method, &c.params);
  return c;
}

tcp::ReceiverConfig receiver_config() {
  tcp::ReceiverConfig c;
  c.delayed_ack_ns = 25 * kMs;
  return c;
}

class Line {
 public:
  explicit Line(std::uint64_t size_bytes) : sender(sender_config_, size_bytes, true) {}

  void run(std::uint64_t until_ns) {
    for (;;) {
      std::uint64_t next = std::min(sender.next_timer_ns(), receiver.next_timer_ns());
      if (!wire_.empty()) next = std::min(next, wire_.begin()->first.first);
      if (next > until_ns) return;
      now_ns = std::max(now_ns, next);
      step();
    }
  }

  const tcp::SenderConfig sender_config_ = sender_config();
  const tcp::ReceiverConfig receiver_config_ = receiver_config();
  Sender sender;
  Receiver receiver{receiver_config_};
  std::uint64_t now_ns = 0;
  std::uint64_t delay_ns = 20 * kMs;
  std::uint64_t gap_ns = 0;  // between packets to the receiver
  // Whether a packet is lost.
  std::function<bool(const tcp::Segment&, bool to_receiver)> loses = [](const tcp::Segment&, bool) {
    return false;
  };

  struct End final : tcp::Output {
    End(Line& l, bool r) : line(l), to_receiver(r) {}
    void transmit(const tcp::Segment& s) override { line.put(s, to_receiver); }
    Line& line;
    bool to_receiver;
  };
  End to_receiver{*this, true};
  End to_sender{*this, false};

 private:
  void put(const tcp::Segment& s, bool to_receiver_) {
    if (loses(s, to_receiver_)) return;
    std::uint64_t at_ns = now_ns;
    if (to_receiver_) at_ns = free_ns_ = std::max(free_ns_, now_ns) + gap_ns;
    wire_.emplace(std::make_pair(at_ns + delay_ns, order_++), std::make_pair(s, to_receiver_));
  }
  void step() {
    if (!wire_.empty() && wire_.begin()->first.first <= now_ns) {
      const auto [s, forward] = wire_.begin()->second;
      wire_.erase(wire_.begin());
      if (forward)
        receiver.on_segment(s, now_ns, to_sender);
      else
        sender.on_segment(s, now_ns, to_receiver);
    }
    if (sender.next_timer_ns() <= now_ns) sender.on_timer(now_ns, to_receiver);
    if (receiver.next_timer_ns() <= now_ns) receiver.on_timer(now_ns, to_sender);
  }

  std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<tcp::Segment, bool>> wire_;
  std::uint64_t order_ = 0;
  std::uint64_t free_ns_ = 0;
};

bool is_data(const tcp::Segment& s) { return !(s.flags & kInitial); }

TEST(QuicEnds, AFileArrivesWithoutALossInSlowStart) {
  Line line(100'000);
  line.sender.open(0, line.to_receiver);
  line.run(10 * kSecond);
  EXPECT_TRUE(line.sender.done());
  EXPECT_TRUE(line.receiver.finished());
  EXPECT_EQ(line.receiver.counters().delivered_bytes, 100'000U);
  EXPECT_EQ(line.sender.counters().retransmissions, 0U);
  // The handshake, windows of 10, 20, 40 and the rest, and the delay of the last ACK at most.
  EXPECT_LE(line.now_ns, 5 * 40 * kMs + 25 * kMs);
  EXPECT_EQ(line.sender.rtt().min_ns(), 40 * kMs);
}

TEST(QuicEnds, ALostPacketIsRepairedInANewOneAndHalvesTheWindowOnce) {
  Line line(400'000);
  line.gap_ns = kMs;
  std::uint64_t cwnd = 0;
  std::set<std::uint32_t> numbers;
  line.loses = [&](const tcp::Segment& s, bool forward) {
    if (!forward) return false;
    EXPECT_TRUE(numbers.insert(s.seq).second) << "packet number " << s.seq << " twice";
    const bool lost = is_data(s) && (s.seq == 60 || s.seq == 62);
    if (s.seq == 62) cwnd = line.sender.cwnd_bytes();
    return lost;
  };
  line.sender.open(0, line.to_receiver);
  line.run(10 * kSecond);
  EXPECT_TRUE(line.sender.done());
  EXPECT_EQ(line.sender.counters().retransmissions, 2U);
  EXPECT_EQ(line.sender.counters().fast_recoveries, 1U);
  EXPECT_EQ(line.sender.counters().timeouts, 0U);
  EXPECT_GE(line.sender.ssthresh_bytes(), cwnd / 2);
  EXPECT_LT(line.sender.ssthresh_bytes(), cwnd);
}

TEST(QuicEnds, TheTailIsProbedBecauseNothingFollows) {
  Line line(5'000);  // five packets, the last two of which are lost
  line.loses = [](const tcp::Segment& s, bool forward) {
    return forward && is_data(s) && (s.seq == 4 || s.seq == 5);
  };
  line.sender.open(0, line.to_receiver);
  line.run(10 * kSecond);
  EXPECT_TRUE(line.sender.done());
  EXPECT_EQ(line.sender.counters().timeouts, 1U);
  EXPECT_EQ(line.sender.counters().retransmissions, 2U);
  EXPECT_LT(line.now_ns, kSecond);
}

TEST(QuicEnds, ALostInitialIsSentAgainAfterTheInitialTimeoutAndCostsNoWindow) {
  Line line(10'000);
  line.loses = [](const tcp::Segment& s, bool forward) {
    return forward && !is_data(s) && s.seq == 0;
  };
  line.sender.open(0, line.to_receiver);
  line.run(kSecond + 40 * kMs);
  EXPECT_TRUE(line.sender.established());
  EXPECT_EQ(line.sender.rtt().min_ns(), 40 * kMs);
  EXPECT_EQ(line.sender.cwnd_bytes(), 10U * kDatagramBytes);
}

// Whatever is lost, in both directions.
TEST(QuicEnds, AllArrivesAtATenthOfLoss) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    Line line(300'000);
    std::uint64_t state = seed;
    line.loses = [&state](const tcp::Segment&, bool) {
      state = state * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
      return (state >> 33) % 10 == 0;
    };
    line.sender.open(0, line.to_receiver);
    line.run(1'000 * kSecond);
    EXPECT_TRUE(line.sender.done()) << seed;
    EXPECT_EQ(line.receiver.counters().delivered_bytes, 300'000U) << seed;
    EXPECT_EQ(line.sender.in_flight_bytes(), 0U) << seed;
  }
}

TEST(QuicEnds, AnOutageIsPersistentCongestion) {
  Line line(4'000'000);
  line.gap_ns = kMs;
  std::uint64_t least = ~0ULL;
  line.loses = [&](const tcp::Segment&, bool) {
    if (line.sender.established()) least = std::min(least, line.sender.cwnd_bytes());
    return line.now_ns > 500 * kMs && line.now_ns < 20 * kSecond;
  };
  line.sender.open(0, line.to_receiver);
  line.run(100 * kSecond);
  EXPECT_TRUE(line.sender.done());
  // Two packets, and what the ACK that shows it acknowledges.
  EXPECT_LE(least, 4U * kDatagramBytes);
  EXPECT_GE(line.sender.counters().timeouts, 4U);
}

// RFC 9000 section 17.4: it changes once in a round trip, at the sender and at the receiver.
TEST(QuicEnds, TheSpinBitTurnsOnceInARoundTrip) {
  Line line(3'000'000);
  line.gap_ns = kMs;
  std::vector<std::uint64_t> edges;
  bool before = false;
  line.loses = [&](const tcp::Segment& s, bool forward) {
    const bool spin = s.flags & kSpin;
    if (forward && is_data(s) && spin != before) {
      edges.push_back(line.now_ns);
      before = spin;
    }
    return false;
  };
  line.sender.open(0, line.to_receiver);
  line.run(400 * kMs);
  ASSERT_GE(edges.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_GE(edges[i] - edges[i - 1], 40 * kMs);
    EXPECT_LE(edges[i] - edges[i - 1], 120 * kMs);
  }
}

}  // namespace
}  // namespace penstock::quic
