// SPDX-License-Identifier: GPL-2.0-only
// Owns the two ends of each TCP and QUIC connection, their timers, and the state that connections
// of one host share. Is told of packets at the end of their path and of timers that are due; sends
// through the forwarder, and tells the application the outcome of a connection.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/net/datagrams.h"
#include "sim/net/ensembles.h"
#include "sim/net/forwarder.h"
#include "sim/net/goal.h"
#include "sim/quic/receiver.h"
#include "sim/quic/sender.h"
#include "sim/tcp/receiver.h"
#include "sim/tcp/sender.h"

namespace penstock::net {

// Is told of the connections that it has opened; those of the network need none.
class Application {
 public:
  virtual void on_handshake(std::uint32_t flow) = 0;  // a segment of it, at the sender
  virtual void on_received(std::uint32_t flow) = 0;   // all that Flow::awaited_bytes says
  virtual void on_closed(std::uint32_t flow) = 0;     // data and FIN are acknowledged
  virtual void on_quiet(std::uint32_t flow) = 0;      // it is closing, and a packet has ended

 protected:
  ~Application() = default;
};

class Connections final : public Destination {
 public:
  // The network's own flows begin at their times.
  Connections(const Plan& plan, const Topology& topology, Events& events, Queues& queues,
              Flows& flows, Forwarder& forwarder, Datagrams& datagrams, Goal& goal,
              Application& application);

  struct Opening {
    const tcp::SenderConfig& sender;
    const tcp::ReceiverConfig& receiver;
    std::uint32_t sender_seq;
    std::uint32_t receiver_seq;
    std::uint64_t size_bytes;
    tcp::Sender::After after;
  };
  // A fresh connection for `flow`, in the place of its former one.
  void open(std::uint32_t flow, const Opening& opening);
  void start(std::uint32_t flow);  // with the first SYN
  void write(std::uint32_t flow, std::uint64_t bytes);
  void close(std::uint32_t flow);

  // The receiver of `flow` will lose its cell; it has one again.
  void expect_handover(std::uint32_t flow, std::uint64_t at_ns);
  void end_handover(std::uint32_t flow);

  void deliver(std::uint32_t index, Record& r) override;
  void on_timer(std::uint32_t target, std::uint32_t life);

  const tcp::SenderCounters& sent(std::uint32_t flow) const;
  const tcp::ReceiverCounters& received(std::uint32_t flow) const;
  std::uint64_t cwnd_bytes(std::uint32_t flow) const;
  std::uint64_t send_window_bytes(std::uint32_t flow) const;
  tcp::Sender& sender(std::uint32_t flow) { return connection(flow).sender; }  // TCP

 private:
  // The network as an endpoint sees it.
  class Port final : public tcp::Output {
   public:
    Port(Forwarder& forwarder, std::uint32_t peer) : forwarder_(forwarder), peer_(peer) {}
    void transmit(const tcp::Segment& segment) override { forwarder_.send(segment, peer_); }

   private:
    Forwarder& forwarder_;
    std::uint32_t peer_;  // endpoint that the segments travel to
  };

  template <class Sender, class Receiver>
  struct Pair {
    Sender sender;
    Receiver receiver;
    std::uint64_t timer_ns[2] = {tcp::kNever, tcp::kNever};  // of the pending timer records
  };
  using Connection = Pair<tcp::Sender, tcp::Receiver>;
  using Quic = Pair<quic::Sender, quic::Receiver>;

  template <class Of>
  void put(std::uint32_t flow, std::vector<Of>& all, Of&& fresh);
  void begin(std::uint32_t flow, engine::Stream& isn);
  void share(std::uint32_t flow, tcp::Sender& sender, std::uint32_t sharing);
  void tell_others(std::uint32_t flow, bool done);
  Port to_receiver_of(std::uint32_t flow) { return {forwarder_, 2 * flow + kReceiverSide}; }
  Port to_sender_of(std::uint32_t flow) { return {forwarder_, 2 * flow + kSenderSide}; }
  template <class Of>
  void to_sender(std::uint32_t flow, Of& c, const tcp::Segment& s);
  template <class Of>
  void to_receiver(std::uint32_t flow, Of& c, const tcp::Segment& s);
  // Timers are lazy: one record per endpoint is pending, at the earliest requested deadline; if
  // it fires too early, it is scheduled again.
  template <class Of>
  void arm(std::uint32_t target, Of& c) {
    const std::uint64_t wanted_ns =
        (target & 1) == kReceiverSide ? c.receiver.next_timer_ns() : c.sender.next_timer_ns();
    std::uint64_t& pending_ns = c.timer_ns[target & 1];
    if (wanted_ns < pending_ns)
      start_timer(target, pending_ns = std::max(wanted_ns, events_.now_ns()));
  }
  template <class Of>
  void expire(std::uint32_t target, Of& c);
  void start_timer(std::uint32_t target, std::uint64_t time_ns);

  Connection& connection(std::uint32_t flow) { return connections_[flows_[flow].index]; }
  const Connection& connection(std::uint32_t flow) const {
    return connections_[flows_[flow].index];
  }
  // The ends of `flow`, of whichever protocol.
  template <class Act>
  auto with(std::uint32_t flow, Act act) {
    const Flow& f = flows_[flow];
    return f.is_quic ? act(quic_[f.index]) : act(connections_[f.index]);
  }
  template <class Act>
  auto with(std::uint32_t flow, Act act) const {
    const Flow& f = flows_[flow];
    return f.is_quic ? act(quic_[f.index]) : act(connections_[f.index]);
  }
  bool has_application(std::uint32_t flow) const { return flow >= plan_.flows.size(); }

  const Plan& plan_;
  const Topology& topology_;
  Events& events_;
  Flows& flows_;
  Forwarder& forwarder_;
  Datagrams& datagrams_;
  Goal& goal_;
  Application& application_;
  std::vector<Connection> connections_;
  std::vector<Quic> quic_;
  Ensembles ensembles_;
};

}  // namespace penstock::net
