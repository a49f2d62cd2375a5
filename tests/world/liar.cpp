// SPDX-License-Identifier: GPL-2.0-only
// What is sent by somebody who sees nothing of the connections that he names.
#include "tests/world/world.h"

namespace penstock::world {

namespace {

constexpr u64 kStepNs = 2 * kMs;

u32 number(Draw& draw) { return static_cast<u32>(draw.next()); }

}  // namespace

// The connection that a liar names; null if the script has none of that number.
const Flow* World::flow_of(const Event& event) const {
  for (const Flow& f : script_.flows)
    if (f.number == event.flow) return &f;
  return nullptr;
}

// It enters at the gateway, as from that end.
void World::inject(const Segment& segment, u64 after_ns) {
  Packet p;
  p.segment = segment;
  p.id = ids_++;
  p.forged = true;
  schedule(now_ns_ + after_ns, What::kLie, keep(p), segment.from_near ? 0 : 2);
}

Segment World::forged(const Flow& flow, bool from_near) const {
  Segment s;
  s.flow = wire_of(flow);
  s.ipv6 = flow.ipv6 != 0;
  s.from_near = from_near;
  s.flags = kAck;
  s.window = 500;
  return s;
}

void World::forge_handshake(const Event& event, Draw& draw) {
  const Flow* const flow = flow_of(event);
  if (!flow) return;
  const bool near = !(event.value & 16);
  const u32 opener = number(draw), answer = number(draw);
  Segment s = forged(*flow, near);
  s.flags = kSyn;
  s.seq = opener;
  s.mss = 1460;
  s.scale = event.value & 15;
  inject(s, 0);
  s.from_near = !near;
  s.flags = kSyn | kAck;
  s.seq = answer;
  s.ack = opener + 1;
  inject(s, kStepNs);
  s = forged(*flow, near);
  s.seq = opener + 1;
  s.ack = answer + 1;
  inject(s, 2 * kStepNs);
  if (!(event.value & 32)) return;
  s.from_near = true;
  s.seq = near ? opener + 1 : answer + 1;
  s.ack = near ? answer + 1 : opener + 1;
  s.payload_bytes = 1000;
  inject(s, 3 * kStepNs);
  std::swap(s.seq, s.ack);
  s.ack += 1000;
  s.payload_bytes = 0;
  s.from_near = false;
  inject(s, 4 * kStepNs);
}

void World::forge_acks(const Event& event, Draw& draw) {
  const Flow* const flow = flow_of(event);
  if (!flow) return;
  Segment s = forged(*flow, false);
  s.seq = number(draw);
  s.ack = number(draw);
  s.window = static_cast<u16>(event.value);
  inject(s, 0);
  s.ack += 1U << 31;
  inject(s, kStepNs);
}

void World::forge_blind(const Event& event, Draw& draw) {
  const Flow* const flow = flow_of(event);
  if (!flow) return;
  Segment s = forged(*flow, draw.percent(50));
  s.flags = static_cast<u16>(event.value);
  s.seq = number(draw);
  s.ack = number(draw);
  s.window = static_cast<u16>(draw.next());
  s.payload_bytes = draw.percent(50) ? static_cast<u32>(draw.below(1400)) : 0;
  s.mss = static_cast<u32>(draw.below(65536));
  s.scale = static_cast<u32>(draw.below(256));
  inject(s, 0);
}

// SYNs, or whole handshakes, of connections that have nothing to do with those of the script.
void World::others(const Event& event, Draw& draw) {
  const bool whole = event.kind == static_cast<u64>(Kind::k_crowd);
  for (u64 i = 0; i < event.value; ++i) {
    Flow other;
    other.number = 256 + draw.below(1U << 20);
    const u64 after_ns = draw.below(event.for_us + 1) * kUs;
    Segment s = forged(other, true);
    s.flags = kSyn;
    s.seq = number(draw);
    s.mss = 1460;
    s.scale = 7;
    inject(s, after_ns);
    if (!whole) continue;
    s.from_near = false;
    s.flags = kSyn | kAck;
    s.ack = s.seq + 1;
    s.seq = number(draw);
    inject(s, after_ns + kStepNs);
    s.from_near = true;
    s.flags = kAck;
    std::swap(s.seq, s.ack);
    ++s.ack;
    s.mss = 0;
    inject(s, after_ns + 2 * kStepNs);
  }
}

void World::lie(const Event& event) {
  Draw draw(event.draw);
  switch (static_cast<Kind>(event.kind)) {
    case Kind::k_handshake:
      return forge_handshake(event, draw);
    case Kind::k_blind_acks:
      return forge_acks(event, draw);
    case Kind::k_blind:
      return forge_blind(event, draw);
    default:
      return others(event, draw);
  }
}

}  // namespace penstock::world
