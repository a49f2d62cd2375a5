// SPDX-License-Identifier: GPL-2.0-only
// CSMA/CD, IEEE 802.3 clause 4.2.3: 1-persistent, with truncated binary exponential backoff. All
// stations of a medium are one propagation delay apart. Stations that start within that time of
// each other collide.
#include <algorithm>
#include <utility>

#include "sim/engine/draws.h"
#include "sim/net/simulation.h"

namespace penstock::net {

namespace {

constexpr std::uint32_t kGapBytes = 12;   // 96 bit times between frames
constexpr std::uint32_t kSlotBytes = 64;  // 512 bit times
constexpr std::uint32_t kJamBytes = 4;
constexpr std::uint32_t kMostAttempts = 16;
constexpr std::uint32_t kMostDoublings = 10;

std::uint64_t bytes_ns(const Link& link, std::uint64_t bytes) {
  return bytes * link.ns_per_byte_q20 >> 20;
}

}  // namespace

void Simulation::make_media() {
  stations_.resize(queues_.size());
  for (const std::vector<std::uint32_t>& links : network_.media()) {
    const auto medium = static_cast<std::uint32_t>(media_.size());
    media_.push_back({.link = links.front()});
    for (const std::uint32_t link : links) {
      std::unique_ptr<Station>& station = stations_[topology_.queue_of(link)];
      if (!station) station = std::make_unique<Station>(Station{medium});
    }
  }
}

// The station of `queue` sends its first packet, if any, or defers.
void Simulation::contend(std::uint32_t queue) {
  Station& station = *stations_[queue];
  Medium& medium = media_[station.medium];
  if (station.busy || served_[queue]->empty()) return;
  station.busy = true;
  if (medium.idle_ns > now_ns_) {
    schedule(kContend, queue, medium.idle_ns);
    return;
  }
  if (medium.senders.empty()) {
    medium.start_ns = now_ns_;
    schedule(kResolve, station.medium, now_ns_ + topology_.links[medium.link].delay_ns);
  }
  medium.senders.push_back(queue);
}

// By now every station senses the carrier, so no other starts.
void Simulation::resolve(std::uint32_t number) {
  Medium& medium = media_[number];
  const std::vector<std::uint32_t> senders = std::exchange(medium.senders, {});
  const Link& any = topology_.links[medium.link];
  if (senders.size() == 1) return send_frame(senders.front(), medium);
  const std::uint64_t jammed_ns = now_ns_ + bytes_ns(any, kJamBytes);
  medium.idle_ns = jammed_ns + any.delay_ns + bytes_ns(any, kGapBytes);
  for (const std::uint32_t queue : senders) back_off(queue, jammed_ns, bytes_ns(any, kSlotBytes));
}

void Simulation::send_frame(std::uint32_t queue, Medium& medium) {
  Station& station = *stations_[queue];
  ServedQueue& q = *served_[queue];
  const std::uint32_t index = q.take(now_ns_);
  end_lost(q);
  station.busy = false;
  station.attempts = 0;
  if (index == engine::kNone) return;  // the discipline dropped all that waited
  const Record& r = wheel_.pool()[index];
  Link& link = topology_.links[topology_.way(r.target())[r.segment.hop].link];
  const std::uint64_t wire_ns = link.serialisation_ns(packet_bytes(r.segment));
  link.busy_until_ns = std::max(medium.start_ns + wire_ns, now_ns_);
  q.count_wire(wire_ns, link.busy_until_ns);
  medium.idle_ns = link.busy_until_ns + link.delay_ns + bytes_ns(link, kGapBytes);
  leave(index, link);
  contend(queue);
}

void Simulation::back_off(std::uint32_t queue, std::uint64_t from_ns, std::uint64_t slot_ns) {
  Station& station = *stations_[queue];
  station.busy = false;
  if (++station.attempts == kMostAttempts) {
    station.attempts = 0;
    const std::uint32_t index = served_[queue]->take(now_ns_);
    end_lost(*served_[queue]);
    if (index != engine::kNone)
      lose(index, flows_[wheel_.pool()[index].target() / 2].dropped_random);
    return contend(queue);
  }
  const std::uint32_t doublings = std::min(station.attempts, kMostDoublings);
  engine::Draws draws(network_.seed(), engine::Purpose::kBackoff, queue, station.collisions++);
  const std::uint64_t slots = draws.bits64() >> (64 - doublings);
  station.busy = true;
  schedule(kContend, queue, from_ns + slots * slot_ns);
}

}  // namespace penstock::net
