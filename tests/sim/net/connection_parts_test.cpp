// SPDX-License-Identifier: GPL-2.0-only
// Connections, mobility, users and the sampler, each on the layers below it alone.
#include "parts.h"
#include "sim/net/sampler.h"

namespace penstock::net {
namespace {

// A user on the left whose `transfers` go to the right.
TrafficSpec group_of(const std::vector<traffic::Transfer>& transfers) {
  const auto shared = std::make_shared<std::vector<traffic::Transfer>>(transfers);
  TrafficSpec group{.name = "web",
                    .ends = {{0, 2}},
                    .starts_ns = {0},
                    .source = {.model = traffic::Trace{shared}}};
  pst_sender_defaults(group.sender.method, &group.sender.params);
  return group;
}

struct Layers : Below {
  explicit Layers(const Network& n, Application* application = nullptr)
      : Below(n, nullptr, &connections),
        connections(plan, topology, events, queues, flows, forwarder, datagrams, goal,
                    application ? *application : listener) {}

  // Hands the events of connections to them, until `until_ns`; returns the first other one.
  Kind play(std::uint64_t until_ns = 100 * kSecond) {
    for (;;) {
      Record* const next = forwarder.run(until_ns, goal);
      if (!next) return kPacket;
      const Record& r = *next;
      const std::uint32_t life = r.segment.seq;
      events.give_back(*next);
      if (r.kind() == kStart)
        connections.start(r.target());
      else if (r.kind() == kTimer)
        connections.on_timer(r.target(), life);
      else
        return r.kind();
    }
  }

  Listener listener;
  Datagrams datagrams{plan, events, flows, forwarder};
  Connections connections;
};

TEST(Connections, OfTheNetworkBeginAtTheirTimesAndReachTheGoal) {
  const Network network = line_with_tcp(50'000);
  Layers ends(network);
  EXPECT_FALSE(ends.goal.reached());
  EXPECT_EQ(ends.play(), kPacket);
  EXPECT_TRUE(ends.goal.reached());
  EXPECT_EQ(ends.connections.received(0).delivered_bytes, 50'000U);
  EXPECT_GE(ends.flows[0].done_ns, 0);
  EXPECT_EQ(ends.listener.calls, 0);  // no application has opened it
}

TEST(Connections, AnApplicationWritesAndHearsOfItsOwn) {
  Network network = line();
  network.traffic(group_of({}));
  const tcp::SenderConfig sender = [] {
    tcp::SenderConfig c;
    pst_sender_defaults(c.method, &c.params);
    return c;
  }();
  const tcp::ReceiverConfig receiver;
  Layers ends(network);
  ends.flows.resize(1);
  ends.connections.open(0, {.sender = sender,
                            .receiver = receiver,
                            .sender_seq = 7,
                            .receiver_seq = 9,
                            .size_bytes = 1'000,
                            .after = tcp::Sender::After::kOpen});
  ends.flows[0].awaited_bytes = 3'000;
  ends.connections.start(0);
  ends.play(kSecond);
  EXPECT_EQ(ends.listener.calls, 1);  // the handshake
  ends.connections.write(0, 2'000);
  ends.play(2 * kSecond);
  EXPECT_EQ(ends.connections.received(0).delivered_bytes, 3'000U);
  EXPECT_GE(ends.listener.calls, 2);
  ends.connections.close(0);
  ends.play(3 * kSecond);
  EXPECT_TRUE(ends.connections.sender(0).done());
}

TEST(Mobility, AHostWithoutACellHasNoWay) {
  Network network = line_with_tcp(1'000'000);
  const std::uint32_t other = network.node("other");
  network.link({.src = 1, .dst = other, .rate_bps = 80'000'000, .delay_ns = kMs});
  network.link({.src = other, .dst = 1, .rate_bps = 80'000'000, .delay_ns = kMs});
  network.mobility(
      {{2, other}, traffic::Distribution::constant(5e9), traffic::Distribution::constant(1e9)});
  Layers ends(network);
  Mobility mobility(network.plan(), ends.topology, ends.events, ends.flows, ends.connections);
  mobility.begin();
  EXPECT_TRUE(ends.flows[0].moves);
  const std::uint8_t first_cell = ends.flows[0].last_hop;
  EXPECT_NE(first_cell, 0);
  EXPECT_EQ(mobility.next_ns(0), 5 * kSecond);
  mobility.hand_over(0);
  EXPECT_FALSE(mobility.attached(0));
  EXPECT_EQ(ends.flows[0].last_hop, 0);
  mobility.hand_over(0);
  EXPECT_TRUE(mobility.attached(0));
  EXPECT_NE(ends.flows[0].last_hop, 0);
  EXPECT_NE(ends.flows[0].last_hop, first_cell);
}

TEST(Sampler, TakesDownQueuesAndWindowsAtItsInterval) {
  Network network = line_with_tcp(1'000'000'000);
  network.sample({.interval_ns = 100 * kMs, .links = {1, 0}, .flows = {0}});
  Layers ends(network);
  ends.topology.links[1].set_rate(8'000'000);
  Sampler sampler(network.plan(), ends.topology, ends.events, ends.queues, ends.connections);
  while (ends.play(kSecond / 2) == kSample) sampler.sample();
  const Series series = sampler.take();
  ASSERT_EQ(series.time_ns.size(), 6U);
  EXPECT_EQ(series.time_ns[5], 500'000'000);
  EXPECT_GT(series.queue_bytes[0][5], 0);
  EXPECT_EQ(series.queue_bytes[1][5], 0);  // link 0 has none
  EXPECT_GT(series.cwnd_bytes[0][5], series.cwnd_bytes[0][0]);
}

TEST(Users, TakeASlotAgainOnceItsConnectionIsOver) {
  Network network = line();
  network.traffic(group_of({{0, 30'000}, {2 * kSecond, 20'000}}));
  struct Run : Layers {
    explicit Run(const Network& n) : Layers(n, &users) {}
    Mobility mobility{plan, topology, events, flows, connections};
    Users users{plan, topology, events, queues, flows, connections, mobility, goal};
  } run(network);
  int begun = 0;
  for (; run.play() == kTransfer; ++begun) run.users.begin_transfer(0);
  EXPECT_EQ(begun, 2);
  EXPECT_TRUE(run.goal.reached());
  const GroupResult result = run.users.result(0);
  EXPECT_EQ(result.counters.transfers, 2U);
  EXPECT_EQ(result.counters.connections, 2U);
  EXPECT_EQ(result.slots, 1U);
  EXPECT_EQ(result.unfinished, 0U);
  EXPECT_EQ(result.counters.receiver.delivered_bytes, 50'000U);
}

}  // namespace
}  // namespace penstock::net
