// SPDX-License-Identifier: GPL-2.0-only
// The components of a run one by one, on a small network, with stand-ins for what they speak to.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "core/describe.h"
#include "sim/net/network.h"
#include "sim/net/users.h"
#include "tests/sim/times.h"

namespace penstock::net {

// left - middle - right: 80 Mbit/s (100 ns a byte) and 1 ms a link; that from the middle to the
// right is link 1.
inline Network line(LinkSpec second = {}) {
  Network network(1);
  for (const char* name : {"left", "middle", "right"}) network.node(name);
  second.src = 1, second.dst = 2, second.rate_bps = 80'000'000, second.delay_ns = kMs;
  network.link({.src = 0, .dst = 1, .rate_bps = 80'000'000, .delay_ns = kMs});
  network.link(second);
  network.link({.src = 2, .dst = 1, .rate_bps = 80'000'000, .delay_ns = kMs});
  network.link({.src = 1, .dst = 0, .rate_bps = 80'000'000, .delay_ns = kMs});
  return network;
}

inline Network line_with_udp(LinkSpec second = {}) {
  Network network = line(std::move(second));
  network.udp({.src = 0, .dst = 2, .rate_bps = 8'000'000, .payload_bytes = 972});
  return network;
}

inline Network line_with_tcp(std::uint64_t size_bytes) {
  LinkSpec second;
  second.queue_bytes = 60'000;
  Network network = line(second);
  TcpSpec tcp{.src = 0, .dst = 2, .size_bytes = size_bytes};
  pst_sender_defaults(tcp.sender.method, &tcp.sender.params);
  network.tcp(tcp);
  return network;
}

// Takes down what arrives.
struct Sink final : Destination {
  explicit Sink(Events& e) : events(e) {}
  void deliver(std::uint32_t index, Record& r) override {
    arrivals.emplace_back(events.now_ns(), r.target());
    events.give_back(index);
  }
  Events& events;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> arrivals{};
};

// Takes down the queues at which packets are held.
struct Shelf final : Holder {
  void hold(std::uint32_t, std::uint32_t queue) override { queues.push_back(queue); }
  std::vector<std::uint32_t> queues{};
};

// Counts what it hears.
struct Listener final : Application {
  void on_handshake(std::uint32_t) override { ++calls; }
  void on_received(std::uint32_t) override { ++calls; }
  void on_closed(std::uint32_t) override { ++calls; }
  void on_quiet(std::uint32_t) override { ++calls; }
  int calls = 0;
};

// What lies below the endpoints; with stand-ins for what it speaks to, unless given.
struct Below {
  explicit Below(const Network& n, Holder* holder = nullptr, Destination* destination = nullptr)
      : plan(n.plan()),
        forwarder(plan, topology, events, queues, flows, holder ? *holder : shelf,
                  destination ? *destination : sink) {}

  // The next event that is no packet, up to `until_ns`; its record is returned. Packets up to it
  // are moved. Throws std::out_of_range if there is none.
  std::pair<Kind, std::uint32_t> next(std::uint64_t until_ns = 100 * kSecond) {
    Record* const r = forwarder.run(until_ns, goal);
    if (!r) throw std::out_of_range("no event");
    events.give_back(*r);
    return {r->kind(), r->target()};
  }
  // Moves packets alone.
  void move(std::uint64_t until_ns = 100 * kSecond) {
    EXPECT_EQ(forwarder.run(until_ns, goal), nullptr);
  }

  const Plan& plan;
  Topology topology{plan};
  Events events{plan};
  Flows flows;
  Goal goal = endless();
  Queues queues{plan, topology, events};
  Shelf shelf;
  Sink sink{events};
  Forwarder forwarder;

 private:
  static Goal endless() {
    Goal goal;
    goal.begin();
    return goal;
  }
};

inline tcp::Segment datagram(std::uint16_t payload_bytes) {
  tcp::Segment s{};
  s.payload_bytes = payload_bytes;
  s.options = kDatagram;
  return s;
}

}  // namespace penstock::net
