// SPDX-License-Identifier: GPL-2.0-only
// Receivers that move between cells. A packet keeps the way on which it was sent: in a cell that
// its receiver has left, or before it has another one, it is lost; so is what the receiver sends
// while it has none. A gateway in the new cell has not seen the handshakes of connections that
// come with the receiver, and leaves them alone.
#include <algorithm>

#include "sim/engine/draws.h"
#include "sim/net/simulation.h"

namespace penstock::net {

namespace {

constexpr std::uint64_t kLeastDwellNs = 1'000'000;
constexpr std::uint64_t kUsers = 1ULL << 32;  // their numbers follow those of flows

}  // namespace

void Simulation::make_mobiles() {
  if (!network_.mobility()) return;
  for (std::uint32_t flow = 0; flow < network_.flows().size(); ++flow)
    if (topology_.moves[flow])
      add_mobile({.who = flow, .owner = flow, .is_user = false}, topology_.ends[flow].dst);
  for (std::uint32_t user = 0; user < users_.size(); ++user) {
    const std::uint32_t flow = lanes_[users_[user].lane].first_flow;
    if (!topology_.moves[flow]) continue;
    users_[user].mobile = static_cast<std::uint32_t>(mobiles_.size());
    add_mobile({.who = kUsers + user, .owner = user, .is_user = true}, topology_.ends[flow].dst);
  }
}

void Simulation::add_mobile(const Mobile& mobile, std::uint32_t cell_node) {
  const MobilitySpec& spec = *network_.mobility();
  const auto index = static_cast<std::uint32_t>(mobiles_.size());
  Mobile& m = mobiles_.emplace_back(mobile);
  const auto cell = std::find(spec.cells.begin(), spec.cells.end(), cell_node);
  m.cell = static_cast<std::uint32_t>(cell - spec.cells.begin());
  engine::Draws draws(network_.seed(), engine::Purpose::kMobility, m.who, m.turn++);
  m.next_ns = spec.dwell_ns.whole(draws, kLeastDwellNs);
  for_flows(m, [&](std::uint32_t flow) {
    locate(flow, m);
    connection(flow).receiver.expect_handover(m.next_ns);
  });
  schedule(kHandover, index, m.next_ns);
}

// The cell is lost, and the next one chosen; or that one is reached.
void Simulation::hand_over(std::uint32_t mobile) {
  const MobilitySpec& spec = *network_.mobility();
  Mobile& m = mobiles_[mobile];
  engine::Draws draws(network_.seed(), engine::Purpose::kMobility, m.who, m.turn++);
  m.attached = !m.attached;
  if (m.attached) {
    m.next_ns = now_ns_ + spec.dwell_ns.whole(draws, kLeastDwellNs);
  } else {
    const auto others = static_cast<double>(spec.cells.size() - 1);
    const auto step = 1 + static_cast<std::uint32_t>(draws.unit() * others);
    m.cell = (m.cell + step) % static_cast<std::uint32_t>(spec.cells.size());
    m.next_ns = now_ns_ + spec.outage_ns.whole(draws, 0);
  }
  for_flows(m, [&](std::uint32_t flow) {
    locate(flow, m);
    if (!m.attached) return;
    Port port(*this, 2 * flow + kSenderSide);
    connection(flow).receiver.expect_handover(m.next_ns);
    connection(flow).receiver.on_handover_done(now_ns_, port);
    arm(2 * flow + kReceiverSide, connection(flow));
  });
  schedule(kHandover, mobile, m.next_ns);
}

void Simulation::locate(std::uint32_t flow, const Mobile& mobile) {
  Flow& f = flows_[flow];
  f.moves = true;
  for (const std::uint32_t side : {kSenderSide, kReceiverSide})
    f.first_hop[side] = topology_.first_of(2 * flow + side, mobile.cell);
  f.last_hop =
      mobile.attached ? topology_.last_of(2 * flow + kReceiverSide, mobile.cell) : std::uint8_t{0};
}

template <class Action>
void Simulation::for_flows(const Mobile& mobile, Action action) {
  if (!mobile.is_user) return action(mobile.owner);
  for (std::size_t i = 0; i < lives_.size(); ++i)
    if (lives_[i].user == mobile.owner)
      action(static_cast<std::uint32_t>(network_.flows().size() + i));
}

}  // namespace penstock::net
