// SPDX-License-Identifier: GPL-2.0-only
// Passive measurements of a class of flows in one period of a comparison.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "linux/gateway/bpf/shared.h"

namespace penstock::gw {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// kNone of no values.
double mean(const std::vector<double>& values);
// The 95th percentile.
double tail(std::vector<double> values);

using Flows = std::vector<std::pair<gw_key, gw_flow>>;

// The flows of some subscribers: with an end as of `--exempt`, or whose data has a mark or a shape.
struct FlowClass {
  std::string name;
  std::string rule;
  gw_exemption end;
  std::uint32_t mark;   // 0: any
  std::uint32_t shape;  // likewise

  bool has(const gw_key& key, const gw_flow& flow) const;
};

// "gold=192.0.2.0/25", "gold=mark 7". Throws Error(kUsage) that says what would be right. Of
// "gold=shape alice" the caller looks alice up: see shape_name().
FlowClass flow_class(const std::string& text);
// "alice"; empty if the class is not of a shape.
std::string shape_name(const FlowClass& one);

// On CLOCK_MONOTONIC, as the programs' times.
struct FlowPeriod {
  std::uint64_t changed_ns;  // when the period's state was set
  std::uint64_t begin_ns;    // of the measurement
  std::uint64_t end_ns;
};

// NaN where there was nothing to measure on.
struct FlowValues {
  std::vector<double> paths_s;  // round trips of the active flows' paths, without the queue here
  double page_s;
  double page_95_s;  // 95 % of the pages take no longer
  double pages_per_s;
  double retransmitted_ratio;
  double goodput_bps;
};

// Of a class, or of all without one; `before` are the flows at the period's beginning.
FlowValues flow_values(const FlowClass* one, const Flows& before, const Flows& after,
                       const FlowPeriod& period);

}  // namespace penstock::gw
