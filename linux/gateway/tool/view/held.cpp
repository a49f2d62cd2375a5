// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/explain.h"

#include <algorithm>
#include <span>

#include "core/packet/protocol.h"
#include "linux/common/clock.h"
#include "linux/common/quantity.h"
#include "linux/gateway/tool/view/report.h"

namespace penstock::gw {

namespace {

constexpr const char* kUnanswered = "flows that nobody answers";

std::string protocol_name(std::uint32_t protocol) {
  switch (protocol) {
    case PST_IP_TCP:
      return "TCP";
    case PST_IP_UDP:
      return "UDP";
    case PST_IP_DCCP:
      return "DCCP";
    case PST_IP_SCTP:
      return "SCTP";
    case PST_IP_UDP_LITE:
      return "UDP-Lite";
    default:
      return "protocol " + std::to_string(protocol);
  }
}

bool is_unanswered(const gw_held_key& key) {
  return !key.protocol && !key.sender[3] && !key.receiver[3];
}

std::string name_of(const gw_held_key& key, const gw_held& held) {
  if (is_unanswered(key)) return kUnanswered;
  return ends_text(key) + (held.unanswered ? ", which nobody answers" : "");
}

}  // namespace

std::string ends_text(const gw_held_key& key) {
  return protocol_name(key.protocol) + " " + end_text(key.sender, key.sender_port) + " -> " +
         end_text(key.receiver, key.receiver_port);
}

std::string held_text(const HeldFlows& flows, std::size_t most) {
  const std::uint64_t now_ns = clock_ns();  // as bpf_ktime_get_ns()
  std::string text;
  for (const auto& [key, held] : std::span(flows).first(std::min(flows.size(), most)))
    text += "  " + name_of(key, held) + "\n    " + std::to_string(held.drops) +
            " packets dropped, " + std::to_string(held.marks) + " marked, " +
            round_size(held.bytes) + ", the last " +
            round_time(pst_sub_floor(now_ns, held.last_ns)) + " ago\n";
  if (flows.size() > most) text += "  and " + std::to_string(flows.size() - most) + " more\n";
  return text;
}

nlohmann::ordered_json held_json(const HeldFlows& flows) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& [key, held] : flows)
    all.push_back({{"sender", end_text(key.sender, key.sender_port)},
                   {"receiver", end_text(key.receiver, key.receiver_port)},
                   {"protocol", key.protocol},
                   {"answered", !held.unanswered},
                   {"drops", held.drops},
                   {"marks", held.marks},
                   {"bytes", held.bytes},
                   {"last_ns", held.last_ns}});
  return all;
}

}  // namespace penstock::gw
