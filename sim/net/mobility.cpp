// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/mobility.h"

#include <algorithm>

#include "core/base.h"
#include "sim/engine/draws.h"

namespace penstock::net {

namespace {

constexpr std::uint64_t kLeastDwellNs = 1'000'000;
constexpr std::uint64_t kUsers = 1ULL << 32;  // their numbers follow those of flows

}  // namespace

Mobility::Mobility(const Plan& plan, const Topology& topology, Events& events, Flows& flows,
                   Connections& connections)
    : plan_(plan), topology_(topology), events_(events), flows_(flows), connections_(connections) {}

void Mobility::begin() {
  for (std::uint32_t flow = 0; flow < plan_.flows.size(); ++flow)
    if (topology_.moves[flow]) join(add(flow, topology_.ends[flow].dst), flow);
}

std::uint32_t Mobility::add_user(std::uint32_t user, std::uint32_t cell) {
  return add(kUsers + user, cell);
}

std::uint32_t Mobility::add(std::uint64_t who, std::uint32_t cell_node) {
  const MobilitySpec& spec = *plan_.mobility;
  const auto index = static_cast<std::uint32_t>(mobiles_.size());
  Mobile& m = mobiles_.emplace_back(Mobile{.who = who});
  const auto cell = std::find(spec.cells.begin(), spec.cells.end(), cell_node);
  PST_REQUIRE(cell != spec.cells.end());
  m.cell = static_cast<std::uint32_t>(cell - spec.cells.begin());
  engine::Draws draws(plan_.seed, engine::Purpose::kMobility, m.who, m.turn++);
  m.next_ns = spec.dwell_ns.whole(draws, kLeastDwellNs);
  events_.schedule(kHandover, index, m.next_ns);
  return index;
}

void Mobility::join(std::uint32_t mobile, std::uint32_t flow) {
  PST_REQUIRE(mobile < mobiles_.size() && flow < flows_.size());
  Mobile& m = mobiles_[mobile];
  PST_REQUIRE(m.next_ns >= events_.now_ns());
  m.flows.insert(flow);
  locate(flow, m);
  connections_.expect_handover(flow, m.next_ns);
}

// The cell is lost, and the next one chosen; or that one is reached.
void Mobility::hand_over(std::uint32_t mobile) {
  const MobilitySpec& spec = *plan_.mobility;
  Mobile& m = mobiles_[mobile];
  PST_REQUIRE(m.next_ns >= events_.now_ns());
  engine::Draws draws(plan_.seed, engine::Purpose::kMobility, m.who, m.turn++);
  m.attached = !m.attached;
  if (m.attached) {
    m.next_ns = events_.now_ns() + spec.dwell_ns.whole(draws, kLeastDwellNs);
  } else {
    const auto others = static_cast<double>(spec.cells.size() - 1);
    const auto step = 1 + static_cast<std::uint32_t>(draws.unit() * others);
    m.cell = (m.cell + step) % static_cast<std::uint32_t>(spec.cells.size());
    m.next_ns = events_.now_ns() + spec.outage_ns.whole(draws, 0);
  }
  PST_ENSURE(m.next_ns >= events_.now_ns());
  PST_ENSURE(m.cell < spec.cells.size());
  for (const std::uint32_t flow : m.flows) {
    locate(flow, m);
    if (!m.attached) continue;
    connections_.expect_handover(flow, m.next_ns);
    connections_.end_handover(flow);
  }
  events_.schedule(kHandover, mobile, m.next_ns);
}

void Mobility::locate(std::uint32_t flow, const Mobile& mobile) {
  PST_REQUIRE(mobile.cell < plan_.mobility->cells.size());
  Flow& f = flows_[flow];
  f.moves = true;
  for (const std::uint32_t side : {kSenderSide, kReceiverSide})
    f.first_hop[side] = topology_.first_of(2 * flow + side, mobile.cell);
  f.last_hop =
      mobile.attached ? topology_.last_of(2 * flow + kReceiverSide, mobile.cell) : std::uint8_t{0};
}

}  // namespace penstock::net
