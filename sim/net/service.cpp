// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/service.h"

namespace penstock::net {

Service::Service(const Plan& plan, Topology& topology, Events& events, Queues& queues,
                 Forwarder& forwarder, Media& media)
    : topology_(topology), events_(events), queues_(queues), forwarder_(forwarder), media_(media) {
  for (const std::uint32_t link : topology.queue_links) {
    const auto trace = plan.traces.find(link);
    followers_.push_back(trace == plan.traces.end() ? nullptr
                                                    : std::make_unique<Follower>(trace->second));
    devices_.push_back({plan.limits.at(link).device_packets, {}});
  }
}

// Departures due at the same time come first, as with replayed departures.
void Service::hold(std::uint32_t index, std::uint32_t queue) {
  serve(queue);
  PST_REQUIRE(queues_.served(queue));
  ServedQueue& q = *queues_.served(queue);
  q.hold(index, events_.now_ns());
  forwarder_.lose_from(q);
  PST_ENSURE(q.lost().empty());
  serve(queue);
}

void Service::on_free(std::uint32_t queue) {
  PST_REQUIRE(queues_.served(queue) && queues_.served(queue)->armed);
  queues_.served(queue)->armed = false;
  serve(queue);
}

void Service::serve(std::uint32_t queue) {
  if (follows(queue)) {
    follow(queue);
  } else if (media_.serves(queue)) {
    media_.contend(queue);
  } else {
    send_all_due(queue);
  }
}

std::uint32_t Service::take(ServedQueue& q) {
  const std::uint32_t index = q.take(events_.now_ns());
  forwarder_.lose_from(q);
  PST_ENSURE(q.lost().empty());
  PST_ENSURE(index != engine::kNone || q.empty());
  return index;
}

void Service::wait(ServedQueue& q, std::uint32_t queue, std::uint64_t until_ns) {
  PST_REQUIRE(until_ns >= events_.now_ns());
  if (q.armed) return;
  q.armed = true;
  events_.schedule(kServe, queue, until_ns);
}

// A packet keeps the rate with which it started, so Link::set_rate() may be called at any time.
void Service::send_all_due(std::uint32_t queue) {
  ServedQueue& q = *queues_.served(queue);
  Link& link = topology_.links[topology_.queue_links[queue]];
  auto& [room, starts_ns] = devices_[queue];
  while (!starts_ns.empty() && starts_ns.front() <= events_.now_ns()) starts_ns.pop_front();
  while (link.busy_until_ns <= events_.now_ns() || starts_ns.size() < room) {
    const std::uint32_t index = take(q);
    if (index == engine::kNone) return;
    const std::uint32_t ip_bytes = packet_bytes(events_[index].segment);
    const std::uint64_t start_ns = link.transmit(ip_bytes, events_.now_ns());
    PST_ENSURE(start_ns == events_.now_ns() || room);
    if (start_ns > events_.now_ns()) starts_ns.push_back(start_ns);
    q.count_wire(ip_bytes + link.overhead_bytes, link, link.busy_until_ns);
    forwarder_.leave(index, link);
  }
  PST_ENSURE(link.busy_until_ns > events_.now_ns() && starts_ns.size() <= room);
  if (!q.empty()) wait(q, queue, room ? starts_ns.front() : link.busy_until_ns);
}

// Opportunities with an empty queue are lost.
void Service::follow(std::uint32_t queue) {
  ServedQueue& q = *queues_.served(queue);
  Follower& f = *followers_[queue];
  Link& link = topology_.links[topology_.queue_links[queue]];
  PST_REQUIRE(follows(queue));
  const std::uint64_t now_ns = events_.now_ns();
  if (!f.counting()) f.begin_counting(now_ns);
  const auto idle = [&] { return q.empty() && f.packet() == engine::kNone; };
  while (!idle() && f.next_ns() <= now_ns) {
    use_opportunity(q, f, link);
    f.pass();
  }
  if (idle()) return f.pass_until(now_ns);
  PST_ENSURE(f.next_ns() > now_ns);
  wait(q, queue, f.next_ns());
}

void Service::use_opportunity(ServedQueue& q, Follower& f, Link& link) {
  for (std::uint64_t room_bytes = Opportunities::kBytes; room_bytes > 0;) {
    if (f.packet() == engine::kNone) {
      const std::uint32_t next = take(q);
      if (next == engine::kNone) return;
      f.begin(next, packet_bytes(events_[next].segment) + link.overhead_bytes);
    }
    const std::uint32_t packet = f.packet();
    [[maybe_unused]] const std::uint64_t before_bytes = room_bytes;
    if (!f.send(room_bytes)) return;
    PST_ENSURE(room_bytes < before_bytes);  // or it would not end
    link.busy_until_ns = events_.now_ns();
    forwarder_.leave(packet, link);
  }
}

std::uint32_t Service::sending(std::uint32_t queue) const {
  return follows(queue) ? followers_[queue]->packet() : engine::kNone;
}

void Service::begin_counting() {
  for (const auto& follower : followers_)
    if (follower && follower->counting()) follower->begin_counting(events_.now_ns());
}

double Service::utilisation(std::uint32_t queue) {
  PST_REQUIRE(follows(queue));
  return followers_[queue]->utilisation(events_.now_ns());
}

}  // namespace penstock::net
