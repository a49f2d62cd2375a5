// SPDX-License-Identifier: GPL-2.0-only
#include "sim/python/result_to_numpy.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <functional>
#include <stdexcept>
#include <string>

#include "core/describe.h"

namespace nb = nanobind;

namespace penstock::python {

namespace {

using net::FlowResult;

nb::object to_numpy(std::vector<std::int64_t> values, std::initializer_list<std::size_t> shape) {
  auto* held = new std::vector<std::int64_t>(std::move(values));
  nb::capsule owner(held,
                    [](void* p) noexcept { delete static_cast<std::vector<std::int64_t>*>(p); });
  return nb::ndarray<nb::numpy, std::int64_t>(held->data(), shape, owner).cast();
}

using Field = std::function<std::int64_t(const FlowResult&)>;

template <class Member>
Field of(Member member) {
  return [member](const FlowResult& f) { return static_cast<std::int64_t>(f.*member); };
}

template <class Member>
Field of_sender(Member member) {
  return [member](const FlowResult& f) { return static_cast<std::int64_t>(f.sender.*member); };
}

template <class Member>
Field of_receiver(Member member) {
  return [member](const FlowResult& f) { return static_cast<std::int64_t>(f.receiver.*member); };
}

std::vector<std::pair<const char*, Field>> flow_fields() {
  std::vector<std::pair<const char*, Field>> fields{
      {"is_udp", of(&FlowResult::is_udp)},
      {"start_ns", of(&FlowResult::start_ns)},
      {"done_ns", of(&FlowResult::done_ns)},
      {"size_bytes", of(&FlowResult::size_bytes)},
      {"packets_sent", of(&FlowResult::packets_sent)},
      {"packets_delivered", of(&FlowResult::packets_delivered)},
      {"packets_dropped_queue", of(&FlowResult::packets_dropped_queue)},
      {"packets_dropped_random", of(&FlowResult::packets_dropped_random)},
      {"packets_in_flight", of(&FlowResult::packets_in_flight)},
  };
#define PENSTOCK_SENDER(name, ...) \
  fields.emplace_back(#name, of_sender(&tcp::SenderCounters::name));
#define PENSTOCK_RECEIVER(name, ...) \
  fields.emplace_back(#name, of_receiver(&tcp::ReceiverCounters::name));
  PST_SENDER_COUNTERS(PENSTOCK_SENDER)
  PST_RECEIVER_COUNTERS(PENSTOCK_RECEIVER)
#undef PENSTOCK_SENDER
#undef PENSTOCK_RECEIVER
  return fields;
}

nb::object matrix(const std::vector<std::vector<std::int64_t>>& rows, std::size_t columns) {
  std::vector<std::int64_t> all;
  all.reserve(rows.size() * columns);
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return to_numpy(std::move(all), {rows.size(), columns});
}

}  // namespace

nb::dict flows_dict(const net::Result& result) {
  nb::dict out;
  for (const auto& [name, field] : flow_fields()) {
    std::vector<std::int64_t> values;
    values.reserve(result.flows.size());
    for (const FlowResult& f : result.flows) values.push_back(field(f));
    const std::size_t n = values.size();
    out[name] = to_numpy(std::move(values), {n});
  }
  return out;
}

namespace {

// The completion times of one size class: the middles of bins, and how many are in each.
nb::dict completions(const net::Quantiles& quantiles) {
  std::vector<std::int64_t> values, counts;
  for (std::size_t bin = 0; bin < quantiles.bins().size(); ++bin) {
    if (!quantiles.bins()[bin]) continue;
    values.push_back(static_cast<std::int64_t>(net::Quantiles::middle(bin)));
    counts.push_back(static_cast<std::int64_t>(quantiles.bins()[bin]));
  }
  const std::size_t n = values.size();
  nb::dict out;
  out["count"] = quantiles.count();
  out["sum_ns"] = quantiles.sum();
  out["values_ns"] = to_numpy(std::move(values), {n});
  out["counts"] = to_numpy(std::move(counts), {n});
  return out;
}

nb::dict company(const net::Company& c) {
  nb::dict out;
  out["newcomers"] = c.newcomers;
  out["newcomer_segments"] = c.newcomer_segments;
  out["newcomer_ns"] = c.newcomer_ns;
  out["newcomer_rates_per_s"] = c.newcomer_rates_per_s;
  out["begun"] = c.begun;
  out["begun_cwnd_bytes"] = c.begun_cwnd_bytes;
  out["begun_ssthresh_bytes"] = c.begun_ssthresh_bytes;
  out["begun_srtt_ns"] = c.begun_srtt_ns;
  out["begun_rttvar_ns"] = c.begun_rttvar_ns;
  out["concurrent"] = c.concurrent;
  out["concurrent_segments"] = c.concurrent_segments;
  out["concurrent_ns"] = c.concurrent_ns;
  out["concurrent_rates_per_s"] = c.concurrent_rates_per_s;
  out["fairness"] = c.fairness;
  out["periods"] = c.periods;
  return out;
}

}  // namespace

nb::list groups_list(const net::Result& result) {
  nb::list out;
  for (const net::GroupResult& group : result.groups) {
    const net::GroupCounters& c = group.counters;
    nb::dict row;
    row["name"] = group.name;
    row["users"] = group.users;
    row["start_ns"] = group.start_ns;
    row["unfinished"] = group.unfinished;
    row["slots"] = group.slots;
    row["connections"] = c.connections;
    row["transfers"] = c.transfers;
    row["transfer_bytes"] = c.transfer_bytes;
#define PENSTOCK_SENDER(name, ...) row[#name] = c.sender.name;
#define PENSTOCK_RECEIVER(name, ...) row[#name] = c.receiver.name;
    PST_SENDER_COUNTERS(PENSTOCK_SENDER)
    PST_RECEIVER_COUNTERS(PENSTOCK_RECEIVER)
#undef PENSTOCK_SENDER
#undef PENSTOCK_RECEIVER
    row["packets_sent"] = c.packets_sent;
    row["packets_dropped_queue"] = c.packets_dropped_queue;
    row["packets_dropped_random"] = c.packets_dropped_random;
    nb::list classes;
    for (const net::Quantiles& quantiles : group.completion_ns)
      classes.append(completions(quantiles));
    row["completions"] = classes;
    row["company"] = company(group.company);
    row["completed_segments"] = group.completed_segments;
    row["segment_rates_per_s"] = group.segment_rates_per_s;
    out.append(row);
  }
  return out;
}

namespace {

const net::QueueResult& queue_of(const net::Result& result, std::uint32_t link) {
  for (const net::QueueResult& q : result.queues)
    if (q.link == link) return q;
  throw std::invalid_argument("link " + std::to_string(link) + " has no queue limit to count at");
}

}  // namespace

nb::list delay_quantiles_list(const net::Result& result, std::uint32_t link) {
  nb::list out;
  for (const double ns : queue_of(result, link).delay.quantiles_ns) out.append(ns);
  return out;
}

nb::list group_delays_list(const net::Result& result, std::uint32_t link) {
  nb::list out;
  for (const net::DelayResult& r : queue_of(result, link).group_delays) {
    nb::dict row;
    row["packets"] = r.packets;
    row["mean_ns"] = r.mean_ns;
    row["p99_ns"] = r.p99_ns;
    row["sd_ns"] = r.sd_ns;
    row["max_ns"] = r.max_ns;
    nb::list quantiles;
    for (const double ns : r.quantiles_ns) quantiles.append(ns);
    row["quantiles_ns"] = quantiles;
    out.append(row);
  }
  return out;
}

nb::dict queue_dict(const net::Result& result, std::uint32_t link) {
  const net::QueueResult& q = queue_of(result, link);
  const net::QueueCounters& c = q.counters;
  const gateway::Counters& g = q.gateway;
  nb::dict out;
  const auto put = [&out](const char* name, auto value) { out[name] = static_cast<double>(value); };
#define PENSTOCK_COUNTER(name, ...) put(#name, c.name);
#define PENSTOCK_FIGURE(name, ...) put(#name, q.name);
  PST_QUEUE_COUNTERS(PENSTOCK_COUNTER)
  PST_QUEUE_FIGURES(PENSTOCK_FIGURE)
  PST_LINK_FIGURES(PENSTOCK_FIGURE)
#undef PENSTOCK_COUNTER
#undef PENSTOCK_FIGURE
  put("drops", c.drops());
  put("tcp_arrivals", c.arrivals - c.udp_arrivals);
  put("tcp_drops", c.drops() - c.udp_drops);
  if (q.has_low_latency) {
    put("low_delay_ns_mean", q.low_delay_ns_mean);
    put("low_delay_ns_p99", q.low_delay_ns_p99);
  }
  put("delay_ns_max", q.delay.max_ns);
  put("acks_seen", g.acks_seen);
  put("acks_rewritten", g.acks_rewritten);
  for (std::size_t i = 0; i < PST_LIMIT_COUNT; ++i)
    put((std::string("acks_by_") + pst_limit_rows[i].name).c_str(), g.acks_by[i]);
  put("window_bytes_mean",
      g.acks_seen ? static_cast<double>(g.window_bytes_sum) / static_cast<double>(g.acks_seen)
                  : 0.0);
  return out;
}

nb::dict series_dict(const net::Result& result) {
  const net::Series& s = result.series;
  const std::size_t n = s.time_ns.size();
  nb::dict out;
  out["time_ns"] = to_numpy(s.time_ns, {n});
  out["queue_bytes"] = matrix(s.queue_bytes, n);
  out["queue_packets"] = matrix(s.queue_packets, n);
  out["window_bytes"] = matrix(s.window_bytes, n);
  out["cwnd_bytes"] = matrix(s.cwnd_bytes, n);
  out["send_window_bytes"] = matrix(s.send_window_bytes, n);
  return out;
}

}  // namespace penstock::python
