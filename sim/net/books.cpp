// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/books.h"

#include <algorithm>
#include <stdexcept>

#include "sim/net/sums.h"

namespace penstock::net {

namespace {

void check_size(std::size_t flow, const FlowResult& f) {
  if (!f.is_udp && f.done_ns >= 0 && f.receiver.delivered_bytes != f.size_bytes)
    throw std::logic_error("flow " + std::to_string(flow) + " delivered " +
                           std::to_string(f.receiver.delivered_bytes) + " of " +
                           std::to_string(f.size_bytes) + " bytes");
}

DelayResult delay_result(const Sample& delay_ns) {
  DelayResult r;
  r.packets = delay_ns.weight();
  r.mean_ns = delay_ns.mean();
  r.p99_ns = delay_ns.quantile(0.99);
  r.sd_ns = delay_ns.deviation();
  r.max_ns = static_cast<double>(delay_ns.max());
  for (std::size_t i = 0; i <= kDelaySteps; ++i)
    r.quantiles_ns[i] =
        delay_ns.quantile(static_cast<double>(i) / static_cast<double>(kDelaySteps));
  return r;
}

}  // namespace

void check_conservation(const Flows& flows, const std::vector<std::uint64_t>& in_flight) {
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& f = flows[i];
    const std::uint64_t accounted = f.accounted() + in_flight[i];
    if (f.sent != accounted)
      throw std::logic_error("conservation broken: flow " + std::to_string(i) + " sent " +
                             std::to_string(f.sent) + " packets, but " + std::to_string(accounted) +
                             " are accounted for");
  }
}

Books::Books(const Plan& plan, const Topology& topology, Events& events, Queues& queues,
             const Flows& flows, const Connections& connections, const Datagrams& datagrams,
             Service& service, Users& users)
    : plan_(plan),
      topology_(topology),
      events_(events),
      queues_(queues),
      flows_(flows),
      connections_(connections),
      datagrams_(datagrams),
      service_(service),
      users_(users) {}

void Books::begin_counting() {
  warm_up_.end_ns = events_.now_ns();
  warm_up_.events = events_.count();
  for (std::uint32_t i = 0; i < plan_.flows.size(); ++i) warm_up_.flows.push_back(flow_result(i));
  for (std::uint32_t i = 0; i < users_.groups(); ++i) warm_up_.groups.push_back(users_.result(i));
  users_.begin_counting();
  for (std::uint32_t i = 0; i < queues_.size(); ++i)
    queues_[i].begin_counting(events_.now_ns(), link_of(i));
  service_.begin_counting();
}

Result Books::close() {
  Result result;
  result.end_ns = events_.now_ns();
  result.events = events_.count();
  result.flows.reserve(plan_.flows.size());
  for (std::uint32_t i = 0; i < plan_.flows.size(); ++i) result.flows.push_back(flow_result(i));
  for (std::uint32_t i = 0; i < users_.groups(); ++i) result.groups.push_back(users_.result(i));
  for (std::uint32_t i = 0; i < queues_.size(); ++i) result.queues.push_back(queue_result(i));
  const std::vector<std::uint64_t> in_flight = count_in_flight();
  check_conservation(flows_, in_flight);
  for (std::size_t i = 0; i < result.flows.size(); ++i) {
    result.flows[i].packets_in_flight = in_flight[i];
    check_size(i, result.flows[i]);
  }
  subtract_warm_up(result);
  return result;
}

// By flow: the packet records that are left in the wheel and in queues.
std::vector<std::uint64_t> Books::count_in_flight() {
  std::vector<std::uint64_t> in_flight(flows_.size());
  const auto count = [&](const Record& r) { ++in_flight[r.target() / 2]; };
  for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) {
    if (const ServedQueue* held = queues_.served(queue))
      for (const std::uint32_t i : held->held()) count(events_[i]);
    if (service_.sending(queue) != engine::kNone) count(events_[service_.sending(queue)]);
  }
  while (const Record* r = events_.discard())
    if (r->kind() == kPacket || r->kind() == kHeld) count(*r);
  return in_flight;
}

