// SPDX-License-Identifier: GPL-2.0-only
// The queue's replay against a plain model that moves byte by byte of its book.
#include "sim/net/queue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace penstock::net {
namespace {

constexpr std::uint64_t kRateBps = 8'000'000;  // 1 byte a microsecond

Link test_link() {
  Link link;
  link.set_rate(kRateBps);
  return link;
}

PlainLink test_plain_link() {
  PlainLink link{};
  link.rate_bps = kRateBps;
  link.mtu_bytes = 1500;
  return link;
}

Record data_packet(std::uint32_t payload_bytes) {
  Record r{};
  r.set(kPacket, kReceiverSide);
  r.segment.payload_bytes = static_cast<std::uint16_t>(payload_bytes);
  r.segment.flags = tcp::kAck;
  return r;
}

class Droptail {  // a queue with its link
 public:
  explicit Droptail(QueueLimits limits)
      : link_(test_link()),
        queue_(limits, test_plain_link(), {}, 1,
               engine::Stream(1, engine::Purpose::kQueueDecision, 0)) {}

  bool arrive(std::uint32_t payload_bytes, std::uint64_t now_ns) {
    Record r = data_packet(payload_bytes);
    return queue_.enqueue(r, packet_bytes(r.segment), &link_, now_ns, &start_ns_);
  }
  void begin_counting(std::uint64_t now_ns) { queue_.begin_counting(now_ns, link_); }
  Queue& queue() { return queue_; }
  std::uint64_t start_ns() const { return start_ns_; }

