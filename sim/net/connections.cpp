// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/connections.h"

#include "core/sharing/control.h"

namespace penstock::net {

using Aside = gateway::Gateway::Aside;

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
      if (plan.udp_flows[spec.index].spared) queues.set_aside(flow, Aside::kSpared);
      if (plan.udp_flows[spec.index].unanswered) queues.set_aside(flow, Aside::kUnanswered);
    } else {
      begin(flow, isn);
      if (!plan.tcp_flows[spec.index].controlled) queues.set_aside(flow, Aside::kExempt);
    }
  }
}

void Connections::begin(std::uint32_t flow, engine::Stream& isn) {
  const TcpFlow& spec = plan_.tcp_flows[flows_[flow].index];
  const std::uint32_t sender_seq = isn.bits32();
  flows_[flow].index = kNoIndex;
  open(flow, {.sender = *spec.sender,
              .receiver = *spec.receiver,
              .sender_seq = sender_seq,
              .receiver_seq = isn.bits32(),
              .size_bytes = spec.size_bytes,
              .after = tcp::Sender::After::kClose});
  flows_[flow].awaited_bytes = spec.size_bytes;
  goal_.add();
  events_.schedule(kStart, flow, spec.start_ns);
}

void Connections::share(std::uint32_t flow, tcp::Sender& sender, std::uint32_t sharing) {
  if (sharing == PST_SHARING_COUNT) return;
  const Ends ends = topology_.ends[flow];
  std::uint32_t src = ends.src;
  if (pst_sharing_scope(sharing) == PST_SCOPE_LAN) {  // named by the first router of its hosts
    const auto first = std::find_if(plan_.links.begin(), plan_.links.end(),
                                    [src](const PlainLink& link) { return link.src == src; });
    if (first != plan_.links.end()) src = first->dst;
  }
  const Ensembles::Name name{src, ends.dst, sharing};
  if (sender.share(ensembles_.of(name))) ensembles_.add(flow, name);
}

// After an event of the sender.
void Connections::tell_others(std::uint32_t flow, bool done) {
  ensembles_.after_event(flow, done, [this](std::uint32_t other) {
    Port port = to_receiver_of(other);
    connection(other).sender.on_share(events_.now_ns(), port);
    arm(2 * other + kSenderSide, connection(other));
  });
}

template <class Of>
void Connections::put(std::uint32_t flow, std::vector<Of>& all, Of&& fresh) {
  std::uint32_t& index = flows_[flow].index;
  if (index == kNoIndex) {
    index = static_cast<std::uint32_t>(all.size());
    all.push_back(std::move(fresh));
  } else {
    all[index] = std::move(fresh);
  }
}

void Connections::open(std::uint32_t flow, const Opening& o) {
  PST_REQUIRE(!flows_[flow].is_udp && flows_[flow].accounted() == flows_[flow].sent);
  flows_[flow].is_quic = o.sender.quic;
  if (o.sender.quic) {
    const bool closes = o.after == tcp::Sender::After::kClose;
    put(flow, quic_,
        Quic{quic::Sender(o.sender, o.size_bytes, closes), quic::Receiver(o.receiver)});
    return;
  }
  Connection fresh{tcp::Sender(o.sender, o.sender_seq, o.size_bytes, o.after),
                   tcp::Receiver(o.receiver, o.receiver_seq)};
  share(flow, fresh.sender, o.sender.sharing);
  put(flow, connections_, std::move(fresh));
}

void Connections::start(std::uint32_t flow) {
  with(flow, [this, flow](auto& c) {
    if (c.receiver.opens()) {
      Port port = to_sender_of(flow);
      c.receiver.open(events_.now_ns(), port);
      return arm(2 * flow + kReceiverSide, c);
    }
    Port port = to_receiver_of(flow);
    c.sender.open(events_.now_ns(), port);
    arm(2 * flow + kSenderSide, c);
  });
}

void Connections::write(std::uint32_t flow, std::uint64_t bytes) {
  with(flow, [this, flow, bytes](auto& c) {
    Port port = to_receiver_of(flow);
    c.sender.write(bytes, events_.now_ns(), port);
    arm(2 * flow + kSenderSide, c);
    if (ensembles_.tells()) tell_others(flow, c.sender.done());
  });
}

void Connections::close(std::uint32_t flow) {
  with(flow, [this, flow](auto& c) {
    Port port = to_receiver_of(flow);
    c.sender.close(events_.now_ns(), port);
    arm(2 * flow + kSenderSide, c);
  });
}

const tcp::SenderCounters& Connections::sent(std::uint32_t flow) const {
  return *with(flow, [](const auto& c) { return &c.sender.counters(); });
}

const tcp::ReceiverCounters& Connections::received(std::uint32_t flow) const {
  return *with(flow, [](const auto& c) { return &c.receiver.counters(); });
}

