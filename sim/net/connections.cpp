// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/connections.h"

#include "core/sharing/control.h"

namespace penstock::net {

Connections::Connections(const Plan& plan, const Topology& topology, Events& events, Queues& queues,
                         Flows& flows, Forwarder& forwarder, Datagrams& datagrams, Goal& goal,
                         Application& application)
    : plan_(plan),
      topology_(topology),
      events_(events),
      flows_(flows),
      forwarder_(forwarder),
      datagrams_(datagrams),
      goal_(goal),
      application_(application) {
  engine::Stream isn(plan.seed, engine::Purpose::kInitialSequence, 0);
  connections_.reserve(plan.tcp_flows.size());
  for (const Plan::Flow& spec : plan.flows) {
    const auto flow = static_cast<std::uint32_t>(flows_.size());
    flows_.push_back({.index = spec.index, .is_udp = spec.is_udp});
    if (spec.is_udp) {
      datagrams_.begin(flow);
    } else {
      begin_tcp(flow, isn);
      if (!plan.tcp_flows[spec.index].controlled) queues.exempt(flow);
    }
  }
}

void Connections::begin_tcp(std::uint32_t flow, engine::Stream& isn) {
  const TcpFlow& spec = plan_.tcp_flows[flows_[flow].index];
  const std::uint32_t sender_seq = isn.bits32();
  connections_.push_back({tcp::Sender(*spec.sender, sender_seq, spec.size_bytes),
                          tcp::Receiver(*spec.receiver, isn.bits32())});
  share(connections_.back().sender, *spec.sender, {spec.src, spec.dst});
  flows_[flow].awaited_bytes = spec.size_bytes;
  goal_.add();
  events_.schedule(kStart, flow, spec.start_ns);
}

// A LAN is identified by the first router of its hosts.
std::uint32_t Connections::lan(std::uint32_t host) const {
  const auto first = std::find_if(plan_.links.begin(), plan_.links.end(),
                                  [host](const PlainLink& link) { return link.src == host; });
  return first == plan_.links.end() ? host : first->dst;
}

void Connections::share(tcp::Sender& sender, const tcp::SenderConfig& config, Ends ends) {
  const bool of_lan = pst_sharing_scope(config.sharing) == PST_SCOPE_LAN;
  if (config.sharing != PST_SHARING_COUNT)
    sender.share(ensembles_[{of_lan ? lan(ends.src) : ends.src, ends.dst, config.sharing}]);
}

void Connections::open(std::uint32_t flow, const Opening& o) {
  Connection fresh{tcp::Sender(o.sender, o.sender_seq, o.size_bytes, o.after),
                   tcp::Receiver(o.receiver, o.receiver_seq)};
  share(fresh.sender, o.sender, topology_.ends[flow]);
  std::uint32_t& index = flows_[flow].index;
  if (index == kNoIndex) {
    index = static_cast<std::uint32_t>(connections_.size());
    connections_.push_back(std::move(fresh));
  } else {
    connections_[index] = std::move(fresh);
  }
}

void Connections::start(std::uint32_t flow) {
  Connection& c = connection(flow);
  if (c.receiver.opens()) {
    Port port = to_sender_of(flow);
    c.receiver.open(events_.now_ns(), port);
    arm(2 * flow + kReceiverSide, c);
  } else {
    Port port = to_receiver_of(flow);
    c.sender.open(events_.now_ns(), port);
    arm(2 * flow + kSenderSide, c);
  }
}

void Connections::write(std::uint32_t flow, std::uint64_t bytes) {
  Port port = to_receiver_of(flow);
  connection(flow).sender.write(bytes, events_.now_ns(), port);
  arm(2 * flow + kSenderSide, connection(flow));
}

void Connections::close(std::uint32_t flow) {
  Port port = to_receiver_of(flow);
  connection(flow).sender.close(events_.now_ns(), port);
  arm(2 * flow + kSenderSide, connection(flow));
}

void Connections::expect_handover(std::uint32_t flow, std::uint64_t at_ns) {
  connection(flow).receiver.expect_handover(at_ns);
}

void Connections::end_handover(std::uint32_t flow) {
  Port port = to_sender_of(flow);
  connection(flow).receiver.on_handover_done(events_.now_ns(), port);
  arm(2 * flow + kReceiverSide, connection(flow));
}

[[gnu::always_inline]] inline void Connections::to_sender(std::uint32_t flow, Connection& c,
                                                          const tcp::Segment& s) {
  const bool was_done = c.sender.done();
  const bool was_established = c.sender.established();
  Port port = to_receiver_of(flow);
  c.sender.on_segment(s, events_.now_ns(), port);
  arm(2 * flow + kSenderSide, c);
  if (!was_established && has_application(flow)) application_.on_handshake(flow);
  if (!c.sender.done()) return;
  if (!was_done) {
    if (has_application(flow))
      application_.on_closed(flow);
    else
      goal_.reach();
  }
  if (flows_[flow].closing) application_.on_quiet(flow);
}

[[gnu::always_inline]] inline void Connections::to_receiver(std::uint32_t flow, Connection& c,
                                                            const tcp::Segment& s) {
  Port port = to_sender_of(flow);
  c.receiver.on_segment(s, events_.now_ns(), port);
  arm(2 * flow + kReceiverSide, c);
  Flow& f = flows_[flow];
  if (c.receiver.counters().delivered_bytes >= f.awaited_bytes) {
    f.done_ns = static_cast<std::int64_t>(events_.now_ns());
    if (has_application(flow))
      application_.on_received(flow);
    else
      f.awaited_bytes = tcp::kNever;
  }
  if (flows_[flow].closing) application_.on_quiet(flow);
}

void Connections::deliver(std::uint32_t index, Record& r) {
  const std::uint32_t flow = r.target() / 2;
  const bool at_receiver = (r.target() & 1) == kReceiverSide;
  Flow& f = flows_[flow];
  if (f.moves && at_receiver && r.segment.hop != f.last_hop)
    return forwarder_.lose(index);  // in a cell that the receiver has left
  ++f.delivered;
  if (f.is_udp) {
    datagrams_.receive(f, r.segment);
  } else if (at_receiver) {
    to_receiver(flow, connections_[f.index], r.segment);
  } else {
    to_sender(flow, connections_[f.index], r.segment);
  }
  events_.give_back(index);
}

void Connections::start_timer(std::uint32_t target, std::uint64_t time_ns) {
  events_.schedule(kTimer, target, time_ns).segment.seq = flows_[target / 2].life;
}

void Connections::on_timer(std::uint32_t target, std::uint32_t life) {
  const std::uint64_t time_ns = events_.now_ns();
  const std::uint32_t flow = target / 2;
  if (flows_[flow].life != life) return;  // of a connection that is gone
  Connection& c = connection(flow);
  std::uint64_t& pending_ns = c.timer_ns[target & 1];
  if (pending_ns != time_ns) return;  // an earlier record took its place
  pending_ns = tcp::kNever;
  if ((target & 1) == kReceiverSide) {
    Port port = to_sender_of(flow);
    if (c.receiver.next_timer_ns() <= time_ns) c.receiver.on_timer(time_ns, port);
  } else {
    Port port = to_receiver_of(flow);
    if (c.sender.next_timer_ns() <= time_ns) c.sender.on_timer(time_ns, port);
  }
  arm(target, c);
}

}  // namespace penstock::net