 private:
  Link link_;
  Queue queue_;
  std::uint64_t start_ns_ = 0;
};

TEST(Queue, PacketOnTheWireIsNotInTheQueue) {
  Droptail d({10'000, 0});
  EXPECT_TRUE(d.arrive(960, 0));  // 1000 bytes on the wire until 1 ms
  EXPECT_EQ(d.queue().bytes(0), 0U);
  EXPECT_TRUE(d.arrive(960, 0));
  EXPECT_EQ(d.start_ns(), 1'000'000U);
  EXPECT_EQ(d.queue().bytes(999'999), 1'000U);
  EXPECT_EQ(d.queue().bytes(1'000'000), 0U);
}

TEST(Queue, ByteLimitIsExact) {
  Droptail d({2'000, 0});
  EXPECT_TRUE(d.arrive(960, 0));   // on the wire
  EXPECT_TRUE(d.arrive(960, 0));   // 1000 waiting
  EXPECT_TRUE(d.arrive(960, 0));   // 2000 waiting: full
  EXPECT_FALSE(d.arrive(1, 0));
  EXPECT_EQ(d.queue().counters().drops_overflow, 1U);
  EXPECT_TRUE(d.arrive(960, 1'000'000));  // one left in time
}

// The same counts as of a queue in which packets wait, and the same drops.
TEST(Queue, APhantomCountsAndDelaysNothing) {
  Droptail real({3'000, 0}), phantom({3'000, 0, true});
  for (int i = 0; i < 5; ++i) {
    const bool fits = real.arrive(960, 0);
    EXPECT_EQ(phantom.arrive(960, 0), fits) << i;
    if (fits) {
      EXPECT_EQ(real.start_ns(), i * 1'000'000U);
      EXPECT_EQ(phantom.start_ns(), 0U);
    }
  }
  for (const std::uint64_t now_ns : {500'000, 1'500'000, 2'500'000, 9'000'000})
    EXPECT_EQ(phantom.queue().bytes(now_ns), real.queue().bytes(now_ns)) << now_ns;
}

TEST(Queue, ALengthOfNoDurationIsNone) {
  Droptail d({10'000, 0});
  EXPECT_TRUE(d.arrive(960, 0));  // goes on the wire at once
  d.queue().finish(500'000);
  EXPECT_EQ(d.queue().occupancy_bytes().max(), 0U);
  EXPECT_EQ(d.queue().counters().packets_ns, 0U);
}

// From the end of the warm-up to the end of the run: one waits 0.5 ms of it, one all 0.75 ms.
TEST(Queue, CountsWaitsInTheMeasuredTimeOnly) {
  Droptail d({10'000, 0});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(d.arrive(960, 0));
  d.begin_counting(500'000);
  d.queue().finish(1'250'000);
  EXPECT_EQ(d.queue().counters().packets_ns, 500'000U + 750'000U);
  EXPECT_EQ(d.queue().occupancy_bytes().mean(), (2'000.0 * 500 + 1'000.0 * 250) / 750);
  EXPECT_EQ(d.queue().delays().all_ns().mean(), 1'000'000);  // of the one that left
  EXPECT_EQ(d.queue().counters().sent_packets, 1U);
}

TEST(Queue, CountsFromTheEndOfAWarmUpInWhichNothingCame) {
  Droptail d({10'000, 0});
  d.begin_counting(1'000'000);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(d.arrive(960, 2'000'000));
  d.queue().finish(4'000'000);
  EXPECT_EQ(d.queue().counters().first_ns, 1'000'000U);
  EXPECT_EQ(d.queue().occupancy_bytes().mean(), 1'000.0 / 3);
}

TEST(Queue, PacketLimitIsExact) {
  Droptail d({0, 2});
  EXPECT_TRUE(d.arrive(1, 0));
  EXPECT_TRUE(d.arrive(1, 0));
  EXPECT_TRUE(d.arrive(1, 0));
  EXPECT_FALSE(d.arrive(1, 0));
}

TEST(Queue, OccupancyAndDelayMatchAPlainModel) {
  Droptail d({20'000, 0});
  std::mt19937 random(3);
  struct Stay {
    std::uint64_t from_ns, to_ns;
    std::uint32_t bytes;
  };
  std::vector<Stay> stays;
  std::uint64_t now_ns = 0;
  for (int i = 0; i < 5'000; ++i) {
    now_ns += random() % 1'400'000;
    const std::uint32_t payload = static_cast<std::uint32_t>(1 + random() % 1'460);
    // The model's bytes at this moment: all stays that hold it.
    std::uint64_t model_bytes = 0;
    for (const Stay& s : stays)
      if (s.from_ns <= now_ns && now_ns < s.to_ns) model_bytes += s.bytes;
    EXPECT_EQ(d.queue().bytes(now_ns), model_bytes);
    const bool fits = model_bytes + payload + 40 <= 20'000;
    ASSERT_EQ(d.arrive(payload, now_ns), fits);
    if (!fits) continue;
    stays.push_back({now_ns, d.start_ns(), payload + 40});
  }
  d.queue().finish(now_ns);
  double area = 0;
  std::uint64_t waited_ns = 0;
  for (const Stay& s : stays) {
    const std::uint64_t in_time_ns = std::min(s.to_ns, now_ns) - s.from_ns;
    area += static_cast<double>(s.bytes) * static_cast<double>(in_time_ns);
    waited_ns += in_time_ns;
  }
  EXPECT_EQ(d.queue().counters().packets_ns, waited_ns);
  const double span_ns = static_cast<double>(now_ns - stays.front().from_ns);
  EXPECT_NEAR(d.queue().occupancy_bytes().mean(), area / span_ns, 1e-6 * area / span_ns);
  std::erase_if(stays, [now_ns](const Stay& s) { return s.to_ns > now_ns; });  // they still wait
  double delay_sum_ns = 0;
  for (const Stay& s : stays) delay_sum_ns += static_cast<double>(s.to_ns - s.from_ns);
  const double mean_ns = delay_sum_ns / static_cast<double>(stays.size());
  EXPECT_NEAR(d.queue().delays().all_ns().mean(), mean_ns, 1e-3);
  double squares = 0;
  for (const Stay& s : stays)
    squares += std::pow(static_cast<double>(s.to_ns - s.from_ns) - mean_ns, 2);
  const double deviation_ns = std::sqrt(squares / static_cast<double>(stays.size()));
  EXPECT_NEAR(d.queue().delays().all_ns().deviation(), deviation_ns, 1e-6 * deviation_ns);
  EXPECT_GT(d.queue().counters().drops_overflow, 0U);
}

}  // namespace
}  // namespace penstock::net