std::uint64_t Connections::cwnd_bytes(std::uint32_t flow) const {
  return with(flow, [](const auto& c) { return c.sender.cwnd_bytes(); });
}

std::uint64_t Connections::send_window_bytes(std::uint32_t flow) const {
  return with(flow, [](const auto& c) { return c.sender.send_window_bytes(); });
}

// Of handovers QUIC knows nothing.
void Connections::expect_handover(std::uint32_t flow, std::uint64_t at_ns) {
  if (flows_[flow].is_quic) return;
  connection(flow).receiver.expect_handover(at_ns);
}

void Connections::end_handover(std::uint32_t flow) {
  if (flows_[flow].is_quic) return;
  Port port = to_sender_of(flow);
  connection(flow).receiver.on_handover_done(events_.now_ns(), port);
  arm(2 * flow + kReceiverSide, connection(flow));
}

template <class Of>
[[gnu::always_inline]] inline void Connections::to_sender(std::uint32_t flow, Of& c,
                                                          const tcp::Segment& s) {
  PST_REQUIRE(flows_[flow].index != kNoIndex);
  const bool was_done = c.sender.done();
  const bool was_established = c.sender.established();
  Port port = to_receiver_of(flow);
  c.sender.on_segment(s, events_.now_ns(), port);
  arm(2 * flow + kSenderSide, c);
  if (ensembles_.tells()) [[unlikely]]
    tell_others(flow, c.sender.done());
  if (!was_established && has_application(flow)) application_.on_handshake(flow);
  PST_ENSURE(c.sender.done() || !was_done);
  PST_ENSURE(c.sender.established() || !was_established);
  if (!c.sender.done()) return;
  if (!was_done) {
    if (has_application(flow))
      application_.on_closed(flow);
    else
      goal_.reach();
  }
  if (flows_[flow].closing) application_.on_quiet(flow);
}

template <class Of>
[[gnu::always_inline]] inline void Connections::to_receiver(std::uint32_t flow, Of& c,
                                                            const tcp::Segment& s) {
  PST_REQUIRE(flows_[flow].index != kNoIndex);
  [[maybe_unused]] const std::uint64_t before = c.receiver.counters().delivered_bytes;
  Port port = to_sender_of(flow);
  c.receiver.on_segment(s, events_.now_ns(), port);
  arm(2 * flow + kReceiverSide, c);
  PST_ENSURE(c.receiver.counters().delivered_bytes >= before);
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
  PST_REQUIRE(r.target() / 2 < flows_.size());
  const std::uint32_t flow = r.target() / 2;
  const bool at_receiver = (r.target() & 1) == kReceiverSide;
  Flow& f = flows_[flow];
  PST_REQUIRE(r.kind() == kPacket && f.accounted() < f.sent);
  if (f.moves && at_receiver && r.segment.hop != f.last_hop)
    return forwarder_.lose(index);  // in a cell that the receiver has left
  ++f.delivered;
  PST_ENSURE(f.accounted() <= f.sent);
  if (f.is_udp) {
    datagrams_.receive(f, r.segment);
  } else if (f.is_quic) {
    at_receiver ? to_receiver(flow, quic_[f.index], r.segment)
                : to_sender(flow, quic_[f.index], r.segment);
  } else if (at_receiver) {
    to_receiver(flow, connections_[f.index], r.segment);
  } else {
    to_sender(flow, connections_[f.index], r.segment);
  }
  events_.give_back(r);
}

void Connections::start_timer(std::uint32_t target, std::uint64_t time_ns) {
  PST_REQUIRE(time_ns >= events_.now_ns());
  events_.schedule(kTimer, target, time_ns).segment.seq = flows_[target / 2].life;
}

template <class Of>
void Connections::expire(std::uint32_t target, Of& c) {
  const std::uint64_t time_ns = events_.now_ns();
  std::uint64_t& pending_ns = c.timer_ns[target & 1];
  PST_REQUIRE(pending_ns >= time_ns);
  if (pending_ns != time_ns) return;  // an earlier record took its place
  pending_ns = tcp::kNever;
  if ((target & 1) == kReceiverSide) {
    Port port = to_sender_of(target / 2);
    if (c.receiver.next_timer_ns() <= time_ns) c.receiver.on_timer(time_ns, port);
  } else {
    Port port = to_receiver_of(target / 2);
    if (c.sender.next_timer_ns() <= time_ns) c.sender.on_timer(time_ns, port);
    if (ensembles_.tells()) tell_others(target / 2, c.sender.done());
  }
  arm(target, c);
}

void Connections::on_timer(std::uint32_t target, std::uint32_t life) {
  const std::uint32_t flow = target / 2;
  if (flows_[flow].life != life) return;  // of a connection that is gone
  with(flow, [this, target](auto& c) { expire(target, c); });
}

}  // namespace penstock::net
