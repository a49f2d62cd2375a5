// SPDX-License-Identifier: GPL-2.0-only
// Links with a served queue: one event per departure while packets are queued.
#include <algorithm>

#include "sim/net/simulation.h"

namespace penstock::net {

// A packet arrives at the queue. Departures due at the same time come first, as with replayed
// departures.
void Simulation::hold(std::uint32_t index, std::uint32_t queue) {
  serve(queue);
  served_[queue]->hold(index, now_ns_);
  end_lost(*served_[queue]);
  serve(queue);
}

void Simulation::end_lost(ServedQueue& q) {
  for (const std::uint32_t index : q.lost())
    lose(index, flows_[wheel_.pool()[index].target() / 2].dropped_queue);
  q.lost().clear();
}

// Sends the next packet, and is scheduled again for when the link is free if more are queued. A
// packet keeps the rate with which it started, so Link::set_rate() may be called at any time.
void Simulation::serve(std::uint32_t queue) {
  if (followers_[queue]) return follow(queue);
  if (stations_[queue]) return contend(queue);
  ServedQueue& q = *served_[queue];
  Link& link = topology_.links[topology_.queue_links[queue]];
  while (link.busy_until_ns <= now_ns_) {
    const std::uint32_t index = q.take(now_ns_);
    end_lost(q);
    if (index == engine::kNone) return;
    const std::uint64_t wire_ns = link.serialisation_ns(packet_bytes(wheel_.pool()[index].segment));
    link.busy_until_ns = now_ns_ + wire_ns;
    q.count_wire(wire_ns, link.busy_until_ns);
    leave(index, link);
  }
  if (q.empty() || q.armed) return;
  q.armed = true;
  schedule(kServe, queue, link.busy_until_ns);
}

// The packet occupies `link` until it is transmitted. It may be lost there, or continues at the
// far end.
void Simulation::leave(std::uint32_t index, const Link& link) {
  Record& r = wheel_.pool()[index];
  const LinkExtras& extras = topology_.extras[link.extras];
  if (extras.capture != kNoIndex) captures_[extras.capture].write(now_ns_, r);
  if (extras.loss != kNoIndex && losses_[extras.loss].loses(r.segment.payload_bytes > 0))
    return lose(index, flows_[r.target() / 2].dropped_random);
  const Hop& hop = topology_.way(r.target())[r.segment.hop++];
  const std::uint64_t at_ns = link.busy_until_ns + link.delay_ns;
  if (hop.straight) return forward(index, r, at_ns);
  r.time_ns = at_ns;
  wheel_.push(index, r);
}

}  // namespace penstock::net
