// SPDX-License-Identifier: GPL-2.0-only
// Results of a run. Definitions of the columns: docs/columns.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/gateway/gateway.h"
#include "sim/net/quantiles.h"
#include "sim/net/queue.h"
#include "sim/tcp/config.h"

namespace penstock::net {

struct FlowResult {
  bool is_udp = false;
  std::uint64_t start_ns = 0;
  std::int64_t done_ns = -1;  // last payload byte at the receiver
  std::uint64_t size_bytes = 0;
  tcp::SenderCounters sender{};
  tcp::ReceiverCounters receiver{};
  std::uint64_t packets_sent = 0;  // both directions, as the next three
  std::uint64_t packets_delivered = 0;
  std::uint64_t packets_dropped_queue = 0;
  std::uint64_t packets_dropped_random = 0;
  std::uint64_t packets_in_flight = 0;
};

// Sums over the connections of a group, closed and open.
struct GroupCounters {
  std::uint64_t connections = 0;
  std::uint64_t transfers = 0;  // begun
  std::uint64_t transfer_bytes = 0;
  tcp::SenderCounters sender{};
  tcp::ReceiverCounters receiver{};
  std::uint64_t packets_sent = 0;  // both directions, as the next four
  std::uint64_t packets_delivered = 0;
  std::uint64_t packets_dropped_queue = 0;
  std::uint64_t packets_dropped_random = 0;
};

// Upper ends of the classes of transfers by size; the last class has none.
inline constexpr std::array<std::uint64_t, 3> kSizeClassBytes{10'000, 100'000, 1'000'000};
inline constexpr std::size_t kSizeClasses = kSizeClassBytes.size() + 1;

// nis-2004 section 7.2: connections that are open beside others between the same two hosts.
struct Company {
  // Connections that joined others: sums over their lifetimes.
  std::uint64_t newcomers = 0;
  std::uint64_t newcomer_segments = 0;
  std::uint64_t newcomer_ns = 0;
  double newcomer_rates_per_s = 0;
  // What they began with, once established.
  std::uint64_t begun = 0;
  std::uint64_t begun_cwnd_bytes = 0;
  std::uint64_t begun_ssthresh_bytes = 0;  // of the finite ones
  std::uint64_t begun_srtt_ns = 0;
  std::uint64_t begun_rttvar_ns = 0;
  // Each connection in each period with the same open connections, two of which got data.
  std::uint64_t concurrent = 0;
  std::uint64_t concurrent_segments = 0;
  std::uint64_t concurrent_ns = 0;
  double concurrent_rates_per_s = 0;
  double fairness = 0;  // of periods: each counts 1/n in each of its n members' groups
  double periods = 0;
};

struct GroupResult {
  std::string name;
  std::uint32_t users = 0;
  std::uint64_t start_ns = 0;    // of the first user
  std::uint32_t unfinished = 0;  // users whose finite source has not ended
  std::uint32_t slots = 0;       // most connections that were alive at a time
  GroupCounters counters{};
  std::array<Quantiles, kSizeClasses> completion_ns{};  // of transfers, by size
  std::uint64_t completed_segments = 0;  // full ones and last ones, of transfers that are done
  Company company{};                     // if the group asks for it
  double segment_rates_per_s = 0;        // of each of them its segments over its time; their sum
};

inline constexpr std::size_t kDelaySteps = 100;

// How long packets waited.
struct DelayResult {
  std::uint64_t packets = 0;
  double mean_ns = 0;
  double p99_ns = 0;
  double sd_ns = 0;
  double max_ns = 0;
  // The distribution: quantiles at equal steps of the share, from 0 to 1.
  std::array<double, kDelaySteps + 1> quantiles_ns{};
};

struct QueueResult {
  std::uint32_t link = 0;
  QueueCounters counters{};
  gateway::Counters gateway{};
#define PENSTOCK_FIELD(name, ...) double name = 0;
  PST_QUEUE_FIGURES(PENSTOCK_FIELD)
  PST_LINK_FIGURES(PENSTOCK_FIELD)
#undef PENSTOCK_FIELD
  DelayResult delay{};
  std::vector<DelayResult> group_delays{};  // by group, if they are told apart
  bool has_low_latency = false;  // queue, of the two of DualPI2
  double low_delay_ns_mean = 0, low_delay_ns_p99 = 0;  // over its packets
};

struct Series {
  std::vector<std::int64_t> time_ns;
  std::vector<std::vector<std::int64_t>> queue_bytes;   // by sampled link
  std::vector<std::vector<std::int64_t>> queue_packets;
  std::vector<std::vector<std::int64_t>> window_bytes;  // by sampled link
  std::vector<std::vector<std::int64_t>> cwnd_bytes;    // by sampled flow
  std::vector<std::vector<std::int64_t>> send_window_bytes;
};

struct Result {
  std::uint64_t end_ns = 0;
  std::uint64_t events = 0;
  bool all_done = false;
  std::vector<FlowResult> flows;
  std::vector<GroupResult> groups;
  std::vector<QueueResult> queues;
  Series series;
};

}  // namespace penstock::net
