// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/medium.h"

#include <algorithm>
#include <utility>

#include "core/base.h"
#include "sim/engine/draws.h"

namespace penstock::net {

namespace {

constexpr std::uint32_t kGapBytes = 12;   // 96 bit times between frames
constexpr std::uint32_t kSlotBytes = 64;  // 512 bit times
constexpr std::uint32_t kJamBytes = 4;
constexpr std::uint32_t kMostAttempts = 16;
constexpr std::uint32_t kMostDoublings = 10;

}  // namespace

Media::Media(const Plan& plan, Topology& topology, Events& events, Queues& queues,
             Forwarder& forwarder)
    : seed_(plan.seed),
      topology_(topology),
      events_(events),
      queues_(queues),
      forwarder_(forwarder),
      stations_(queues.size()) {
  for (const std::vector<std::uint32_t>& links : plan.media) {
    const auto medium = static_cast<std::uint32_t>(media_.size());
    media_.push_back({.link = links.front()});
    for (const std::uint32_t link : links) {
      std::optional<Station>& station = stations_[topology.queue_of(link)];
      if (!station) station = Station{medium};
    }
  }
}

void Media::contend(std::uint32_t queue) {
  PST_REQUIRE(stations_[queue]);
  Station& station = *stations_[queue];
  Medium& medium = media_[station.medium];
  PST_REQUIRE(station.medium < media_.size());
  if (station.busy || queues_.served(queue)->empty()) return;
  station.busy = true;
  if (medium.idle_ns > events_.now_ns()) {
    events_.schedule(kContend, queue, medium.idle_ns);
    return;
  }
  if (medium.senders.empty()) {
    medium.start_ns = events_.now_ns();
    events_.schedule(kResolve, station.medium,
                     events_.now_ns() + topology_.links[medium.link].delay_ns);
  }
  PST_REQUIRE(std::find(medium.senders.begin(), medium.senders.end(), queue) ==
              medium.senders.end());  // a station sends one frame at a time
  medium.senders.push_back(queue);
}

void Media::try_again(std::uint32_t queue) {
  PST_REQUIRE(stations_[queue] && stations_[queue]->busy);
  stations_[queue]->busy = false;
  contend(queue);
}

// No other station starts now.
void Media::resolve(std::uint32_t number) {
  Medium& medium = media_[number];
  PST_REQUIRE(!medium.senders.empty() && medium.start_ns <= events_.now_ns());
  const std::vector<std::uint32_t> senders = std::exchange(medium.senders, {});
  const Link& any = topology_.links[medium.link];
  if (senders.size() == 1) return send_frame(senders.front(), medium);
  const std::uint64_t jammed_ns = events_.now_ns() + any.time_ns(kJamBytes);
  medium.idle_ns = jammed_ns + any.delay_ns + any.time_ns(kGapBytes);
  for (const std::uint32_t queue : senders) back_off(queue, jammed_ns, any.time_ns(kSlotBytes));
}

std::uint32_t Media::take(std::uint32_t queue) {
  ServedQueue& q = *queues_.served(queue);
  const std::uint32_t index = q.take(events_.now_ns());
  forwarder_.lose_from(q);
  PST_ENSURE(q.lost().empty() && (index != engine::kNone || q.empty()));
  return index;
}

void Media::send_frame(std::uint32_t queue, Medium& medium) {
  PST_REQUIRE(stations_[queue]->busy && medium.idle_ns <= events_.now_ns());
  Station& station = *stations_[queue];
  const std::uint32_t index = take(queue);
  station.busy = false;
  station.attempts = 0;
  if (index == engine::kNone) return;  // the discipline dropped all that waited
  const Record& r = events_[index];
  Link& link = topology_.links[topology_.way(r.target())[r.segment.hop].link];
  const std::uint64_t wire_bytes = packet_bytes(r.segment) + link.overhead_bytes;
  link.busy_until_ns = std::max(medium.start_ns + link.time_ns(wire_bytes), events_.now_ns());
  queues_.served(queue)->count_wire(wire_bytes, link, link.busy_until_ns);
  PST_ENSURE(link.busy_until_ns >= events_.now_ns());
  medium.idle_ns = link.busy_until_ns + link.delay_ns + link.time_ns(kGapBytes);
  PST_ENSURE(medium.idle_ns > events_.now_ns());
  forwarder_.leave(index, link);
  contend(queue);
}

void Media::back_off(std::uint32_t queue, std::uint64_t from_ns, std::uint64_t slot_ns) {
  Station& station = *stations_[queue];
  PST_REQUIRE(station.busy && from_ns >= events_.now_ns());
  station.busy = false;
  PST_REQUIRE(station.attempts < kMostAttempts);
  if (++station.attempts == kMostAttempts) {
    station.attempts = 0;
    const std::uint32_t index = take(queue);
    if (index != engine::kNone) forwarder_.lose(index);
    return contend(queue);
  }
  const std::uint32_t doublings = std::min(station.attempts, kMostDoublings);
  engine::Draws draws(seed_, engine::Purpose::kBackoff, queue, station.collisions++);
  const std::uint64_t slots = draws.bits64() >> (64 - doublings);
  PST_ENSURE(slots < std::uint64_t{1} << doublings);
  station.busy = true;
  events_.schedule(kContend, queue, from_ns + slots * slot_ns);
}

}  // namespace penstock::net
