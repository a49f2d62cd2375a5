// SPDX-License-Identifier: GPL-2.0-only
// Events, queues, forwarder, service, media, changes and datagrams, each alone.
#include <memory>
#include <stdexcept>

#include "parts.h"
#include "sim/net/books.h"
#include "sim/net/changes.h"
#include "sim/net/service.h"

namespace penstock::net {
namespace {

constexpr std::uint32_t kToReceiver = kReceiverSide;  // of flow 0
constexpr std::uint64_t kWireNs = 100'000;            // 1,000 bytes on a link of line()

TEST(Events, ComeByTimeAndThenInTheOrderInWhichTheyWereScheduled) {
  const Network network = line();
  Events events(network.plan());
  events.schedule(kTick, 1, 20);
  events.schedule(kTick, 2, 10);
  events.schedule(kStart, 3, 20);
  std::vector<std::uint32_t> order;
  for (const Record* r = events.next(15); r; r = events.next(30)) order.push_back(r->target());
  EXPECT_EQ(order, (std::vector<std::uint32_t>{2, 1, 3}));
  EXPECT_EQ(events.now_ns(), 20U);
  EXPECT_EQ(events.count(), 3U);
}

TEST(Events, TheTimeStopsBeforeWhatIsTooLate) {
  const Network network = line();
  Events events(network.plan());
  events.schedule(kTick, 1, 20);
  EXPECT_EQ(events.next(15), nullptr);
  EXPECT_EQ(events.now_ns(), 15U);
  EXPECT_EQ(events.count(), 0U);
  EXPECT_NE(events.next(20), nullptr);
}

TEST(Goal, IsReachedWhenAllAreAndWithoutAnyTheRunGoesOn) {
  Goal none, one;
  none.begin();
  EXPECT_TRUE(none.goes_on());
  one.add();
  one.begin();
  EXPECT_TRUE(one.goes_on());
  one.reach();
  EXPECT_TRUE(one.reached());
  EXPECT_FALSE(one.goes_on());
}

TEST(Queues, OfALinkThatIsServedHoldTheirPackets) {
  for (const bool served : {false, true}) {
    LinkSpec second{.served = served};
    second.queue_packets = 10;
    const Network network = line(second);
    const Topology topology(network.plan());
    Events events(network.plan());
    Queues queues(network.plan(), topology, events);
    ASSERT_EQ(queues.size(), 1U);
    EXPECT_EQ(queues.served(0) != nullptr, served);
    EXPECT_EQ(events.next(kSecond), nullptr);  // drop-tail has no tick
  }
}

// One flow of datagrams, which the tests send themselves.
struct Line : Below {
  explicit Line(const Network& n) : Below(n) { flows.resize(1); }
  void send(int packets) {
    for (int i = 0; i < packets; ++i) forwarder.send(datagram(972), kToReceiver);
  }
};

TEST(Forwarder, APacketArrivesAfterItsTimeOnBothLinks) {
  const Network network = line_with_udp();
  Line line(network);
  line.send(1);
  line.move();
  ASSERT_EQ(line.sink.arrivals.size(), 1U);
  EXPECT_EQ(line.sink.arrivals[0].first, 2 * (kWireNs + kMs));
  EXPECT_EQ(line.sink.arrivals[0].second, kToReceiver);
  EXPECT_EQ(line.flows[0].sent, 1U);
}

// The next one waits for its last bit all the same.
TEST(Forwarder, OverACutThroughLinkAPacketArrivesOneDelayAfterItsFirstBit) {
  for (const std::uint64_t queue_packets : {0, 10}) {
    LinkSpec second{.cut_through = true};
    second.queue_packets = queue_packets;
    const Network network = line_with_udp(second);
    Line line(network);
    line.topology.links[1].set_rate(40'000'000);
    line.send(2);
    line.move();
    ASSERT_EQ(line.sink.arrivals.size(), 2U);
    EXPECT_EQ(line.sink.arrivals[0].first, kWireNs + 2 * kMs);
    EXPECT_EQ(line.sink.arrivals[1].first, 3 * kWireNs + 2 * kMs);
  }
}

TEST(Forwarder, CountsWhatTheWireLosesAndWhatAQueueDrops) {
  LinkSpec second{.drop_data_packets = {1}};
  const Network lossy = line_with_udp(second);
  Line wire(lossy);
  wire.send(3);
  wire.move();
  EXPECT_EQ(wire.flows[0].dropped_random, 1U);
  EXPECT_EQ(wire.sink.arrivals.size(), 2U);

  second = {};
  second.queue_packets = 2;
  const Network short_queue = line_with_udp(second);
  Line queue(short_queue);
  for (int i = 0; i < 4; ++i) queue.send(1);
  queue.topology.links[1].busy_until_ns = kSecond;  // all four find it busy
  queue.move();
  EXPECT_EQ(queue.flows[0].dropped_queue, 2U);
  EXPECT_EQ(queue.sink.arrivals.size(), 2U);
}

TEST(Forwarder, LeavesToTheHolderWhatAServedQueueIsToHold) {
  LinkSpec second{.served = true};
  second.queue_packets = 2;
  const Network network = line_with_udp(second);
  Line line(network);
  line.send(2);
  line.move();
  EXPECT_EQ(line.shelf.queues, (std::vector<std::uint32_t>{0, 0}));
  EXPECT_TRUE(line.sink.arrivals.empty());
}

TEST(Forwarder, AFlowThatClosesHearsOfItsLastPacket) {
  const Network network = line_with_udp({.drop_data_packets = {0}});
  Line line(network);
  line.flows[0].closing = true;
  line.send(1);
  EXPECT_EQ(line.next(), std::pair(kSettle, 0U));
}

TEST(Changes, SetRateDelayAndLosses) {
  LinkSpec second{
      .loss_ratio = 0.000001,
      .changes = {
          {.at_ns = kSecond, .rate_bps = 8'000'000, .delay_ns = 5 * kMs, .loss_ratio = 0.999999}}};
  second.queue_packets = 10;
  const Network network = line_with_udp(second);
  Line line(network);
  Changes changes(network.plan(), line.topology, line.events, line.forwarder);
  ASSERT_EQ(line.next(), std::pair(kChange, 0U));
  EXPECT_EQ(line.events.now_ns(), kSecond);
  changes.apply(0);
  EXPECT_EQ(line.topology.links[1].time_ns(1000), 10 * kWireNs);
  EXPECT_EQ(line.topology.links[1].delay_ns, 5 * kMs);
  EXPECT_TRUE(line.shelf.queues.empty());
  ++line.flows[0].sent;  // as the forwarder's send() does
  const std::uint32_t index = line.events.take();
  Record& r = line.events[index];
  r.segment = datagram(972);
  r.segment.hop = 1;
  r.set(kPacket, kToReceiver);
  line.forwarder.leave(index, line.topology.links[1]);
  EXPECT_EQ(line.flows[0].dropped_random, 1U);
}

// Two hosts and a router on one medium, or a line with a served queue.
struct Serving {
  explicit Serving(Network n) : network(std::move(n)) { below.flows.resize(2); }

