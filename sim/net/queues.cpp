// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/queues.h"

namespace penstock::net {

Queues::Queues(const Plan& plan, const Topology& topology, Events& events)
    : plan_(plan), topology_(topology), events_(events) {
  for (const std::uint32_t link : topology.queue_links) {
    add(link);
    const std::uint64_t tick_ns = queues_.back()->gateway().next_tick_ns(0);
    if (tick_ns) events_.schedule(kTick, size() - 1, tick_ns);
  }
  for (std::uint32_t queue = 0; queue < size(); ++queue)
    if (queues_[queue]->gateway().config().passive) pair(queue);
}

// `away` holds what leaves by a device, further down, and its pair what comes in by it.
void Queues::pair(std::uint32_t away) {
  const PlainLink& out = plan_.links[topology_.queue_links[away]];
  for (std::uint32_t back = 0; back < size(); ++back) {
    const PlainLink& in = plan_.links[topology_.queue_links[back]];
    if (out.src == in.dst && out.dst == in.src && queues_[back]->gateway().config().upstream)
      gateway::pair(queues_[away]->gateway(), queues_[back]->gateway());
  }
}

void Queues::add(std::uint32_t link) {
  const auto it = plan_.gateways.find(link);
  const bool gated = it != plan_.gateways.end();
  const pst_gateway_config config = gated ? it->second : gateway::plain_config();
  const QueueLimits& limits = plan_.limits.at(link);
  const PlainLink& plain = plan_.links[link];
  const std::size_t flows = gated ? topology_.ends.size() : 0;
  const engine::Stream random(plan_.seed, engine::Purpose::kQueueDecision, size());
  if (plan_.served(link)) {
    auto held = std::make_unique<ServedQueue>(limits, plain, config, flows, random, events_.pool());
    served_.push_back(held.get());
    queues_.push_back(std::move(held));
  } else {
    served_.push_back(nullptr);
    queues_.push_back(std::make_unique<Queue>(limits, plain, config, flows, random));
  }
  for (std::uint32_t flow = 0; flow < topology_.ends.size(); ++flow) meet(size() - 1, flow);
}

void Queues::meet(std::uint32_t queue, std::uint32_t flow) {
  const Ends& ends = topology_.ends[flow];
  queues_[queue]->gateway().set_group(flow, ends.src, topology_.marks[flow]);
  if (served_[queue]) served_[queue]->meet(flow, ends.src, ends.dst);
  if (plan_.limits.at(topology_.queue_links[queue]).tells_groups)
    queues_[queue]->delays().set_group(flow, topology_.delay_groups[flow]);
}

void Queues::admit(std::uint32_t flow) {
  for (std::uint32_t queue = 0; queue < size(); ++queue) {
    queues_[queue]->gateway().expect(topology_.ends.size());
    meet(queue, flow);
  }
}

void Queues::set_aside(std::uint32_t flow, gateway::Gateway::Aside how) {
  for (const std::unique_ptr<Queue>& queue : queues_) queue->gateway().set_aside(flow, how);
}

void Queues::forget(std::uint32_t flow) {
  for (const std::unique_ptr<Queue>& queue : queues_) queue->gateway().forget(flow);
}

void Queues::tick(std::uint32_t queue) {
  if (const std::uint64_t next_ns = queues_[queue]->tick(events_.now_ns()))
    events_.schedule(kTick, queue, events_.now_ns() + next_ns);
}

}  // namespace penstock::net
