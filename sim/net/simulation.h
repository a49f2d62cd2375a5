// SPDX-License-Identifier: GPL-2.0-only
// One run: forwards packets hop by hop, runs the endpoints, and counts.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/engine/wheel.h"
#include "sim/net/capture.h"
#include "sim/net/companions.h"
#include "sim/net/follower.h"
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
  // Counts from `warm_up_ns` on.
  Result run(std::uint64_t until_ns, std::uint64_t warm_up_ns);

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

  // The data of a flow that forwarding needs, in one cache line.
  struct alignas(64) Flow {
    std::uint64_t sent = 0;
    std::uint64_t delivered = 0;
    std::uint64_t dropped_queue = 0;
    std::uint64_t dropped_random = 0;
    std::int64_t done_ns = -1;
    std::uint64_t awaited_bytes = tcp::kNever;  // received, when on_received() is due
    std::uint32_t index = 0;   // into connections_ or datagrams_
    std::uint16_t life = 0;    // generation of the slot; a timer belongs to one
    bool is_udp = false;
    bool closing = false;  // of a traffic group, and free once none of its packets is in flight
    bool moves = false;    // its receiver is a mobile host
    std::uint8_t first_hop[2] = {0, 0};  // of what travels to each side now
    std::uint8_t last_hop = 0;  // if it moves: of the way to the receiver's cell; 0: it has none

    bool settled() const { return sent == delivered + dropped_queue + dropped_random; }
  };
  struct Connection {
    tcp::Sender sender;
    tcp::Receiver receiver;
    std::uint64_t timer_ns[2] = {tcp::kNever, tcp::kNever};  // of the pending timer records
  };
  struct Datagrams {
    std::uint64_t next_ns = 0;  // start of the next one, relative to the flow's
    std::uint64_t next_rest_q20_ns = 0;  // and the part of a nanosecond beyond it
    std::uint64_t interval_q20_ns = 0;
    std::uint64_t packets = 0;
    std::uint64_t delivered_bytes = 0;
  };

  // A user of a traffic group. Users take the ends of their group in turn.
  struct User {
    traffic::Source source;
    std::uint32_t group;
    std::uint32_t lane;
    std::uint64_t size_bytes = 0;      // of the transfer that comes next
    std::uint32_t flow = kNoIndex;     // its connection, if it is persistent
    std::uint32_t connections = 0;     // so far
    std::uint32_t open_transfers = 0;
    bool ended = false;  // the source
    std::uint32_t mobile = kNoIndex;
  };
  // A receiver that moves between cells: a flow's, or a user of a traffic group with all of its
  // connections.
  struct Mobile {
    std::uint64_t who;      // in the address of its random numbers
    std::uint32_t owner;    // flow or user
    bool is_user;
    bool attached = true;   // to a cell
    std::uint32_t cell = 0;  // the number of it, or of the next one
    std::uint64_t turn = 0;  // events so far
    std::uint64_t next_ns = 0;  // when it loses its cell, or has one again
  };
  // Two ends of a group: their flows that are free for reuse.
  struct Lane {
    std::uint32_t group;
    std::uint32_t first_flow;
    std::vector<std::uint32_t> free{};
  };
  struct Begun {  // a transfer
    std::uint64_t at_ns;
    std::uint64_t size_bytes;
    std::uint64_t end_bytes;  // in its connection's stream
  };
  // State of a flow of a traffic group.
  struct Life {
    std::uint32_t lane;
    std::uint32_t user = kNoIndex;
    std::size_t arrived = 0;     // of `begun`, from its beginning
    std::vector<Begun> begun{};  // transfers in their order
    std::uint64_t in_flight = 0;  // at the end of the run
  };

  // A station of a shared medium, by its queue; and the medium.
  struct Station {
    std::uint32_t medium;
    std::uint32_t attempts = 0;    // that collided, of the first packet
    std::uint64_t collisions = 0;  // in all
    bool busy = false;             // sends, or waits for its time
  };
  struct Medium {
    std::uint32_t link;            // one of its links; all are alike
    std::uint64_t idle_ns = 0;     // when all stations may send again
    std::uint64_t start_ns = 0;
    std::vector<std::uint32_t> senders{};  // queues whose stations began since start_ns
  };
  struct Change {
    std::uint32_t link;
    LinkChange to;
  };

  void make_queues();
  void make_losses();
  void make_captures();
  void make_changes();
  void make_media();
  void make_flows();
  void make_traffic();
  void make_mobiles();

  void play(std::uint64_t until_ns);
  void begin_counting();
  void dispatch(std::uint32_t index);
  // Each has the record of `index` as well, which takes two lookups in the pool.
  void arrive(std::uint32_t index, Record& r);
  void let_go(std::uint32_t index);
  void go_on(std::uint32_t index, Record& r, const Hop& hop);
  void forward(std::uint32_t index, Record& r, std::uint64_t at_ns);
  void carry(std::uint32_t index, Record& r, std::uint64_t at_ns);
  bool cross(std::uint32_t index, Record& r, Link& link, std::uint32_t bytes, std::uint64_t at_ns);
  void lose(std::uint32_t index, std::uint64_t& cause);
  void hold(std::uint32_t index, std::uint32_t queue);
  void serve(std::uint32_t queue);
  void end_lost(ServedQueue& q);
  void leave(std::uint32_t index, const Link& link);

  // csma.cpp: a shared medium
  void contend(std::uint32_t queue);
  void resolve(std::uint32_t medium);
  void send_frame(std::uint32_t queue, Medium& medium);
  void back_off(std::uint32_t queue, std::uint64_t from_ns, std::uint64_t slot_ns);

  // mobility.cpp: receivers that move between cells
  void add_mobile(const Mobile& mobile, std::uint32_t cell_node);
  void hand_over(std::uint32_t mobile);
  void locate(std::uint32_t flow, const Mobile& mobile);
  template <class Action>
  void for_flows(const Mobile& mobile, Action action);

  // changes.cpp: links that change, or follow a trace
  void change_link(const Change& change);
  void follow(std::uint32_t queue);
  void use_opportunity(ServedQueue& q, Follower& follower, Link& link);
  double transmitting_ns(std::uint32_t queue) const;
  void deliver(std::uint32_t index, Record& r);
  void send(const tcp::Segment& segment, std::uint32_t target);

  void start(std::uint32_t flow);
  void on_timer(std::uint32_t target, std::uint32_t life, std::uint64_t time_ns);
  // Timers are lazy: one record per endpoint is pending, at the earliest requested deadline; if
  // it fires too early, it is scheduled again.
  void arm(std::uint32_t target, Connection& c) {
    const std::uint64_t wanted_ns =
        (target & 1) == kReceiverSide ? c.receiver.next_timer_ns() : c.sender.next_timer_ns();
    std::uint64_t& pending_ns = c.timer_ns[target & 1];
    if (wanted_ns < pending_ns) start_timer(target, pending_ns = std::max(wanted_ns, now_ns_));
  }
  void start_timer(std::uint32_t target, std::uint64_t time_ns);
  void to_sender(std::uint32_t flow, Connection& c, const tcp::Segment& s);
  void to_receiver(std::uint32_t flow, Connection& c, const tcp::Segment& s);
  void send_datagram(std::uint32_t flow);
  void take_sample();

  // traffic.cpp: users and their connections
  void plan_transfer(std::uint32_t user, std::uint64_t done_ns);
  void begin_transfer(std::uint32_t user);
  std::uint32_t new_connection(std::uint32_t user, std::uint64_t size_bytes);
  std::uint32_t take_flow(std::uint32_t lane);
  void add_flow(std::uint32_t lane);
  void await_next(std::uint32_t flow);
  void end_source(std::uint32_t user);
  void end_transfer(std::uint32_t user, const Begun& transfer);
  void finish(std::uint32_t user);
  void on_received(std::uint32_t flow);
  void on_closed(std::uint32_t flow);
  void free_if_settled(std::uint32_t flow);
  void count_life(std::uint32_t flow, GroupCounters& sum) const;
  GroupResult group_result(std::uint32_t group) const;

  // Connections beside each other.
  Companions& companions(std::uint32_t flow) {
    return companions_[{topology_.ends[flow].src, topology_.ends[flow].dst}];
  }
  Company& company(std::uint32_t flow) { return groups_[lanes_[life(flow).lane].group].company; }
  bool of_company(std::uint32_t flow) {
    return of_traffic(flow) && network_.traffic()[lanes_[life(flow).lane].group].company;
  }
  Companions::SenderOf senders() {
    return [this](std::uint32_t flow) -> const tcp::Sender& { return connection(flow).sender; };
  }

  std::uint32_t schedule(Kind kind, std::uint32_t target, std::uint64_t time_ns);

  std::uint32_t lan(std::uint32_t host) const;
  void share(tcp::Sender& sender, const tcp::SenderConfig& config, Ends ends);
  Connection& connection(std::uint32_t flow) { return connections_[flows_[flow].index]; }
  bool of_traffic(std::uint32_t flow) const { return flow >= network_.flows().size(); }
  Life& life(std::uint32_t flow) { return lives_[flow - network_.flows().size()]; }

  std::uint64_t& in_flight(Result& result, const Record& packet);
  void count_in_flight(Result& result);
  void check_conservation(const Result& result) const;
  Result make_result(std::uint64_t until_ns);
  void subtract_warm_up(Result& result) const;
  FlowResult flow_result(std::uint32_t flow) const;
  QueueResult queue_result(std::uint32_t queue);

  const Network& network_;
  Topology topology_;
  engine::Wheel<Record> wheel_;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::vector<ServedQueue*> served_;  // by queue: the same, or null
  std::vector<std::unique_ptr<Follower>> followers_;  // by queue, or null
  std::vector<Change> changes_;
  std::vector<std::unique_ptr<Station>> stations_;  // by queue, or null
  std::vector<Medium> media_;
  std::vector<Loss> losses_;
  std::vector<Capture> captures_;
  std::vector<Connection> connections_;
  // By the hosts at the ends, or the LAN of the sending one, and enum pst_sharing;
  // addresses stay.
  std::map<std::array<std::uint32_t, 3>, pst_ensemble> ensembles_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Companions> companions_;  // by their hosts
  std::vector<Datagrams> datagrams_;
  std::vector<Flow> flows_;
  std::vector<Life> lives_;  // of the flows after the network's own
  std::vector<Lane> lanes_;
  std::vector<User> users_;
  std::vector<Mobile> mobiles_;
  std::vector<GroupResult> groups_;
  Series series_;
  Result warm_up_;  // what was counted before; nothing without a warm-up
  std::uint64_t now_ns_ = 0;
  std::uint64_t events_ = 0;
  std::size_t unfinished_ = 0;  // TCP flows, and users whose source ends
  bool endless_ = false;        // nothing but the time limit ends the run
};

}  // namespace penstock::net