  // Events are handed to whom they concern, until there are none.
  void play() {
    for (;;) {
      Record* const next = below.forwarder.run(100 * kSecond, below.goal);
      if (!next) return;
      const auto kind = next->kind();
      const std::uint32_t target = next->target();
      below.events.give_back(*next);  // a new event may take its place
      kinds.push_back(kind);
      if (kind == kServe) service.on_free(target);
      if (kind == kContend) media.try_again(target);
      if (kind == kResolve) media.resolve(target);
    }
  }

  Network network;
  Below below{network, &service};
  Media media{below.plan, below.topology, below.events, below.queues, below.forwarder};
  Service service{below.plan, below.topology, below.events, below.queues, below.forwarder, media};
  std::vector<Kind> kinds{};
};

// Three packets find the link busy for 10 ms.
void play_three(Serving& serving) {
  for (int i = 0; i < 3; ++i) serving.below.forwarder.send(datagram(972), kToReceiver);
  serving.below.topology.links[1].busy_until_ns = 10 * kMs;
  serving.play();
  ASSERT_EQ(serving.below.sink.arrivals.size(), 3U);
}

TEST(Service, LetsOnePacketLeaveEachTimeTheLinkIsFree) {
  LinkSpec second{.served = true};
  second.queue_packets = 10;
  Serving serving(line_with_udp(second));
  ASSERT_NO_FATAL_FAILURE(play_three(serving));
  for (std::uint64_t i = 0; i < 3; ++i)
    EXPECT_EQ(serving.below.sink.arrivals[i].first, 11 * kMs + (i + 1) * kWireNs);
  EXPECT_EQ(serving.kinds, (std::vector<Kind>{kServe, kServe, kServe}));
  EXPECT_FALSE(serving.service.follows(0));
}

TEST(Service, OfACutThroughLinkSendsAPacketOnAtOnce) {
  LinkSpec second{.cut_through = true};
  second.served = true;
  second.queue_packets = 10;
  Serving serving(line_with_udp(second));
  ASSERT_NO_FATAL_FAILURE(play_three(serving));
  for (std::uint64_t i = 0; i < 3; ++i)
    EXPECT_EQ(serving.below.sink.arrivals[i].first, 11 * kMs + i * kWireNs);
}

TEST(Service, ATraceSaysWhenPacketsLeave) {
  LinkSpec second;
  second.queue_packets = 10;
  second.trace_ms = std::make_shared<std::vector<std::uint32_t>>(std::vector<std::uint32_t>{7});
  Serving serving(line_with_udp(second));
  for (int i = 0; i < 2; ++i) serving.below.forwarder.send(datagram(1472), kToReceiver);
  serving.play();
  ASSERT_EQ(serving.below.sink.arrivals.size(), 2U);
  EXPECT_EQ(serving.below.sink.arrivals[0].first, 8 * kMs);
  EXPECT_EQ(serving.below.sink.arrivals[1].first, 15 * kMs);
  EXPECT_EQ(serving.service.sending(0), engine::kNone);
}

Network lan() {
  Network network(1);
  const std::uint32_t router = network.node("router");
  std::vector<std::uint32_t> links;
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t host = network.node("host");
    for (const auto& [src, dst] : {Ends{host, router}, Ends{router, host}}) {
      LinkSpec link{.src = src, .dst = dst, .rate_bps = 80'000'000, .delay_ns = kUs};
      link.queue_packets = 5;
      links.push_back(network.link(link));
    }
    network.udp({.src = host, .dst = router, .rate_bps = 64, .payload_bytes = 972});
  }
  network.csma_cd(links);
  return network;
}

TEST(Media, AStationAloneSendsAtOnce) {
  Serving serving(lan());
  serving.below.forwarder.send(datagram(972), kToReceiver);
  serving.play();
  EXPECT_EQ(serving.kinds, (std::vector<Kind>{kResolve}));
  ASSERT_EQ(serving.below.sink.arrivals.size(), 1U);
  EXPECT_EQ(serving.below.sink.arrivals[0].first, kWireNs + kUs);
}

TEST(Media, StationsThatStartTogetherCollideAndTryAgain) {
  Serving serving(lan());
  for (const std::uint32_t flow : {0U, 1U})
    serving.below.forwarder.send(datagram(972), 2 * flow + kReceiverSide);
  serving.play();
  ASSERT_GE(serving.kinds.size(), 4U);
  EXPECT_EQ(serving.kinds[0], kResolve);
  EXPECT_EQ(serving.kinds[1], kContend);
  EXPECT_EQ(serving.below.sink.arrivals.size(), 2U);
  EXPECT_GT(serving.below.sink.arrivals[0].first, kWireNs + kUs);
}

TEST(Datagrams, LeaveAtEqualIntervals) {
  const Network network = line_with_udp();
  Line line(network);
  line.flows[0].is_udp = true;
  line.flows[0].index = 0;
  Datagrams datagrams(network.plan(), line.events, line.flows, line.forwarder);
  datagrams.begin(0);
  for (std::uint64_t i = 0; i < 3; ++i) {
    ASSERT_EQ(line.next(), std::pair(kSend, 0U));
    EXPECT_EQ(line.events.now_ns(), i * 972 * kUs);
    datagrams.send(0);
  }
  datagrams.receive(line.flows[0], datagram(972));
  EXPECT_EQ(datagrams.sent(0), 3U);
  EXPECT_EQ(datagrams.delivered_bytes(0), 972U);
}

TEST(Books, FailIfAPacketIsMissing) {
  Flows flows(2);
  flows[1].sent = 4;
  flows[1].delivered = flows[1].dropped_queue = flows[1].dropped_random = 1;
  EXPECT_NO_THROW(check_conservation(flows, {0, 1}));
  EXPECT_THROW(check_conservation(flows, {0, 0}), std::logic_error);
  EXPECT_THROW(check_conservation(flows, {1, 1}), std::logic_error);
}

}  // namespace
}  // namespace penstock::net