void Books::subtract_warm_up(Result& result) const {
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

FlowResult Books::flow_result(std::uint32_t flow) const {
  const Flow& books = flows_[flow];
  FlowResult f;
  f.is_udp = books.is_udp;
  f.done_ns = books.done_ns;
  f.packets_sent = books.sent;
  f.packets_delivered = books.delivered;
  f.packets_dropped_queue = books.dropped_queue;
  f.packets_dropped_random = books.dropped_random;
  if (books.is_udp) {
    fill_udp(f, books.index);
    return f;
  }
  const TcpFlow& spec = plan_.tcp_flows[plan_.flows[flow].index];
  f.start_ns = spec.start_ns;
  f.size_bytes = spec.size_bytes;
  f.sender = connections_.sent(flow);
  f.receiver = connections_.received(flow);
  return f;
}

void Books::fill_udp(FlowResult& f, std::uint32_t index) const {
  const UdpSpec& spec = plan_.udp_flows[index];
  f.start_ns = spec.start_ns;
  f.sender.segments_sent = datagrams_.sent(index);
  f.sender.bytes_sent = f.size_bytes = f.sender.segments_sent * spec.payload_bytes;
  f.receiver.segments_received = f.packets_delivered;
  f.receiver.received_bytes = f.receiver.delivered_bytes = datagrams_.delivered_bytes(index);
}

QueueResult Books::queue_result(std::uint32_t queue) {
  Queue& q = queues_[queue];
  q.finish(events_.now_ns());
  const QueueCounters& c = q.counters();
  QueueResult r;
  r.link = topology_.queue_links[queue];
  r.counters = c;
  r.gateway = q.gateway().acks().counters();
  r.bytes_mean = q.occupancy_bytes().mean();
  r.bytes_p50 = q.occupancy_bytes().quantile(0.50);
  r.bytes_p99 = q.occupancy_bytes().quantile(0.99);
  r.bytes_max = static_cast<double>(q.occupancy_bytes().max());
  r.delay = delay_result(q.delays().all_ns());
  r.delay_ns_mean = r.delay.mean_ns;
  r.delay_ns_p99 = r.delay.p99_ns;
  r.delay_ns_sd = r.delay.sd_ns;
  for (const Sample& each : q.delays().groups_ns()) r.group_delays.push_back(delay_result(each));
  const auto counted_ns = static_cast<double>(c.last_ns - c.first_ns);
  if (c.last_ns > c.first_ns) {
    // Ends of transmissions are known to the nanosecond.
    constexpr double kRoundedNs = 2;
    const double ns = transmitting_ns(queue);
    r.utilisation = (ns < counted_ns + kRoundedNs ? std::min(ns, counted_ns) : ns) / counted_ns;
    r.packets_mean = static_cast<double>(c.packets_ns) / counted_ns;
  }
  if (service_.follows(queue)) r.utilisation = service_.utilisation(queue);
  const ServedQueue* served = queues_.served(queue);
  if (const Sample* low_ns = served ? served->low_delay_ns() : nullptr) {
    r.has_low_latency = true;
    r.low_delay_ns_mean = low_ns->mean();
    r.low_delay_ns_p99 = low_ns->quantile(0.99);
  }
  return r;
}

// While the queue counted: of a packet that was in transmission at either end, the part between.
double Books::transmitting_ns(std::uint32_t queue) {
  const Queue& q = queues_[queue];
  const QueueCounters& c = q.counters();
  const Link& link = link_of(queue);
  const double sent_bytes =
      static_cast<double>(c.sent_bytes + c.sent_packets * link.overhead_bytes);
  const ServedQueue* served = queues_.served(queue);
  const double begun_ns = served ? served->wire_ns() : sent_bytes * link.byte_time_ns();
  const std::uint64_t unsent_ns = pst_sub_floor(q.sent_until_ns(link), events_.now_ns());
  const double ns = begun_ns + static_cast<double>(c.carried_ns) - static_cast<double>(unsent_ns);
  return std::max(ns, 0.0);  // begun_ns is not rounded to whole packets
}

}  // namespace penstock::net
