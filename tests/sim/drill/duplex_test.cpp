// SPDX-License-Identifier: GPL-2.0-only
// A host out of both halves: two of them, one clock, and each other's segments.
#include <gtest/gtest.h>

#include "core/describe.h"
#include "sim/drill/duplex.h"

namespace penstock::drill {
namespace {

constexpr std::uint64_t kDelayNs = 10'000'000;

tcp::SenderConfig sender() {
  tcp::SenderConfig c;
  c.method = pst_sender_find("cubic");
  pst_sender_defaults(c.method, &c.params);
  return c;
}

tcp::ReceiverConfig receiver(bool opens) {
  tcp::ReceiverConfig c;
  c.opens = opens;
  c.repeat_syn_ack = false;
  return c;
}

struct Pair {
  Duplex client{sender(), receiver(true), 1'000};
  Duplex server{sender(), receiver(false), 4'294'967'000};  // wraps early
  std::uint64_t now_ns = 0;
  std::uint64_t loss = 0;  // one in
  std::uint64_t count = 0;

  // Everything that left arrives one delay later; then timers, until nothing is due.
  void play(std::uint64_t until_ns) {
    while (now_ns < until_ns) {
      const std::vector<Sent> up = client.take();
      const std::vector<Sent> down = server.take();
      if (up.empty() && down.empty()) {
        now_ns = std::min({until_ns, client.next_timer_ns(), server.next_timer_ns()});
        if (client.next_timer_ns() <= now_ns) client.on_timer(now_ns);
        if (server.next_timer_ns() <= now_ns) server.on_timer(now_ns);
        continue;
      }
      now_ns += kDelayNs;
      for (const Sent& s : up) pass(server, s);
      for (const Sent& s : down) pass(client, s);
    }
  }

  void pass(Duplex& to, const Sent& s) {
    if (loss && s.segment.payload_bytes && ++count % loss == 0) return;
    to.on_segment(s.segment, now_ns);
  }
};

TEST(Duplex, CarriesDataBothWaysAndClosesBothWays) {
  for (const std::uint64_t loss : {std::uint64_t{0}, std::uint64_t{7}}) {
    Pair p;
    p.loss = loss;
    p.client.open(0);
    p.play(100'000'000);
    ASSERT_TRUE(p.client.established() && p.server.established());
    p.client.write(50'000, p.now_ns);
    p.server.write(80'000, p.now_ns);
    p.client.close(p.now_ns);
    p.play(60'000'000'000);
    EXPECT_EQ(p.server.info().received_bytes, 50'000U);
    EXPECT_EQ(p.client.info().received_bytes, 80'000U);
    EXPECT_TRUE(p.client.done() && p.server.peer_closed());
    EXPECT_FALSE(p.server.done() || p.client.peer_closed());
    p.server.close(p.now_ns);
    p.play(120'000'000'000);
    EXPECT_TRUE(p.server.done() && p.client.peer_closed());
    EXPECT_EQ(p.server.info().retransmissions > 0, loss > 0);
  }
}

TEST(Duplex, DataCarriesTheAcknowledgment) {
  Pair p;
  p.client.open(0);
  p.play(100'000'000);
  p.client.write(1000, p.now_ns);
  const std::vector<Sent> request = p.client.take();
  ASSERT_EQ(request.size(), 1U);
  p.server.on_segment(request[0].segment, p.now_ns);
  EXPECT_TRUE(p.server.take().empty());  // delayed
  p.server.write(500, p.now_ns);
  const std::vector<Sent> answer = p.server.take();
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_EQ(answer[0].segment.payload_bytes, 500);
  EXPECT_EQ(answer[0].segment.ack, 1'001U + 1000U);
  p.server.on_timer(p.now_ns + 50'000'000);
  EXPECT_TRUE(p.server.take().empty());  // and the delayed ACK is not sent again
}

// RFC 5961 section 5.2: of the future, or of data from before the largest window.
TEST(Duplex, AnswersAnAckThatCannotBeAndTakesNothingOfItsSegment) {
  Pair p;
  p.client.open(0);
  p.play(100'000'000);
  p.client.write(1000, p.now_ns);
  tcp::Segment s = p.client.take()[0].segment;
  const std::uint32_t acknowledged = s.ack;
  for (const std::uint32_t wrong : {acknowledged + 5, acknowledged - (1U << 30)}) {
    s.ack = wrong;
    p.server.on_segment(s, p.now_ns);
    EXPECT_EQ(p.server.info().received_bytes, 0U);
    const std::vector<Sent> answer = p.server.take();
    ASSERT_EQ(answer.size(), 1U);
    EXPECT_EQ(answer[0].segment.payload_bytes, 0);
    EXPECT_EQ(answer[0].segment.ack, s.seq);
    EXPECT_EQ(answer[0].segment.seq, acknowledged);
  }
}

TEST(Duplex, TellsItsState) {
  Pair p;
  p.client.open(0);
  p.play(100'000'000);
  p.server.write(20 * 1448, p.now_ns);
  const Info i = p.server.info();
  EXPECT_EQ(i.cwnd_segments, 10U);
  EXPECT_EQ(i.unacked_segments, 10U);
  EXPECT_EQ(i.unsent_bytes, 10U * 1448);
  EXPECT_EQ(i.ssthresh_segments, static_cast<std::uint64_t>(INT32_MAX));
  EXPECT_EQ(i.mss_bytes, 1448U);
  EXPECT_EQ(i.advertised_mss_bytes, 1460U);
  EXPECT_FALSE(i.fast_recovery || i.timed_out || i.disorder || i.reducing);
}

}  // namespace
}  // namespace penstock::drill
