// SPDX-License-Identifier: GPL-2.0-only
// One run: packets go from hop to hop, endpoints answer, and the books are kept.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/wheel.h"
#include "sim/net/capture.h"
#include "sim/net/loss.h"
#include "sim/net/network.h"
#include "sim/net/packet.h"
#include "sim/net/served_queue.h"
#include "sim/net/topology.h"
#include "sim/tcp/receiver.h"
#include "sim/tcp/sender.h"

namespace penstock::net {

class Simulation {
 public:
  explicit Simulation(const Network& network);
  Result run(std::uint64_t until_ns);

 private:
  // The network as an endpoint sees it.
  class Port final : public tcp::Output {
   public:
    Port(Simulation& simulation, std::uint32_t peer) : simulation_(simulation), peer_(peer) {}
    void transmit(const tcp::Segment& segment) override { simulation_.send(segment, peer_); }

   private:
    Simulation& simulation_;
    std::uint32_t peer_;  // endpoint that the segments travel to
  };

  struct Books {
    std::uint64_t sent = 0;
    std::uint64_t delivered = 0;
    std::uint64_t dropped_queue = 0;
    std::uint64_t dropped_random = 0;
    std::int64_t done_ns = -1;
  };
  struct Connection {
    tcp::Sender sender;
    tcp::Receiver receiver;
    std::uint64_t timer_ns[2] = {tcp::kNever, tcp::kNever};  // of the pending timer records
  };
  struct Datagrams {
    std::uint64_t next_q20_ns = 0;  // start of the next one, relative to the flow's
    std::uint64_t interval_q20_ns = 0;
    std::uint64_t packets = 0;
    std::uint64_t delivered_bytes = 0;
  };

  void make_queues();
  void make_losses();
  void make_captures();
  void make_flows();

  void dispatch(std::uint32_t index);
  void arrive(std::uint32_t index);
  void forward(std::uint32_t index);
  void carry(std::uint32_t index, std::uint64_t at_ns);
  bool cross(std::uint32_t index, Link& link, std::uint32_t bytes, std::uint64_t at_ns);
  void lose(std::uint32_t index, std::uint64_t& cause);
  void hold(std::uint32_t index, std::uint32_t queue);
  void serve(std::uint32_t queue);
  void leave(std::uint32_t index, const Link& link);
  void deliver(std::uint32_t index);
  void send(const tcp::Segment& segment, std::uint32_t target);

  void start(std::uint32_t flow);
  void on_timer(std::uint32_t target, std::uint64_t time_ns);
  void arm(std::uint32_t target);
  void to_sender(std::uint32_t flow, const tcp::Segment& s);
  void to_receiver(std::uint32_t flow, const tcp::Segment& s);
  void send_datagram(std::uint32_t flow);
  void take_sample();
  void schedule(Kind kind, std::uint32_t target, std::uint64_t time_ns);

  bool is_udp(std::uint32_t flow) const { return network_.flows()[flow].is_udp; }
  Connection& connection(std::uint32_t flow) { return connections_[network_.flows()[flow].index]; }

  void count_in_flight(Result& result);
  void check_conservation(const Result& result) const;
  Result make_result(std::uint64_t until_ns);
  FlowResult flow_result(std::uint32_t flow) const;
  QueueResult queue_result(std::uint32_t queue);

  const Network& network_;
  Topology topology_;
  engine::Wheel<Record> wheel_;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::vector<ServedQueue*> served_;  // by queue: the same, or null
  std::vector<Loss> losses_;
  std::vector<Capture> captures_;
  std::vector<Connection> connections_;
  std::vector<Datagrams> datagrams_;
  std::vector<Books> books_;  // by flow
  Series series_;
  std::uint64_t now_ns_ = 0;
  std::uint64_t events_ = 0;
  std::size_t unfinished_ = 0;  // TCP flows
};

}  // namespace penstock::net
