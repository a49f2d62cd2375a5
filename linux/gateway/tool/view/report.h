// SPDX-License-Identifier: GPL-2.0-only
// A snapshot as text, as JSON and as Prometheus metrics.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

inline constexpr int kSchemaVersion = 1;

// What is not UTF-8, such as a device's name, is replaced. With a newline; on one line without
// `indent`.
std::string json_text(const nlohmann::ordered_json& j, int indent = -1);
// To stdout.
void print_json(const nlohmann::ordered_json& j);

nlohmann::ordered_json status_json(const Snapshot& s);
std::string status_text(const Snapshot& s);
// A line of it.
std::string status_line(const char* label, const std::string& value);

nlohmann::ordered_json flow_json(const gw_config& config, const gw_key& key, const gw_flow& flow);
// The reason to bypass a flow; null if it is controlled.
const CounterRow* bypass_of(const gw_config& config, const gw_flow& flow);
// The target queue as a size and as time at the rate; empty if the method has none.
std::string target_text(const Snapshot& s);
std::string end_text(const std::uint32_t address[4], std::uint16_t port);
// Whether that is the sender's or the receiver's end of a gw_key or gw_held_key.
template <typename Key>
bool has_end(const Key& key, const std::string& end) {
  return end_text(key.sender, key.sender_port) == end ||
         end_text(key.receiver, key.receiver_port) == end;
}

}  // namespace penstock::gw
