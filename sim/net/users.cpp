// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/users.h"

#include <algorithm>
#include <stdexcept>

#include "core/base.h"
#include "sim/engine/draws.h"
#include "sim/net/sums.h"

namespace penstock::net {

namespace {

std::size_t size_class(std::uint64_t size_bytes) {
  std::size_t i = 0;
  while (i < kSizeClassBytes.size() && size_bytes > kSizeClassBytes[i]) ++i;
  PST_ENSURE(i == 0 || size_bytes > kSizeClassBytes[i - 1]);
  return i;
}

}  // namespace

Users::Users(const Plan& plan, Topology& topology, Events& events, Queues& queues, Flows& flows,
             Connections& connections, Mobility& mobility, Goal& goal)
    : plan_(plan),
      topology_(topology),
      events_(events),
      queues_(queues),
      flows_(flows),
      connections_(connections),
      mobility_(mobility),
      goal_(goal) {
  for (const TrafficSpec& spec : plan.traffic) add_group(spec);
}

void Users::add_group(const TrafficSpec& spec) {
  const auto group = static_cast<std::uint32_t>(groups_.size());
  const auto first_lane = static_cast<std::uint32_t>(lanes_.size());
  GroupResult& result = groups_.emplace_back();
  result.name = spec.name;
  result.start_ns = *std::min_element(spec.starts_ns.begin(), spec.starts_ns.end());
  result.users = static_cast<std::uint32_t>(spec.starts_ns.size());
  for (std::size_t i = 0; i < spec.ends.size(); ++i) {
    lanes_.push_back({group, static_cast<std::uint32_t>(flows_.size())});
    add_flow(static_cast<std::uint32_t>(lanes_.size() - 1));
  }
  for (std::uint32_t i = 0; i < result.users; ++i) {
    const auto user = static_cast<std::uint32_t>(users_.size());
    const auto lane = first_lane + static_cast<std::uint32_t>(i % spec.ends.size());
    users_.push_back(
        {traffic::Source(spec.source, plan_.seed, user, spec.starts_ns[i]), group, lane});
    if (spec.source.ends()) goal_.add();
    plan_transfer(user, spec.starts_ns[i]);
  }
}

void Users::begin_moving() {
  for (std::uint32_t user = 0; user < users_.size(); ++user) {
    const std::uint32_t flow = lanes_[users_[user].lane].first_flow;
    if (topology_.moves[flow])
      users_[user].mobile = mobility_.add_user(user, topology_.ends[flow].dst);
  }
}

// Adds the flow with number flows_.size(), whose path is already in topology_.
void Users::add_flow(std::uint32_t lane) {
  lanes_[lane].free.push_back(static_cast<std::uint32_t>(flows_.size()));
  lives_.push_back({lane});
  flows_.emplace_back();
  PST_ENSURE(flows_.size() == plan_.flows.size() + lives_.size());
}

void Users::plan_transfer(std::uint32_t user, std::uint64_t done_ns) {
  User& u = users_[user];
  PST_REQUIRE(!u.ended);
  const std::optional<traffic::Transfer> next = u.source.next(done_ns);
  if (!next) return end_source(user);
  PST_ENSURE(next->size_bytes > 0 && next->at_ns >= done_ns);
  u.size_bytes = next->size_bytes;
  events_.schedule(kTransfer, user, std::max(next->at_ns, events_.now_ns()));
}

void Users::begin_transfer(std::uint32_t user) {
  User& u = users_[user];
  const TrafficSpec& spec = spec_of(u);
  // A user requests the next page when it has a cell.
  if (spec.source.waits() && u.mobile != kNoIndex && !mobility_.attached(u.mobile)) {
    events_.schedule(kTransfer, user, mobility_.next_ns(u.mobile));
    return;
  }
  PST_REQUIRE(u.size_bytes > 0 && !u.ended);
  PST_REQUIRE(!spec.source.waits() || u.open_transfers == 0);
  const std::uint64_t size_bytes = u.size_bytes;
  const bool connected = u.flow != kNoIndex;
  const std::uint32_t flow = connected ? u.flow : new_connection(user, size_bytes);
  if (spec.source.persistent) u.flow = flow;
  GroupCounters& counters = groups_[u.group].counters;
  ++counters.transfers;
  counters.transfer_bytes += size_bytes;
  ++u.open_transfers;
  std::vector<Begun>& begun = life(flow).begun;
  const std::uint64_t from =
      begun.empty() ? connections_.received(flow).delivered_bytes : begun.back().end_bytes;
  begun.push_back({events_.now_ns(), size_bytes, from + size_bytes});
  await_next(flow);
  if (connected) {
    connections_.write(flow, size_bytes);
  } else {
    if (spec.source.company)
      companions(flow).enter(flow, groups_[u.group].company, senders(), events_.now_ns());
    connections_.start(flow);
  }
  if (!spec.source.waits()) plan_transfer(user, events_.now_ns());
}

std::uint32_t Users::new_connection(std::uint32_t user, std::uint64_t size_bytes) {
  User& u = users_[user];
  const TrafficSpec& spec = spec_of(u);
  const std::uint32_t flow = take_flow(u.lane);
  life(flow).user = user;
  engine::Draws isn(plan_.seed, engine::Purpose::kTrafficSequence, user, u.connections++);
  const std::uint32_t sender_seq = isn.bits32();
  connections_.open(flow, {.sender = spec.sender,
                           .receiver = spec.receiver,
                           .sender_seq = sender_seq,
                           .receiver_seq = isn.bits32(),
                           .size_bytes = size_bytes,
                           .after = spec.source.persistent ? tcp::Sender::After::kOpen
                                                           : tcp::Sender::After::kClose});
  PST_ENSURE(connections_.received(flow).delivered_bytes == 0);
  if (u.mobile != kNoIndex) mobility_.join(u.mobile, flow);
  ++groups_[u.group].counters.connections;
  return flow;
}

std::uint32_t Users::take_flow(std::uint32_t lane) {
  Lane& l = lanes_[lane];
  if (l.free.empty()) {
    const std::uint32_t flow = topology_.add_flow_like(l.first_flow);
    if (flow > Record::kMaxTarget / 2)
      throw std::invalid_argument("too many connections are alive at a time");
    add_flow(lane);
    queues_.admit(flow);
  }
  const std::uint32_t flow = l.free.back();
  l.free.pop_back();
  PST_ENSURE(flows_[flow].settled() && life(flow).user == kNoIndex);
  return flow;
}

void Users::await_next(std::uint32_t flow) {
  constexpr std::size_t kFew = 64;
  Life& l = life(flow);
  PST_REQUIRE(l.arrived <= l.begun.size());
  if (l.arrived == l.begun.size() || (l.arrived > kFew && 2 * l.arrived > l.begun.size())) {
    l.begun.erase(l.begun.begin(), l.begun.begin() + static_cast<std::ptrdiff_t>(l.arrived));
    l.arrived = 0;
  }
  PST_ENSURE(l.begun.empty() || l.arrived < l.begun.size());
  flows_[flow].awaited_bytes = l.begun.empty() ? tcp::kNever : l.begun[l.arrived].end_bytes;
}

void Users::on_handshake(std::uint32_t flow) {
  if (plan_.traffic[lanes_[life(flow).lane].group].source.company)
    companions(flow).begin(flow, senders());
}

void Users::on_received(std::uint32_t flow) {
  while (connections_.received(flow).delivered_bytes >= flows_[flow].awaited_bytes) {
    Life& l = life(flow);
    PST_REQUIRE(l.arrived < l.begun.size());
    const Begun transfer = l.begun[l.arrived++];
    PST_REQUIRE(l.user != kNoIndex && transfer.size_bytes <= transfer.end_bytes);
    await_next(flow);
    end_transfer(l.user, transfer);
  }
}

void Users::end_transfer(std::uint32_t user, const Begun& transfer) {
  User& u = users_[user];
  GroupResult& group = groups_[u.group];
  PST_REQUIRE(events_.now_ns() >= transfer.at_ns);
  const std::uint64_t took_ns = events_.now_ns() - transfer.at_ns;
  const std::uint32_t mss_bytes = spec_of(u).sender.mss_bytes;
  const std::uint64_t segments = (transfer.size_bytes + mss_bytes - 1) / mss_bytes;
  group.completion_ns[size_class(transfer.size_bytes)].add(took_ns);
  group.completed_segments += segments;
  group.segment_rates_per_s += static_cast<double>(segments) * 1e9 /
                               static_cast<double>(std::max<std::uint64_t>(took_ns, 1));
  PST_REQUIRE(u.open_transfers > 0);
  --u.open_transfers;
  if (u.source.waits()) {
    if (!spec_of(u).source.company) plan_transfer(user, events_.now_ns());
  } else if (u.ended && u.open_transfers == 0) {
    finish(user);
  }
}

void Users::end_source(std::uint32_t user) {
  User& u = users_[user];
  PST_REQUIRE(!u.ended);
  u.ended = true;
  if (u.flow != kNoIndex) connections_.close(u.flow);
  if (u.open_transfers == 0) finish(user);
}

void Users::finish(std::uint32_t user) {
  PST_REQUIRE(users_[user].ended && users_[user].open_transfers == 0);
  if (spec_of(users_[user]).source.ends()) goal_.reach();
}

void Users::on_closed(std::uint32_t flow) {
  PST_REQUIRE(life(flow).user != kNoIndex);
  PST_REQUIRE(!flows_[flow].closing);
  User& u = users_[life(flow).user];
  if (spec_of(u).source.company) {
    companions(flow).leave(flow, senders(), events_.now_ns());
    // Only now the user goes on, or its next connection would meet this one.
    if (u.source.waits()) plan_transfer(life(flow).user, events_.now_ns());
  }
  flows_[flow].closing = true;
  u.flow = kNoIndex;
}

// Frees its slot, if it is closing and nothing of it is in flight.
void Users::on_quiet(std::uint32_t flow) {
  Flow& f = flows_[flow];
  if (!f.closing || !f.settled()) return;
  Life& l = life(flow);
  Lane& lane = lanes_[l.lane];
  PST_REQUIRE(f.accounted() == f.sent);  // each packet has arrived or was dropped
  count_life(flow, groups_[lane.group].counters);
  queues_.forget(flow);
  if (users_[l.user].mobile != kNoIndex) mobility_.part(users_[l.user].mobile, flow);
  l.user = kNoIndex;
  f = {.index = f.index, .life = static_cast<std::uint16_t>(f.life + 1)};
  lane.free.push_back(flow);
}

void Users::count_life(std::uint32_t flow, GroupCounters& sum) const {
  const Flow& f = flows_[flow];
  sum.sender = plus(sum.sender, connections_.sent(flow));
  sum.receiver = plus(sum.receiver, connections_.received(flow));
  sum.packets_sent += f.sent;
  sum.packets_delivered += f.delivered;
  sum.packets_dropped_queue += f.dropped_queue;
  sum.packets_dropped_random += f.dropped_random;
}

void Users::begin_counting() {
  for (auto& [hosts, among] : companions_) among.end_period(senders(), events_.now_ns());
  for (GroupResult& group : groups_) {
    group.completion_ns = {};
    group.completed_segments = 0;
    group.segment_rates_per_s = 0;
    group.company = {};
  }
}

GroupResult Users::result(std::uint32_t group) const {
  GroupResult result = groups_[group];
  for (std::size_t i = 0; i < lives_.size(); ++i) {
    if (lanes_[lives_[i].lane].group != group) continue;
    const auto flow = static_cast<std::uint32_t>(plan_.flows.size() + i);
    if (flows_[flow].index != kNoIndex) ++result.slots;
    if (lives_[i].user != kNoIndex) count_life(flow, result.counters);
  }
  if (!plan_.traffic[group].source.ends()) return result;
  for (const User& user : users_)
    if (user.group == group && !(user.ended && user.open_transfers == 0)) ++result.unfinished;
  return result;
}

}  // namespace penstock::net
