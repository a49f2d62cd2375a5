// SPDX-License-Identifier: GPL-2.0-only
// Links that change during a run, and links that follow a trace of opportunities.
#include <algorithm>
#include <utility>

#include "sim/net/simulation.h"

namespace penstock::net {

void Simulation::make_changes() {
  for (const auto& [link, changes] : network_.changes()) {
    for (const LinkChange& change : changes) {
      schedule(kChange, static_cast<std::uint32_t>(changes_.size()), change.at_ns);
      changes_.push_back({link, change});
    }
  }
}

// Packets in flight keep the delay with which they departed, so that with a shorter delay later
// packets overtake them. Gateways keep the configured rate.
void Simulation::change_link(const Change& change) {
  Link& link = topology_.links[change.link];
  if (change.to.rate_bps) link.set_rate(*change.to.rate_bps);
  if (change.to.delay_ns) link.delay_ns = *change.to.delay_ns;
  if (change.to.loss_ratio)
    losses_[topology_.extras[link.extras].loss].set_ratio(*change.to.loss_ratio);
}

// Opportunities with an empty queue are lost.
void Simulation::follow(std::uint32_t queue) {
  ServedQueue& q = *served_[queue];
  Follower& f = *followers_[queue];
  Link& link = topology_.links[topology_.queue_links[queue]];
  if (!f.counting()) f.begin_counting(now_ns_);
  const auto idle = [&] { return q.empty() && f.packet() == engine::kNone; };
  while (!idle() && f.next_ns() <= now_ns_) {
    use_opportunity(q, f, link);
    f.pass();
  }
  if (idle()) return f.pass_until(now_ns_);
  if (q.armed) return;
  q.armed = true;
  schedule(kServe, queue, f.next_ns());
}

void Simulation::use_opportunity(ServedQueue& q, Follower& f, Link& link) {
  for (std::uint64_t room_bytes = Opportunities::kBytes; room_bytes > 0;) {
    if (f.packet() == engine::kNone) {
      const std::uint32_t next = q.take(now_ns_);
      end_lost(q);
      if (next == engine::kNone) return;
      f.begin(next, packet_bytes(wheel_.pool()[next].segment) + link.overhead_bytes);
    }
    const std::uint32_t packet = f.packet();
    if (!f.send(room_bytes)) return;
    link.busy_until_ns = now_ns_;
    leave(packet, link);
  }
}

}  // namespace penstock::net
