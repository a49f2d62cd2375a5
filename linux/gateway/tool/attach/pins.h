// SPDX-License-Identifier: GPL-2.0-only
// Reads and writes the pinned maps of an attachment.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "linux/gateway/bpf/shared.h"
#include "linux/gateway/tool/attach/device.h"

namespace penstock::gw {

class Pins {
 public:
  explicit Pins(const Device& device) : folder_(device.pins) {}

  // Empty if there is no attachment, or one of another version of the tool or of a removed
  // network namespace.
  std::optional<gw_attachment> attachment() const;
  void set_attachment(const gw_attachment& attachment) const;
  void set_shared(const gw_shared& shared) const;
  // Whether what runs with `before` can become `after` without another program; and makes it so.
  bool may_change(const gw_config& before, const gw_config& after) const;
  void change_settings(const gw_config& after) const;
  // Of these, what the queue's own are.
  void change_link(const gw_config& after) const;
  // How many shapes there are: without any, the programs look for none.
  void set_shape_count(std::uint64_t count) const;

  gw_shared shared() const;
  gw_counts counters() const;  // summed over the CPUs
  std::vector<std::pair<gw_key, gw_flow>> flows() const;
  // Adds connections that are older than the attachment, but those that it knows, and counts them.
  void adopt(const std::vector<std::pair<gw_key, gw_flow>>& flows) const;
  // With those that have closed, which are kept for GW_OVER_NS.
  std::vector<std::pair<gw_key, gw_flow>> known_flows() const;
  std::size_t count_half_open() const;
  // Those of which the discipline dropped or marked packets, the most first.
  std::vector<std::pair<gw_held_key, gw_held>> held() const;

  // What each rule spares, summed over the CPUs, and which flows, the fastest first.
  std::vector<pst_spared> spared(std::uint64_t now_ns) const;
  std::vector<std::pair<gw_held_key, gw_spared>> spared_flows(std::uint64_t now_ns) const;
  // Forgets what the rules of `before` have spared that are not those of `after`.
  void forget_spared(const gw_config& before, const gw_config& after) const;

 private:
  int open(const char* map) const;
  template <typename Value>
  void change(const char* map, const Value& after) const;
  std::string folder_;
};

}  // namespace penstock::gw
