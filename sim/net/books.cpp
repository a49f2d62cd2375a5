// SPDX-License-Identifier: GPL-2.0-only
// The end of a run: packets in flight, the conservation check, and the result.
#include <algorithm>
#include <stdexcept>

#include "sim/net/simulation.h"
#include "sim/net/sums.h"

namespace penstock::net {

namespace {

[[noreturn]] void fail_conservation(const char* what, std::size_t number, std::uint64_t sent,
                                    std::uint64_t accounted) {
  throw std::logic_error(std::string("conservation broken: ") + what + ' ' +
                         std::to_string(number) + " sent " + std::to_string(sent) +
                         " packets, but " + std::to_string(accounted) + " are accounted for");
}

}  // namespace

std::uint64_t& Simulation::in_flight(Result& result, const Record& packet) {
  const std::uint32_t flow = packet.target() / 2;
  return of_traffic(flow) ? life(flow).in_flight : result.flows[flow].packets_in_flight;
}

// Packets in flight are the packet records left in the wheel and in queues.
void Simulation::count_in_flight(Result& result) {
  for (const ServedQueue* queue : served_) {
    if (!queue) continue;
    for (const std::uint32_t i : queue->held()) ++in_flight(result, wheel_.pool()[i]);
  }
  for (const auto& follower : followers_)
    if (follower && follower->packet() != engine::kNone)
      ++in_flight(result, wheel_.pool()[follower->packet()]);
  for (std::uint32_t i = wheel_.pop(); i != engine::kNone; i = wheel_.pop()) {
    const Record& r = wheel_.pool()[i];
    if (r.kind() == kPacket || r.kind() == kHeld) ++in_flight(result, r);
  }
}

void Simulation::check_conservation(const Result& result) const {
  for (std::size_t i = result.flows.size(); i < flows_.size(); ++i) {
    const Flow& f = flows_[i];
    const std::uint64_t accounted = f.delivered + f.dropped_queue + f.dropped_random +
                                    lives_[i - result.flows.size()].in_flight;
    if (f.sent != accounted) fail_conservation("connection", i, f.sent, accounted);
  }
  for (std::size_t i = 0; i < result.flows.size(); ++i) {
    const FlowResult& f = result.flows[i];
    const std::uint64_t accounted = f.packets_delivered + f.packets_dropped_queue +
                                    f.packets_dropped_random + f.packets_in_flight;
    if (f.packets_sent != accounted) fail_conservation("flow", i, f.packets_sent, accounted);
    if (!f.is_udp && f.done_ns >= 0 && f.receiver.bytes_received != f.size_bytes)
      throw std::logic_error("flow " + std::to_string(i) + " delivered " +
                             std::to_string(f.receiver.bytes_received) + " of " +
                             std::to_string(f.size_bytes) + " bytes");
  }
}

void Simulation::begin_counting() {
  warm_up_.end_ns = now_ns_;
  warm_up_.events = events_;
  for (std::uint32_t i = 0; i < network_.flows().size(); ++i)
    warm_up_.flows.push_back(flow_result(i));
  for (auto& [hosts, among] : companions_) among.end_period(senders(), now_ns_);
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    warm_up_.groups.push_back(group_result(i));
    groups_[i].completion_ns = {};
    groups_[i].completed_segments = 0;
    groups_[i].segment_rates_per_s = 0;
    groups_[i].company = {};
  }
  for (std::uint32_t i = 0; i < queues_.size(); ++i)
    queues_[i]->begin_counting(now_ns_, topology_.links[topology_.queue_links[i]]);
  for (const auto& follower : followers_)
    if (follower && follower->counting()) follower->begin_counting(now_ns_);
}

void Simulation::subtract_warm_up(Result& result) const {
  result.events -= warm_up_.events;
  for (std::size_t i = 0; i < warm_up_.flows.size(); ++i) {
    const FlowResult& before = warm_up_.flows[i];
    FlowResult& f = result.flows[i];
    f.start_ns = std::max(f.start_ns, warm_up_.end_ns);
    f.sender = minus(f.sender, before.sender);
    f.receiver = minus(f.receiver, before.receiver);
    f.packets_sent -= before.packets_sent;
    f.packets_delivered -= before.packets_delivered;
    f.packets_dropped_queue -= before.packets_dropped_queue;
    f.packets_dropped_random -= before.packets_dropped_random;
  }
  for (std::size_t i = 0; i < warm_up_.groups.size(); ++i) {
    GroupResult& group = result.groups[i];
    group.start_ns = std::max(group.start_ns, warm_up_.end_ns);
    group.counters = minus(group.counters, warm_up_.groups[i].counters);
  }
}

