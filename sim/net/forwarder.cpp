// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/forwarder.h"

#include "core/base.h"

namespace penstock::net {

Forwarder::Forwarder(const Plan& plan, Topology& topology, Events& events, Queues& queues,
                     Flows& flows, Holder& holder, Destination& destination)
    : topology_(topology),
      events_(events),
      queues_(queues),
      flows_(flows),
      holder_(holder),
      destination_(destination) {
  for (const auto& [link, spec] : plan.losses)
    losses_.emplace_back(spec.ratio, spec.data_packets,
                         engine::Stream(plan.seed, engine::Purpose::kLinkLoss, link));
  for (const auto& [link, path] : plan.captures) captures_.emplace_back(path, topology.ends);
}

[[gnu::always_inline]] inline bool Forwarder::loses(const LinkExtras& extras, const Record& r) {
  return extras.loss != kNoIndex && losses_[extras.loss].loses(r.segment.payload_bytes > 0);
}

// Forwards over a link with a queue, a capture or losses, and returns when the packet begins to
// cross its length; kNever: it is lost, or held by a served queue.
std::uint64_t Forwarder::cross(std::uint32_t index, Record& r, Link& link, std::uint32_t bytes,
                               std::uint64_t at_ns) {
  PST_REQUIRE(link.extras != kNoIndex);
  PST_REQUIRE(at_ns >= events_.now_ns());
  const LinkExtras& extras = topology_.extras[link.extras];
  std::uint64_t start_ns = at_ns;
  if (extras.queue == kNoIndex) {
    start_ns = link.transmit(bytes, at_ns);
  } else if (extras.served) {
    holder_.hold(index, extras.queue);
    return tcp::kNever;
  } else if (!queues_[extras.queue].enqueue(r, bytes, &link, at_ns, &start_ns)) {
    drop(index, flows_[r.target() / 2].dropped_queue);
    return tcp::kNever;
  }
  PST_ENSURE(start_ns >= at_ns);
  if (extras.capture != kNoIndex) captures_[extras.capture].write(start_ns, r);
  if (!loses(extras, r)) return extras.cut_through ? start_ns : link.busy_until_ns;
  lose(index);
  return tcp::kNever;
}

// Forwards the packet, which is at its next link at `at_ns`, over this link and the following
// ones as far as their order is already determined. Inline, as is what each arrival passes.
[[gnu::always_inline]] inline void Forwarder::carry(std::uint32_t index, Record& r, const Hop* hop,
                                                    std::uint64_t at_ns) {
  const std::uint32_t bytes = packet_bytes(r.segment);
  PST_REQUIRE(at_ns >= events_.now_ns());
  PST_REQUIRE(bytes > 0);
  for (;; ++hop) {
    Link& link = topology_.links[hop->link];
    if (link.extras == kNoIndex) {
      link.transmit(bytes, at_ns);
      at_ns = link.busy_until_ns;
    } else {
      at_ns = cross(index, r, link, bytes, at_ns);
      if (at_ns == tcp::kNever) return;
    }
    at_ns += link.delay_ns;
    PST_ENSURE(at_ns >= events_.now_ns());
    ++r.segment.hop;
    if (!hop->straight) break;
  }
  r.time_ns = at_ns;
  events_.push(index, r);
}

void Forwarder::forward(std::uint32_t index, Record& r, const Hop& hop, std::uint64_t at_ns) {
  carry(index, r, &hop, at_ns);
}

[[gnu::always_inline]] inline void Forwarder::go_on(std::uint32_t index, Record& r,
                                                    const Hop& hop) {
  if (hop.link == kNoIndex) {
    destination_.deliver(index, r);
  } else {
    carry(index, r, &hop, events_.now_ns());
  }
}

[[gnu::always_inline]] inline void Forwarder::arrive(std::uint32_t index, Record& r) {
  PST_REQUIRE(r.kind() == kPacket);
  PST_REQUIRE(r.target() / 2 < flows_.size());
  const Hop& hop = topology_.way(r.target())[r.segment.hop];
  if (hop.gateway != Hop::kNoGateway && queues_[hop.gateway].gateway().sees_acks() &&
      !(r.segment.options & kDatagram)) {
    const std::uint64_t now_ns = events_.now_ns();
    const std::uint64_t release_ns = queues_[hop.gateway].on_ack(r.target() / 2, r.segment, now_ns);
    PST_ENSURE(release_ns >= now_ns);
    if (release_ns > now_ns) {
      r.set(kHeld, r.target());
      r.time_ns = release_ns;
      events_.push(index, r);
      return;
    }
  }
  go_on(index, r, hop);
}

// The gateway's hold is over.
void Forwarder::let_go(std::uint32_t index, Record& r) {
  PST_REQUIRE(r.kind() == kHeld);
  PST_REQUIRE(r.time_ns == events_.now_ns());
  r.set(kPacket, r.target());
  go_on(index, r, topology_.way(r.target())[r.segment.hop]);
}

Record* Forwarder::run(std::uint64_t until_ns, const Goal& goal) {
  while (goal.goes_on()) {
    Record* const r = events_.next(until_ns);
    if (!r) break;
    if (r->kind() == kPacket) {
      arrive(r->next, *r);
    } else if (r->kind() == kHeld) {
      let_go(r->next, *r);
    } else {
      return r;
    }
  }
  return nullptr;
}

void Forwarder::send(const tcp::Segment& segment, std::uint32_t target) {
  const std::uint32_t index = events_.take();
  PST_REQUIRE(target / 2 < flows_.size());
  Record& r = events_[index];
  Flow& f = flows_[target / 2];
  r.segment = segment;
  r.segment.hop = f.first_hop[target & 1];
  r.set(kPacket, target);
  ++f.sent;
  PST_ENSURE(f.sent > f.accounted());  // this packet at least
  if (f.moves && f.last_hop == 0 && (target & 1) == kSenderSide)
    return lose(index);  // from a host without a cell
  carry(index, r, topology_.way(target) + r.segment.hop, events_.now_ns());
}

void Forwarder::leave(std::uint32_t index, const Link& link) {
  PST_REQUIRE(link.extras != kNoIndex);
  Record& r = events_[index];
  const LinkExtras& extras = topology_.extras[link.extras];
  if (extras.capture != kNoIndex) captures_[extras.capture].write(events_.now_ns(), r);
  if (loses(extras, r)) return lose(index);
  const Hop* hop = topology_.way(r.target()) + r.segment.hop++;
  const std::uint64_t sent_ns = extras.cut_through ? events_.now_ns() : link.busy_until_ns;
  const std::uint64_t at_ns = sent_ns + link.delay_ns;
  PST_REQUIRE(&topology_.links[hop->link] == &link);
  PST_ENSURE(at_ns >= events_.now_ns());
  if (hop->straight) return forward(index, r, hop[1], at_ns);
  r.time_ns = at_ns;
  events_.push(index, r);
}

// `cause` of the flow counts it. An endpoint of the flow may be active, so the flow is not freed
// at once.
void Forwarder::drop(std::uint32_t index, std::uint64_t& cause) {
  PST_REQUIRE(events_[index].kind() == kPacket);
  ++cause;
  const std::uint32_t flow = events_[index].target() / 2;
  PST_ENSURE(flows_[flow].accounted() <= flows_[flow].sent);
  events_.give_back(index);
  if (flows_[flow].closing) events_.schedule(kSettle, flow, events_.now_ns());
}

void Forwarder::lose(std::uint32_t index) {
  drop(index, flows_[events_[index].target() / 2].dropped_random);
}

void Forwarder::lose_from(ServedQueue& queue) {
  for (const std::uint32_t index : queue.lost())
    drop(index, flows_[events_[index].target() / 2].dropped_queue);
  queue.lost().clear();
  PST_ENSURE(queue.empty() == (queue.packets() == 0));
}

void Forwarder::set_loss_ratio(std::uint32_t link, double ratio) {
  PST_REQUIRE(ratio >= 0.0 && ratio <= 1.0);
  losses_[topology_.extras[topology_.links[link].extras].loss].set_ratio(ratio);
}

void Forwarder::close() {
  for (Capture& capture : captures_) capture.close();
}

}  // namespace penstock::net
