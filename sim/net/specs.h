// SPDX-License-Identifier: GPL-2.0-only
// The specification of a network. Units are in the names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tables/link_keys.h"
#include "core/tables/run_keys.h"
#include "core/tables/udp_keys.h"
#include "sim/gateway/gateway.h"
#include "sim/net/link.h"
#include "sim/net/opportunities.h"
#include "sim/tcp/config.h"
#include "sim/traffic/source.h"

namespace penstock::net {

// From `at_ns` on; values not given are kept.
struct LinkChange {
  std::uint64_t at_ns = 0;
  std::optional<std::uint64_t> rate_bps{};
  std::optional<std::uint64_t> delay_ns{};
  std::optional<double> loss_ratio{};
};

#define PENSTOCK_KEY(type, name, initial, ...) PST_TYPE_##type name = initial;
// Each key as core/tables/link_keys.h explains it; queue limits of 0 are none.
struct LinkSpec {
  std::uint32_t src = 0;  // nodes
  std::uint32_t dst = 0;
  PST_LINK_KEYS(PENSTOCK_KEY)
  std::vector<LinkChange> changes{};
  TraceMs trace_ms{};  // if any: opportunities to send, in place of the rate
  bool served = false;  // the queue holds its packets until the link asks for them
  std::vector<std::uint64_t> drop_data_packets{};  // numbers from 0, lost as well
};

struct Ends {  // nodes
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
};

struct LossSpec {
  double ratio = 0.0;
  std::vector<std::uint64_t> data_packets{};
};

struct TcpSpec {
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t size_bytes = 0;
  bool controlled = true;  // false: gateways bypass it, as they do flows older than themselves
  std::uint32_t mark = 0;  // of its packets; 0: none
  tcp::SenderConfig sender{};
  tcp::ReceiverConfig receiver{};
};

// A TcpSpec as stored in the network: flows of one kind share their settings.
struct TcpFlow {
  std::uint32_t src;
  std::uint32_t dst;
  std::uint64_t start_ns;
  std::uint64_t size_bytes;
  bool controlled;
  std::uint32_t mark;
  const tcp::SenderConfig* sender;
  const tcp::ReceiverConfig* receiver;
};

// A group of users, each with a source. Their connections come and go during the run.
struct TrafficSpec {
  std::string name;
  std::vector<Ends> ends;                // that the users take in turn
  std::vector<std::uint64_t> starts_ns;  // one for each user
  traffic::SourceSpec source;
  std::uint32_t mark = 0;  // of their packets; 0: none
  std::uint16_t delay_group = 0;  // as in Plan::Flow
  tcp::SenderConfig sender{};
  tcp::ReceiverConfig receiver{};
};

// Each key as core/tables/udp_keys.h explains it; without `stop_ns` it goes on until the last TCP
// flow is done.
struct UdpSpec {
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  std::uint64_t start_ns = 0;
  PST_UDP_KEYS(PENSTOCK_KEY)
};

// Receivers at any of the cells move between them: each has a cell for a time, has none while
// it is handed over, and then has another one, all others being as likely.
struct MobilitySpec {
  std::vector<std::uint32_t> cells;  // nodes, at least two
#define PENSTOCK_TRAFFIC_KEY(type, name, ...) PST_TYPE_##type name;
  PST_MOBILITY_KEYS(PENSTOCK_TRAFFIC_KEY)
#undef PENSTOCK_TRAFFIC_KEY
};

struct ClockSpec {
  PST_TIME_KEYS(PENSTOCK_KEY)
};

struct SampleSpec {
  PST_SAMPLE_KEYS(PENSTOCK_KEY)  // no interval: no samples
  std::vector<std::uint32_t> links{};
  std::vector<std::uint32_t> flows{};
};
#undef PENSTOCK_KEY

}  // namespace penstock::net
