// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/simulation.h"

#include <algorithm>
#include <stdexcept>

namespace penstock::net {

std::uint32_t Simulation::schedule(Kind kind, std::uint32_t target, std::uint64_t time_ns) {
  const std::uint32_t index = wheel_.pool().take();
  Record& r = wheel_.pool()[index];
  r.time_ns = time_ns;
  r.set(kind, target);
  wheel_.push(index, r);
  return index;
}

// Forwards over a link with a queue, a capture or losses. False: the packet is lost, or held by a
// served queue.
bool Simulation::cross(std::uint32_t index, Record& r, Link& link, std::uint32_t bytes,
                       std::uint64_t at_ns) {
  const LinkExtras& extras = topology_.extras[link.extras];
  std::uint64_t start_ns = std::max(at_ns, link.busy_until_ns);
  if (extras.queue == kNoIndex) {
    link.busy_until_ns = start_ns + link.serialisation_ns(bytes);
  } else if (extras.served) {
    hold(index, extras.queue);
    return false;
  } else if (!queues_[extras.queue]->enqueue(r, bytes, &link, at_ns, &start_ns)) {
    lose(index, flows_[r.target() / 2].dropped_queue);
    return false;
  }
  if (extras.capture != kNoIndex) captures_[extras.capture].write(start_ns, r);
  if (extras.loss == kNoIndex || !losses_[extras.loss].loses(r.segment.payload_bytes > 0))
    return true;
  lose(index, flows_[r.target() / 2].dropped_random);
  return false;
}

// Forwards the packet, which is at its next link at `at_ns`, over this link and the following
// ones as far as their order is already determined. Inline, as is what each arrival passes.
[[gnu::always_inline]] inline void Simulation::carry(std::uint32_t index, Record& r,
                                                     std::uint64_t at_ns) {
  const Hop* hop = topology_.way(r.target()) + r.segment.hop;
  const std::uint32_t bytes = packet_bytes(r.segment);
  for (;; ++hop) {
    Link& link = topology_.links[hop->link];
    if (link.extras == kNoIndex) {
      const std::uint64_t start_ns = std::max(at_ns, link.busy_until_ns);
      link.busy_until_ns = start_ns + link.serialisation_ns(bytes);
    } else if (!cross(index, r, link, bytes, at_ns)) {
      return;
    }
    at_ns = link.busy_until_ns + link.delay_ns;
    ++r.segment.hop;
    if (!hop->straight) break;
  }
  r.time_ns = at_ns;
  wheel_.push(index, r);
}

void Simulation::forward(std::uint32_t index, Record& r, std::uint64_t at_ns) {
  carry(index, r, at_ns);
}

[[gnu::always_inline]] inline void Simulation::go_on(std::uint32_t index, Record& r,
                                                     const Hop& hop) {
  if (hop.link == kNoIndex) {
    deliver(index, r);
  } else {
    carry(index, r, now_ns_);
  }
}

[[gnu::always_inline]] inline void Simulation::arrive(std::uint32_t index, Record& r) {
  const Hop& hop = topology_.way(r.target())[r.segment.hop];
  if (hop.gateway != Hop::kNoGateway && queues_[hop.gateway]->gateway().sees_acks()) {
    const std::uint64_t release_ns =
        queues_[hop.gateway]->on_ack(r.target() / 2, r.segment, now_ns_);
    if (release_ns > now_ns_) {
      r.set(kHeld, r.target());
      r.time_ns = release_ns;
      wheel_.push(index, r);
      return;
    }
  }
  go_on(index, r, hop);
}

Result Simulation::run(std::uint64_t until_ns, std::uint64_t warm_up_ns) {
  if (warm_up_ns) {
    play(warm_up_ns);
    if (now_ns_ < warm_up_ns || warm_up_ns >= until_ns)
      throw std::invalid_argument("the run ends before its warm-up; make time.warm_up shorter");
    begin_counting();
  }
  play(until_ns);
  return make_result(until_ns);
}

// Processes all events up to `until_ns`, unless the traffic ends before.
void Simulation::play(std::uint64_t until_ns) {
  while (unfinished_ > 0 || endless_) {
    const std::uint32_t index = wheel_.pop();
    if (index == engine::kNone) break;
    Record& r = wheel_.pool()[index];
    if (r.time_ns > until_ns) {
      wheel_.unpop();
      now_ns_ = until_ns;
      break;
    }
    now_ns_ = r.time_ns;
    ++events_;
    if (r.kind() == kPacket) {
      arrive(index, r);
    } else {
      dispatch(index);
    }
  }
}

// Any event but the arrival of a packet.
void Simulation::dispatch(std::uint32_t index) {
  const Record& r = wheel_.pool()[index];
  const Kind kind = r.kind();
  if (kind == kHeld) return let_go(index);
  const std::uint32_t target = r.target();
  wheel_.pool().give_back(index);
  switch (kind) {
    case kTimer:
      on_timer(target, r.segment.seq, now_ns_);
      break;
    case kTick:
      if (const std::uint64_t next_ns = queues_[target]->tick(now_ns_))
        schedule(kTick, target, now_ns_ + next_ns);
      break;
    case kStart:
      start(target);
      break;
    case kSend:
      send_datagram(target);
      break;
    case kServe:
      served_[target]->armed = false;
      serve(target);
      break;
    case kTransfer:
      begin_transfer(target);
      break;
    case kChange:
      change_link(changes_[target]);
      break;
    case kContend:
      stations_[target]->busy = false;
      contend(target);
      break;
    case kResolve:
      resolve(target);
      break;
    case kHandover:
      hand_over(target);
      break;
    case kSettle:
      if (flows_[target].closing) free_if_settled(target);
      break;
    default:
      take_sample();
      break;
  }
}

void Simulation::send(const tcp::Segment& segment, std::uint32_t target) {
  const std::uint32_t index = wheel_.pool().take();
  Record& r = wheel_.pool()[index];
  Flow& f = flows_[target / 2];
  r.segment = segment;
  r.segment.hop = f.first_hop[target & 1];
  r.set(kPacket, target);
  ++f.sent;
  if (f.moves && f.last_hop == 0 && (target & 1) == kSenderSide)
    return lose(index, f.dropped_random);  // from a host without a cell
  carry(index, r, now_ns_);
}

// The gateway's hold is over.
void Simulation::let_go(std::uint32_t index) {
  Record& r = wheel_.pool()[index];
  r.set(kPacket, r.target());
  go_on(index, r, topology_.way(r.target())[r.segment.hop]);
}

// An endpoint of the flow may be active, so the flow is not freed at once.
void Simulation::lose(std::uint32_t index, std::uint64_t& cause) {
  ++cause;
  const std::uint32_t flow = wheel_.pool()[index].target() / 2;
  wheel_.pool().give_back(index);
  if (flows_[flow].closing) schedule(kSettle, flow, now_ns_);
}

void Simulation::start(std::uint32_t flow) {
  Connection& c = connection(flow);
  const std::uint32_t sender = 2 * flow + kSenderSide, receiver = 2 * flow + kReceiverSide;
  if (c.receiver.opens()) {
    Port port(*this, sender);
    c.receiver.open(now_ns_, port);
    arm(receiver, c);
  } else {
    Port port(*this, receiver);
    c.sender.open(now_ns_, port);
    arm(sender, c);
  }
}

[[gnu::always_inline]] inline void Simulation::to_sender(std::uint32_t flow, Connection& c,
                                                         const tcp::Segment& s) {
  const bool was_done = c.sender.done();
  const bool was_established = c.sender.established();
  Port port(*this, 2 * flow + kReceiverSide);
  c.sender.on_segment(s, now_ns_, port);
  arm(2 * flow + kSenderSide, c);
  if (!was_established && of_company(flow)) companions(flow).begin(flow, senders());
  if (!c.sender.done()) return;
  if (!was_done) on_closed(flow);
  if (flows_[flow].closing) free_if_settled(flow);
}

[[gnu::always_inline]] inline void Simulation::to_receiver(std::uint32_t flow, Connection& c,
                                                           const tcp::Segment& s) {
  Port port(*this, 2 * flow + kSenderSide);
  c.receiver.on_segment(s, now_ns_, port);
  arm(2 * flow + kReceiverSide, c);
  const Flow& f = flows_[flow];
  if (c.receiver.counters().bytes_received >= f.awaited_bytes) on_received(flow);
  if (f.closing) free_if_settled(flow);
}

void Simulation::deliver(std::uint32_t index, Record& r) {
  const std::uint32_t flow = r.target() / 2;
  const bool at_receiver = (r.target() & 1) == kReceiverSide;
  Flow& f = flows_[flow];
  if (f.moves && at_receiver && r.segment.hop != f.last_hop)
    return lose(index, f.dropped_random);  // in a cell that the receiver has left
  ++f.delivered;
  if (f.is_udp) {
    datagrams_[f.index].delivered_bytes += r.segment.payload_bytes;
  } else if (at_receiver) {
    to_receiver(flow, connections_[f.index], r.segment);
  } else {
    to_sender(flow, connections_[f.index], r.segment);
  }
  wheel_.pool().give_back(index);
}

void Simulation::start_timer(std::uint32_t target, std::uint64_t time_ns) {
  wheel_.pool()[schedule(kTimer, target, time_ns)].segment.seq = flows_[target / 2].life;
}

void Simulation::on_timer(std::uint32_t target, std::uint32_t life, std::uint64_t time_ns) {
  const Flow& f = flows_[target / 2];
  if (f.life != life) return;  // of a connection that is gone
  Connection& c = connections_[f.index];
  std::uint64_t& pending_ns = c.timer_ns[target & 1];
  if (pending_ns != time_ns) return;  // an earlier record took its place
  pending_ns = tcp::kNever;
  const std::uint32_t flow = target / 2;
  if ((target & 1) == kReceiverSide) {
    Port port(*this, 2 * flow + kSenderSide);
    if (c.receiver.next_timer_ns() <= time_ns) c.receiver.on_timer(time_ns, port);
  } else {
    Port port(*this, 2 * flow + kReceiverSide);
    if (c.sender.next_timer_ns() <= time_ns) c.sender.on_timer(time_ns, port);
  }
  arm(target, c);
}

void Simulation::send_datagram(std::uint32_t flow) {
  const std::uint32_t index = flows_[flow].index;
  const UdpSpec& spec = network_.udp_flows()[index];
  if (spec.stop_ns && now_ns_ >= spec.stop_ns) return;
  Datagrams& d = datagrams_[index];
  tcp::Segment s{};
  s.seq = static_cast<std::uint32_t>(d.packets++);
  s.payload_bytes = static_cast<std::uint16_t>(spec.payload_bytes);
  s.options = kDatagram;
  send(s, 2 * flow + kReceiverSide);
  d.next_rest_q20_ns += d.interval_q20_ns;
  d.next_ns += d.next_rest_q20_ns >> 20;
  d.next_rest_q20_ns &= (1ULL << 20) - 1;
  schedule(kSend, flow, spec.start_ns + d.next_ns);
}

void Simulation::take_sample() {
  const SampleSpec& spec = network_.samples();
  series_.time_ns.push_back(static_cast<std::int64_t>(now_ns_));
  for (std::size_t i = 0; i < spec.links.size(); ++i) {
    const std::uint32_t q = topology_.queue_of(spec.links[i]);
    const bool queued = q != kNoIndex;
    series_.queue_bytes[i].push_back(queued ? static_cast<std::int64_t>(queues_[q]->bytes(now_ns_))
                                            : 0);
    series_.window_bytes[i].push_back(
        queued ? static_cast<std::int64_t>(queues_[q]->gateway().last_window_bytes()) : 0);
  }
  for (std::size_t i = 0; i < spec.flows.size(); ++i) {
    const tcp::Sender& sender = connection(spec.flows[i]).sender;
    series_.cwnd_bytes[i].push_back(static_cast<std::int64_t>(sender.cwnd_bytes()));
    series_.send_window_bytes[i].push_back(static_cast<std::int64_t>(sender.send_window_bytes()));
  }
  schedule(kSample, 0, now_ns_ + spec.interval_ns);
}

}  // namespace penstock::net
