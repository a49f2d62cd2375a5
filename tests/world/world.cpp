// SPDX-License-Identifier: GPL-2.0-only
#include "tests/world/world.h"

#include <algorithm>

namespace penstock::world {

namespace {

constexpr u32 kFarIsn = 0x5bd1e995;
constexpr u32 kNearBuffer = 262'144;
constexpr u64 kSettledNs = 20 * kSecond;  // after the last event
constexpr u64 kPairNs = 200 * kUs;  // packets of two CPUs come so close

HostPlan plan_of(const Flow& f, bool near) {
  HostPlan p;
  p.ipv6 = f.ipv6 != 0;
  p.near = near;
  p.opens = near == !f.far_opens;
  p.bytes = near ? f.near_bytes : f.far_bytes;
  p.pause_ns = near ? f.pause_us * kUs : 0;
  p.mss = static_cast<u32>(near ? f.near_mss : f.far_mss);
  p.scale = static_cast<u32>(near ? f.near_scale : f.far_scale);
  // A buffer below what a shift can say would be a window of zero for ever.
  const u64 least = p.scale == kNoScale ? 4096 : 2ULL << p.scale;
  p.buffer_bytes = static_cast<u32>(std::max(near ? u64{kNearBuffer} : f.far_buffer, least));
  p.isn = static_cast<u32>(near ? f.isn : f.isn + kFarIsn);
  p.sack = f.sack != 0;
  p.ecn = static_cast<u8>(f.ecn);
  p.deaf = f.deaf != 0;
  p.stall_ns = near ? 0 : f.stall_us * kUs;
  p.stall_bytes = f.near_bytes / 2;
  return p;
}

}  // namespace

World::World(const Script& script, bool has_gateway)
    : script_(script), fairness_(script.settings.rate_kbps * 125) {
  if (has_gateway) gateway_.emplace(script.settings);
  if (gateway_) gateway_->attach(0);
  for (u32 i = 0; i < script.flows.size(); ++i) add_flow(i);
  for (u32 i = 0; i < script.events.size(); ++i) {
    schedule(script.events[i].at_us * kUs, What::kBegin, i);
    schedule((script.events[i].at_us + script.events[i].for_us) * kUs, What::kEnd, i);
  }
  open_ = ends_.size();
  schedule(script.settings.heal_us * kUs + kSettledNs, What::kSample, 0);
}

u32 World::wire_of(const Flow& flow) const {
  for (const Flow& f : script_.flows)
    if (flow.again && f.number == flow.again) return wire_of(f);
  return static_cast<u32>(flow.number);
}

void World::add_flow(u32 index) {
  const Flow& f = script_.flows[index];
  const u32 wire = wire_of(f);
  HostPlan near = plan_of(f, true), far = plan_of(f, false);
  near.flow = far.flow = wire;
  ends_.push_back({.near = Host(near), .far = Host(far), .wire = wire});
  if (wire != f.number) return;  // once the one before is over
  index_of_[wire] = index;
  schedule(f.start_us * kUs, What::kFlow, index);
}

void World::open_flow(u32 index) {
  Ends& e = ends_[index];
  const Flow& f = script_.flows[index];
  if (index_of_[e.wire] != index && gateway_) gateway_->forget(e.wire);
  index_of_[e.wire] = index;
  (f.far_opens ? e.far : e.near).open(now_ns_);
  if (f.quits_us) schedule(now_ns_ + f.quits_us * kUs, What::kQuit, index);
  flush(e, !f.far_opens);
}

// It has ended, or vanishes: others may have its ports.
void World::close_flow(u32 index) {
  if (std::exchange(ends_[index].over, true)) return;
  --open_;
  for (u32 i = 0; i < script_.flows.size(); ++i)
    if (script_.flows[i].again == script_.flows[index].number)
      schedule(now_ns_ + script_.flows[i].start_us * kUs, What::kFlow, i);
}

void World::schedule(u64 at_ns, What what, u32 index, u8 place) {
  items_.push({at_ns, order_++, what, place, index});
}

Outcome World::play(u64 until_ns) {
  Outcome outcome;
  try {
    while (open_ && now_ns_ < until_ns) {
      const u64 next_ns = items_.empty() ? until_ns : items_.top().at_ns;
      if (gateway_ && gateway_->due_ns() < std::min(next_ns, until_ns)) {
        now_ns_ = std::max(now_ns_, gateway_->due_ns());
        gateway_->run_timers(now_ns_);
        continue;
      }
      now_ns_ = std::min(next_ns, until_ns);
      if (now_ns_ == until_ns) break;
      const Item item = items_.top();
      items_.pop();
      happen(item);
    }
  } catch (const Broken& broken) {
    outcome.broken = broken.what();
  }
  for (const Ends& e : ends_) outcome.ended_ns.push_back(e.ended_ns);
  outcome.until_ns = now_ns_;
  outcome.packets = passed_;
  outcome.least_percent = least_percent_;
  outcome.least_mixed_percent = least_mixed_percent_;
  return outcome;
}

void World::happen(const Item& item) {
  switch (item.what) {
    case What::kArrive: {
      const Packet packet = packets_[item.index];
      free_packets_.push_back(item.index);
      arrive(packet, item.place);
      break;
    }
    case What::kFlow:
      open_flow(item.index);
      break;
    case What::kQuit:
      close_flow(item.index);
      break;
    case What::kSample:
      sample();
      break;
    case What::kHost: {
      Ends& e = ends_[item.index];
      const bool near = item.place != 0;
      e.due_ns[near] = kNever;
      if (e.over && e.ended_ns == kNever) break;
      Host& host = near ? e.near : e.far;
      if (host.due_ns() <= now_ns_) host.on_time(now_ns_);
      flush(e, near);
      break;
    }
    case What::kBegin:
      begin(script_.events[item.index]);
      break;
    case What::kEnd:
      end(script_.events[item.index]);
      break;
    case What::kPass:
      if (waiting_) {
        const auto [packet, place] = *std::exchange(waiting_, std::nullopt);
        go_on(packet, place);
      }
      break;
    case What::kLie: {
      const Packet packet = packets_[item.index];
      free_packets_.push_back(item.index);
      send(packet, item.place);
      break;
    }
  }
}

// What a host has to say, and when it wants to be asked again.
void World::flush(Ends& ends, bool near) {
  Host& host = near ? ends.near : ends.far;
  const std::vector<Segment> out = std::exchange(host.out(), {});
  for (const Segment& s : out) {
    Packet p;
    p.segment = s;
    p.id = ids_++;
    p.shift = host.receive_shift();
    send(p, near ? kGatewayForward : kGatewayBack);
  }
  const u64 due = host.due_ns();
  if (due < ends.due_ns[near]) {
    ends.due_ns[near] = due;
    schedule(std::max(due, now_ns_), What::kHost, static_cast<u32>(&ends - ends_.data()), near);
  }
  if (ends.ended_ns == kNever && ends.near.done() && ends.far.done()) {
    ends.ended_ns = now_ns_;
    close_flow(static_cast<u32>(&ends - ends_.data()));
  }
}

bool World::active(Kind kind, u64 value) const {
  return std::any_of(active_.begin(), active_.end(), [=](const Active& a) {
    return a.event->kind == static_cast<u64>(kind) && a.event->value == value;
  });
}

const World::Active* World::acting(Kind kind) const {
  for (const Active& a : active_)
    if (a.event->kind == static_cast<u64>(kind)) return &a;
  return nullptr;
}

// Its index in packets_ until it arrives.
u32 World::keep(const Packet& packet) {
  if (free_packets_.empty()) {
    packets_.push_back(packet);
    return static_cast<u32>(packets_.size() - 1);
  }
  const u32 index = free_packets_.back();
  free_packets_.pop_back();
  packets_[index] = packet;
  return index;
}

void World::arrive(const Packet& packet, u8 place) {
  if (place == kGatewayForward || place == kGatewayBack)
    at_gateway(packet, place);
  else
    deliver(packet);
}

bool World::is_unseen(const Packet& packet) const {
  if (!(packet.segment.flags & kSyn)) return false;
  const auto found = index_of_.find(packet.segment.flow);
  return found != index_of_.end() && script_.flows[found->second].unseen;
}

void World::at_gateway(const Packet& packet, u8 place) {
  ++passed_;
  const bool passes = gateway_ && gateway_->attached() && !is_unseen(packet) &&
                      !active(Kind::k_route, place == kGatewayBack);
  if (gateway_) gateway_->note(packet, passes);
  if (!passes) {
    send(packet, static_cast<u8>(place + 1));
    return;
  }
  const Active* const cpus = acting(Kind::k_cpus);
  if (!waiting_) {
    if (!cpus) {
      go_on(packet, place);
      return;
    }
    waiting_ = {packet, place};
    schedule(now_ns_ + kPairNs, What::kPass, 0);
    return;
  }
  auto [first, first_place] = *std::exchange(waiting_, std::nullopt);
  Packet second = packet;
  bool passed[2];
  gateway_->pass_both(first, second, cpus ? cpus->event->value : 0, now_ns_, passed);
  if (passed[0]) send(first, static_cast<u8>(first_place + 1));
  if (passed[1]) send(second, static_cast<u8>(place + 1));
}

void World::go_on(const Packet& packet, u8 place) {
  Packet p = packet;
  if (!gateway_->attached() || gateway_->pass(p, now_ns_)) send(p, static_cast<u8>(place + 1));
}

void World::deliver(const Packet& packet) {
  if (packet.damage || !completes(packet)) return;
  const auto found = index_of_.find(packet.segment.flow);
  if (found == index_of_.end()) return;
  Ends& e = ends_[found->second];
  if (e.over && e.ended_ns == kNever) return;
  const bool near = !packet.segment.from_near;
  (near ? e.near : e.far).on_segment(packet.segment, now_ns_);
  flush(e, near);
}

void World::begin(const Event& event) {
  Draw draw(event.draw);
  switch (static_cast<Kind>(event.kind)) {
    case Kind::k_handshake:
    case Kind::k_blind_acks:
    case Kind::k_blind:
    case Kind::k_flood:
    case Kind::k_crowd:
      lie(event);
      return;
    default:
      active_.push_back({&event, draw});
  }
  if (!gateway_) return;
  switch (static_cast<Kind>(event.kind)) {
    case Kind::k_detach:
      gateway_->detach();
      break;
    case Kind::k_restart:
      gateway_->restart(now_ns_);
      break;
    case Kind::k_observe:
      gateway_->observe(true);
      gateway_->restart(now_ns_);
      break;
    case Kind::k_set:
      gateway_->set_rate(event.value);
      gateway_->restart(now_ns_);
      break;
    case Kind::k_stop_clock:
      gateway_->stop_clock(true);
      break;
    case Kind::k_leap:
      gateway_->leap(event.value * kMs);
      break;
    case Kind::k_refuse:
      gateway_->refuse(event.value);
      break;
    default:
      break;
  }
}

void World::end(const Event& event) {
  std::erase_if(active_, [&event](const Active& a) { return a.event == &event; });
  if (!gateway_) return;
  switch (static_cast<Kind>(event.kind)) {
    case Kind::k_detach:
      if (!acting(Kind::k_detach)) gateway_->attach(now_ns_);
      break;
    case Kind::k_observe:
      gateway_->observe(acting(Kind::k_observe));
      gateway_->restart(now_ns_);
      break;
    case Kind::k_set:
      gateway_->set_rate(100);
      gateway_->restart(now_ns_);
      break;
    case Kind::k_stop_clock:
      gateway_->stop_clock(acting(Kind::k_stop_clock));
      break;
    case Kind::k_refuse:
      gateway_->refuse(0);
      break;
    default:
      break;
  }
}

// What a receiver's buffer permits in the longest round trip.
Progress World::progress_of(u32 index) const {
  const Settings& w = script_.settings;
  const Ends& e = ends_[index];
  const u64 rtt_us = 2 * (w.near_us + w.far_us) + w.buffer_bytes * 8000 / w.rate_kbps;
  const u64 window = std::min<u64>(e.far.plan().buffer_bytes, 65535ULL << e.far.receive_shift());
  Progress p;
  p.bytes = e.far.received_bytes();
  p.wants = !e.over && e.near.wants_more(now_ns_) && !e.far.stalls();
  p.judged = p.wants && (!gateway_ || gateway_->controls(e.wire));
  p.most_bytes_per_s = window * 1'000'000 / rtt_us;
  return p;
}

void World::sample() {
  std::vector<Progress> flows;
  for (u32 i = 0; i < ends_.size(); ++i) flows.push_back(progress_of(i));
  if (const auto share = fairness_.sample(flows)) {
    u64& least = share->mixed ? least_mixed_percent_ : least_percent_;
    least = std::min(least, share->percent);
  }
  schedule(now_ns_ + Fairness::kSampleNs, What::kSample, 0);
}

}  // namespace penstock::world