Result Simulation::make_result(std::uint64_t until_ns) {
  for (Capture& capture : captures_) capture.close();
  Result result;
  result.end_ns = std::min(now_ns_, until_ns);
  result.events = events_;
  result.all_done = unfinished_ == 0;
  result.flows.reserve(network_.flows().size());
  for (std::uint32_t i = 0; i < network_.flows().size(); ++i)
    result.flows.push_back(flow_result(i));
  for (std::uint32_t i = 0; i < groups_.size(); ++i) result.groups.push_back(group_result(i));
  for (std::uint32_t i = 0; i < queues_.size(); ++i) result.queues.push_back(queue_result(i));
  result.series = std::move(series_);
  count_in_flight(result);
  check_conservation(result);
  subtract_warm_up(result);
  return result;
}

FlowResult Simulation::flow_result(std::uint32_t flow) const {
  const Network::Flow& which = network_.flows()[flow];
  const Flow& books = flows_[flow];
  FlowResult f;
  f.is_udp = which.is_udp;
  f.done_ns = books.done_ns;
  f.packets_sent = books.sent;
  f.packets_delivered = books.delivered;
  f.packets_dropped_queue = books.dropped_queue;
  f.packets_dropped_random = books.dropped_random;
  if (which.is_udp) {
    const UdpSpec& spec = network_.udp_flows()[which.index];
    const Datagrams& d = datagrams_[which.index];
    f.start_ns = spec.start_ns;
    f.size_bytes = d.packets * spec.payload_bytes;
    f.sender.segments_sent = d.packets;
    f.sender.bytes_sent = f.size_bytes;
    f.receiver.segments_received = books.delivered;
    f.receiver.bytes_received = d.delivered_bytes;
  } else {
    const TcpFlow& spec = network_.tcp_flows()[which.index];
    f.start_ns = spec.start_ns;
    f.size_bytes = spec.size_bytes;
    f.sender = connections_[which.index].sender.counters();
    f.receiver = connections_[which.index].receiver.counters();
  }
  return f;
}

QueueResult Simulation::queue_result(std::uint32_t queue) {
  Queue& q = *queues_[queue];
  q.finish(now_ns_);
  const QueueCounters& c = q.counters();
  QueueResult r;
  r.link = topology_.queue_links[queue];
  r.counters = c;
  r.gateway = q.gateway().counters();
  r.bytes_mean = q.occupancy_bytes().mean();
  r.bytes_p50 = q.occupancy_bytes().quantile(0.50);
  r.bytes_p99 = q.occupancy_bytes().quantile(0.99);
  r.bytes_max = static_cast<double>(q.occupancy_bytes().max());
  r.delay_ns_mean = q.delay_ns().mean();
  r.delay_ns_p99 = q.delay_ns().quantile(0.99);
  r.delay_ns_sd = q.delay_ns().deviation();
  r.delay_ns_max = static_cast<double>(q.delay_ns().max());
  const auto counted_ns = static_cast<double>(c.last_ns - c.first_ns);
  if (c.last_ns > c.first_ns) {
    r.utilisation = transmitting_ns(queue) / counted_ns;
    r.packets_mean = q.delay_ns().sum() / counted_ns;
  }
  if (followers_[queue]) r.utilisation = followers_[queue]->utilisation(now_ns_);
  return r;
}

// While the queue counted: of a packet that was in transmission at either end, the part between.
double Simulation::transmitting_ns(std::uint32_t queue) const {
  const Queue& q = *queues_[queue];
  const QueueCounters& c = q.counters();
  const Link& link = topology_.links[topology_.queue_links[queue]];
  const double sent_bytes =
      static_cast<double>(c.sent_bytes + c.sent_packets * link.overhead_bytes);
  const double begun_ns = served_[queue]
                              ? static_cast<double>(served_[queue]->wire_ns())
                              : sent_bytes * static_cast<double>(link.ns_per_byte_q20) * 0x1.0p-20;
  const std::uint64_t unsent_ns = pst_sub_floor(q.sent_until_ns(link), now_ns_);
  const double ns = begun_ns + static_cast<double>(c.carried_ns) - static_cast<double>(unsent_ns);
  return std::max(ns, 0.0);  // begun_ns is not rounded to whole packets
}

}  // namespace penstock::net
