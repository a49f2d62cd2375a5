// SPDX-License-Identifier: GPL-2.0-only
// Users of traffic groups, and their connections. A connection is a slot: when its data and FIN
// are acknowledged and none of its packets is in flight, it is counted, removed from the
// gateways, and free for the next one of its lane. A remaining timer detects the reuse and does
// nothing.
#include <algorithm>
#include <stdexcept>

#include "sim/engine/draws.h"
#include "sim/net/simulation.h"
#include "sim/net/sums.h"

namespace penstock::net {

namespace {

std::size_t size_class(std::uint64_t size_bytes) {
  std::size_t i = 0;
  while (i < kSizeClassBytes.size() && size_bytes > kSizeClassBytes[i]) ++i;
  return i;
}

}  // namespace

void Simulation::make_traffic() {
  for (const TrafficSpec& spec : network_.traffic()) {
    const auto group = static_cast<std::uint32_t>(groups_.size());
    const auto first_lane = static_cast<std::uint32_t>(lanes_.size());
    GroupResult& result = groups_.emplace_back();
    result.name = spec.name;
    result.start_ns = *std::min_element(spec.starts_ns.begin(), spec.starts_ns.end());
    result.users = static_cast<std::uint32_t>(spec.starts_ns.size());
    for (std::size_t i = 0; i < spec.ends.size(); ++i) {
      const auto lane = static_cast<std::uint32_t>(lanes_.size());
      lanes_.push_back({group, static_cast<std::uint32_t>(flows_.size())});
      add_flow(lane);
    }
    for (std::uint32_t i = 0; i < result.users; ++i) {
      const auto user = static_cast<std::uint32_t>(users_.size());
      const auto lane = first_lane + static_cast<std::uint32_t>(i % spec.ends.size());
      users_.push_back(
          {traffic::Source(spec.source, network_.seed(), user, spec.starts_ns[i]), group, lane});
      if (spec.source.ends()) ++unfinished_;
      plan_transfer(user, spec.starts_ns[i]);
    }
  }
  if (unfinished_ > 0) endless_ = false;
}

// Adds the flow with number flows_.size(), whose path is already in topology_.
void Simulation::add_flow(std::uint32_t lane) {
  lanes_[lane].free.push_back(static_cast<std::uint32_t>(flows_.size()));
  lives_.push_back({lane});
  flows_.emplace_back().index = kNoIndex;
}

void Simulation::plan_transfer(std::uint32_t user, std::uint64_t done_ns) {
  User& u = users_[user];
  const std::optional<traffic::Transfer> next = u.source.next(done_ns);
  if (!next) return end_source(user);
  u.size_bytes = next->size_bytes;
  schedule(kTransfer, user, std::max(next->at_ns, now_ns_));
}

void Simulation::begin_transfer(std::uint32_t user) {
  User& u = users_[user];
  const TrafficSpec& spec = network_.traffic()[u.group];
  // A user requests the next page when it has a cell.
  if (spec.source.waits() && u.mobile != kNoIndex && !mobiles_[u.mobile].attached) {
    schedule(kTransfer, user, mobiles_[u.mobile].next_ns);
    return;
  }
  const std::uint64_t size_bytes = u.size_bytes;
  const bool connected = u.flow != kNoIndex;
  const std::uint32_t flow = connected ? u.flow : new_connection(user, size_bytes);
  if (spec.persistent) u.flow = flow;
  GroupCounters& counters = groups_[u.group].counters;
  ++counters.transfers;
  counters.transfer_bytes += size_bytes;
  ++u.open_transfers;
  std::vector<Begun>& begun = life(flow).begun;
  const std::uint64_t from =
      begun.empty() ? connection(flow).receiver.counters().bytes_received : begun.back().end_bytes;
  begun.push_back({now_ns_, size_bytes, from + size_bytes});
  await_next(flow);
  if (connected) {
    Port port(*this, 2 * flow + kReceiverSide);
    connection(flow).sender.write(size_bytes, now_ns_, port);
    arm(2 * flow + kSenderSide, connection(flow));
  } else {
    if (spec.company) companions(flow).enter(flow, company(flow), senders(), now_ns_);
    start(flow);
  }
  if (!spec.source.waits()) plan_transfer(user, now_ns_);
}

std::uint32_t Simulation::new_connection(std::uint32_t user, std::uint64_t size_bytes) {
  User& u = users_[user];
  const TrafficSpec& spec = network_.traffic()[u.group];
  const std::uint32_t flow = take_flow(u.lane);
  life(flow).user = user;
  engine::Draws isn(network_.seed(), engine::Purpose::kTrafficSequence, user, u.connections++);
  const std::uint32_t sender_isn = isn.bits32();
  const auto after = spec.persistent ? tcp::Sender::After::kOpen : tcp::Sender::After::kClose;
  Connection fresh{tcp::Sender(spec.sender, sender_isn, size_bytes, after),
                   tcp::Receiver(spec.receiver, isn.bits32())};
  share(fresh.sender, spec.sender, topology_.ends[flow]);
  std::uint32_t& index = flows_[flow].index;
  if (index == kNoIndex) {
    index = static_cast<std::uint32_t>(connections_.size());
    connections_.push_back(std::move(fresh));
  } else {
    connections_[index] = std::move(fresh);
  }
  if (u.mobile != kNoIndex) {
    locate(flow, mobiles_[u.mobile]);
    connections_[index].receiver.expect_handover(mobiles_[u.mobile].next_ns);
  }
  ++groups_[u.group].counters.connections;
  return flow;
}

std::uint32_t Simulation::take_flow(std::uint32_t lane) {
  Lane& l = lanes_[lane];
  if (l.free.empty()) {
    const std::uint32_t flow = topology_.add_flow_like(l.first_flow);
    if (flow > Record::kMaxTarget / 2)
      throw std::invalid_argument("too many connections are alive at a time");
    add_flow(lane);
    for (const std::unique_ptr<Queue>& queue : queues_) {
      queue->gateway().expect(flows_.size());
      queue->gateway().set_group(flow, topology_.ends[flow].src, topology_.marks[flow]);
    }
  }
  const std::uint32_t flow = l.free.back();
  l.free.pop_back();
  return flow;
}

void Simulation::await_next(std::uint32_t flow) {
  constexpr std::size_t kFew = 64;
  Life& l = life(flow);
  if (l.arrived == l.begun.size() || (l.arrived > kFew && 2 * l.arrived > l.begun.size())) {
    l.begun.erase(l.begun.begin(), l.begun.begin() + static_cast<std::ptrdiff_t>(l.arrived));
    l.arrived = 0;
  }
  flows_[flow].awaited_bytes = l.begun.empty() ? tcp::kNever : l.begun[l.arrived].end_bytes;
}

// The receiver of `flow` has all expected data.
void Simulation::on_received(std::uint32_t flow) {
  flows_[flow].done_ns = static_cast<std::int64_t>(now_ns_);
  if (!of_traffic(flow)) {
    flows_[flow].awaited_bytes = tcp::kNever;
    return;
  }
  while (connection(flow).receiver.counters().bytes_received >= flows_[flow].awaited_bytes) {
    Life& l = life(flow);
    const Begun transfer = l.begun[l.arrived++];
    await_next(flow);
    end_transfer(l.user, transfer);
  }
}

void Simulation::end_transfer(std::uint32_t user, const Begun& transfer) {
  User& u = users_[user];
  GroupResult& group = groups_[u.group];
  const std::uint64_t took_ns = now_ns_ - transfer.at_ns;
  const std::uint32_t mss_bytes = network_.traffic()[u.group].sender.mss_bytes;
  const std::uint64_t segments = (transfer.size_bytes + mss_bytes - 1) / mss_bytes;
  group.completion_ns[size_class(transfer.size_bytes)].add(took_ns);
  group.completed_segments += segments;
  group.segment_rates_per_s += static_cast<double>(segments) * 1e9 /
                               static_cast<double>(std::max<std::uint64_t>(took_ns, 1));
  --u.open_transfers;
  if (u.source.waits()) {
    if (!network_.traffic()[u.group].company) plan_transfer(user, now_ns_);
  } else if (u.ended && u.open_transfers == 0) {
    finish(user);
  }
}

void Simulation::end_source(std::uint32_t user) {
  User& u = users_[user];
  u.ended = true;
  if (u.flow != kNoIndex) {
    Port port(*this, 2 * u.flow + kReceiverSide);
    connection(u.flow).sender.close(now_ns_, port);
    arm(2 * u.flow + kSenderSide, connection(u.flow));
  }
  if (u.open_transfers == 0) finish(user);
}

void Simulation::finish(std::uint32_t user) {
  if (network_.traffic()[users_[user].group].source.ends()) --unfinished_;
}

// All data and the FIN of the sender of `flow` are acknowledged.
void Simulation::on_closed(std::uint32_t flow) {
  if (!of_traffic(flow)) {
    --unfinished_;
    return;
  }
  const std::uint32_t user = life(flow).user;
  if (of_company(flow)) {
    companions(flow).leave(flow, senders(), now_ns_);
    // Only now the user goes on, or its next connection would meet this one.
    if (users_[user].source.waits()) plan_transfer(user, now_ns_);
  }
  flows_[flow].closing = true;
  users_[user].flow = kNoIndex;
}

void Simulation::free_if_settled(std::uint32_t flow) {
  Flow& f = flows_[flow];
  if (!f.settled()) return;
  Life& l = life(flow);
  Lane& lane = lanes_[l.lane];
  count_life(flow, groups_[lane.group].counters);
  for (const std::unique_ptr<Queue>& queue : queues_) queue->gateway().forget(flow);
  l.user = kNoIndex;
  const Flow next{.index = f.index, .life = static_cast<std::uint16_t>(f.life + 1)};
  f = next;
  lane.free.push_back(flow);
}

void Simulation::count_life(std::uint32_t flow, GroupCounters& sum) const {
  const Flow& f = flows_[flow];
  const Connection& c = connections_[f.index];
  sum.sender = plus(sum.sender, c.sender.counters());
  sum.receiver = plus(sum.receiver, c.receiver.counters());
  sum.packets_sent += f.sent;
  sum.packets_delivered += f.delivered;
  sum.packets_dropped_queue += f.dropped_queue;
  sum.packets_dropped_random += f.dropped_random;
}

GroupResult Simulation::group_result(std::uint32_t group) const {
  GroupResult result = groups_[group];
  for (std::size_t i = 0; i < lives_.size(); ++i) {
    if (lanes_[lives_[i].lane].group != group) continue;
    const auto flow = static_cast<std::uint32_t>(network_.flows().size() + i);
    if (flows_[flow].index != kNoIndex) ++result.slots;
    if (lives_[i].user != kNoIndex) count_life(flow, result.counters);
  }
  if (!network_.traffic()[group].source.ends()) return result;
  for (const User& user : users_)
    if (user.group == group && !(user.ended && user.open_transfers == 0)) ++result.unfinished;
  return result;
}

}  // namespace penstock::net
