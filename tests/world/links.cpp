// SPDX-License-Identifier: GPL-2.0-only
// The links of a world: their faults, the queue of the bottleneck, and fragments.
#include "tests/world/world.h"

namespace penstock::world {

namespace {

constexpr u32 kHeaderBytes = 54;
constexpr u64 kMostLateNs = 50 * kMs;
constexpr u64 kMostReplayNs = 10 * kSecond;

}  // namespace

// By the faults of one place of the path, in the order in which they began.
void World::send(const Packet& packet, u8 place) {
  Packet p = packet;
  u64 wait_ns = 0;
  bool cut = false;
  u32 copies = 1;
  for (Active& a : active_) {
    if (a.event->place != place) continue;
    const bool hit = a.draw.percent(a.event->value);
    switch (static_cast<Kind>(a.event->kind)) {
      case Kind::k_lose:
        if (hit) return;
        break;
      case Kind::k_twice:
        copies += hit;
        break;
      case Kind::k_late:
        if (hit) wait_ns += a.draw.below(kMostLateNs);
        break;
      case Kind::k_damage:
        if (hit && !p.damage) p.damage = 1 + static_cast<u32>(a.draw.below(1U << 20));
        break;
      case Kind::k_cut:
        cut = cut || (hit && p.part == Part::kWhole && !p.damage);
        break;
      case Kind::k_replay:
        if (hit) travel(p, place, a.draw.below(kMostReplayNs));
        break;
      default:
        break;
    }
  }
  for (; copies; --copies) {
    if (!cut) {
      travel(p, place, wait_ns);
      continue;
    }
    p.part = Part::kFirst;
    travel(p, place, wait_ns);
    p.part = Part::kSecond;
    travel(p, place, wait_ns);
  }
}

// The wait of a packet in the bottleneck's queue; kNever if it is full. `marks`: it is
// more than half full.
u64 World::queue_ns(u32 bytes, bool& marks) {
  const u64 rate = script_.settings.rate_kbps * 125;  // bytes per second
  const u64 busy_ns = free_ns_ > now_ns_ ? free_ns_ - now_ns_ : 0;
  if (busy_ns * rate / kSecond + bytes > script_.settings.buffer_bytes) return kNever;
  marks = busy_ns * rate / kSecond > script_.settings.buffer_bytes / 2;
  free_ns_ = now_ns_ + busy_ns + bytes * kSecond / rate;
  return free_ns_ - now_ns_;
}

void World::travel(const Packet& packet, u8 place, u64 wait_ns) {
  const bool near = place == kGatewayForward || place > kGatewayBack;
  Packet p = packet;
  u64 ns = wait_ns + (near ? script_.settings.near_us : script_.settings.far_us) * kUs;
  if (place == kToFar) {
    bool marks = false;
    const u64 queued_ns = queue_ns(packet.segment.payload_bytes + kHeaderBytes, marks);
    if (queued_ns == kNever) return;
    if (marks && p.segment.ecn != kNotEct) p.segment.ecn = kCe;
    ns += queued_ns;
  }
  schedule(now_ns_ + ns, What::kArrive, keep(p), place);
}

// True if the packet is whole, or the last of its fragments.
bool World::completes(const Packet& packet) {
  if (packet.part == Part::kWhole) return true;
  u8& parts = parts_[packet.id];
  parts = static_cast<u8>(parts | (packet.part == Part::kFirst ? 1 : 2));
  if (parts != 3) return false;
  parts_.erase(packet.id);
  return true;
}

}  // namespace penstock::world
