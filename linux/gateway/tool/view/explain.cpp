// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/explain.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "core/describe.h"
#include "core/packet/bytes.h"
#include "linux/common/clock.h"
#include "linux/common/quantity.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/parts.h"
#include "linux/gateway/tool/settings/settings.h"
#include "linux/gateway/tool/view/rates.h"
#include "linux/gateway/tool/view/report.h"
#include "linux/gateway/tool/view/upstream.h"

namespace penstock::gw {

namespace {

constexpr std::size_t kBriefFlows = 3;

const char* rule_text(std::uint8_t limit) {
  return limit < PST_LIMIT_COUNT ? pst_limit_rows[limit].help : "unknown";
}

std::string time_text(std::uint64_t time_ns) {
  const std::uint64_t now_ns = clock_ns();  // as bpf_ktime_get_ns()
  if (!time_ns) return "none";
  return time_ns > now_ns ? "in " + round_time(time_ns - now_ns)
                          : round_time(now_ns - time_ns) + " ago";
}

// The name without the factor that its value is kept with.
std::string plain_name(const StateField& field) {
  const bool scaled = field.name.ends_with("_q16") || field.name.ends_with("_q32");
  return scaled ? field.name.substr(0, field.name.rfind('_')) : field.name;
}

std::string value_text(const StateField& field) {
  const std::uint64_t one = field.name.ends_with("_q16")   ? PST_Q16_ONE
                            : field.name.ends_with("_q32") ? PST_Q32_ONE
                                                           : 1;
  const std::uint64_t whole = field.value / one;
  switch (field.row->unit) {
    case PST_BYTES:
      return round_size(whole) + (plain_name(field).ends_with("_per_s") ? "/s" : "");
    case PST_NS:
      return round_time(whole);
    case PST_BPS:
      return round_rate(whole);
    case PST_TIME:
      return time_text(whole);
    default:
      return one == 1 ? std::to_string(field.value)
                      : std::to_string(static_cast<double>(field.value) / static_cast<double>(one));
  }
}

[[noreturn]] void refuse_end(const std::string& text) {
  throw Error(kUsage,
              "'" + text + "' is not ADDRESS:PORT, such as 192.0.2.1:443 or [2001:db8::1]:443");
}

// The rules that decided most ACKs, and what each means.
std::string decided_text(const Snapshot& s) {
  constexpr std::size_t kMost = 4;
  std::vector<std::pair<std::uint64_t, std::uint8_t>> rules;
  for (std::uint8_t i = 0; i < PST_LIMIT_COUNT; ++i)
    if (const std::uint64_t n = s.count(GW_BY_LIMIT + i)) rules.emplace_back(n, i);
  std::ranges::sort(rules, std::greater());
  std::string text;
  for (const auto& [n, rule] : std::span(rules).first(std::min(rules.size(), kMost)))
    text +=
        "  " + std::to_string(n) + " ACKs by " + limit_name(rule) + ": " + rule_text(rule) + "\n";
  return text;
}

std::string values_text(const Snapshot& s) {
  const gw_config& c = s.attachment.config;
  std::string text;
  for (const ParamField& param : params_of(c.gateway))
    text += "  " + param_key(param) + " = " + param_text(*param.row, param.value) + "  (" +
            param.row->help + ")\n";
  for (const StateField& state : states_of(c.gateway, s.shared.port.state))
    text += "  " + plain_name(state) + " -> " + value_text(state) + "  (" + state.row->help + ")\n";
  return text;
}

std::string gateway_text(const Snapshot& s, Detail detail) {
  const gw_config& c = s.attachment.config;
  const pst_method_row& row = leading_part(c.gateway);
  std::string text = std::string(row.title) + "\n";
  if (detail == Detail::kAll)
    text += std::string("  ") + row.source + "\n  W' = " + row.formula + "\n";
  if (c.gateway.passive)
    text += "  rate " + passive_rate_text(s) + "\n  queue " + passive_queue_text(s) + "\n";
  if (c.gateway.upstream)
    text += "  rate " + upstream_rate_text(s) + "\n  queue " + upstream_queue_text(s) + "\n";
  text += "  queue_bytes " + round_size(s.backlog_bytes) + ", buffer_bytes " +
          round_size(c.limit_bytes) + ", rate " + round_rate(8 * s.rate_bytes_per_s()) +
          (s.is_measured() ? " (auto)" : "") + ", flows " + std::to_string(s.flows_active) + "\n";
  if (const std::string target = target_text(s); !target.empty())
    text += "  target queue " + target + "\n";
  if (const std::string rate = divided_text(s); !rate.empty())
    text += std::string("  ") + pst_discipline_rows[c.gateway.discipline].name + " divides " +
            rate + "\n";
  if (c.scone)
    text += "  advice to QUIC: " + scone_text(s) + "; the mean share of the last period\n";
  return text + decided_text(s) + (detail == Detail::kAll ? values_text(s) : "");
}

std::string flow_text(const gw_config& config, const gw_key& key, const gw_flow& f) {
  std::string text = end_text(key.sender, key.sender_port) + " -> " +
                     end_text(key.receiver, key.receiver_port) + "\n";
  if (const CounterRow* bypass = bypass_of(config, f))
    return text + "  passed untouched: " + bypass->help + "\n";
  const std::uint64_t rtt_ns = pst_rtt_get(&f.gateway.rtt);
  text += "  segment " + std::to_string(f.gateway.flow.mss_bytes) + " bytes, window scale " +
          std::to_string(f.gateway.flow.scale) + ", round trip " +
          (rtt_ns ? round_time(rtt_ns) : "not known") + "\n";
  const auto scaled = [&](std::uint16_t field) {
    return round_size(std::uint64_t{field} << f.gateway.flow.scale);
  };
  text += "  the receiver offers " + scaled(f.gateway.flow.field_in) + ", the method allows " +
          round_size(f.gateway.use.window_bytes) + ", sent on is " +
          scaled(f.gateway.flow.field_out) + "\n";
  return text + "  because: " + rule_text(f.limit) + "\n";
}

nlohmann::ordered_json explained_flow(const gw_config& config, const gw_key& key,
                                      const gw_flow& f) {
  nlohmann::ordered_json j = flow_json(config, key, f);
  const CounterRow* bypass = bypass_of(config, f);
  j["because"] = bypass ? bypass->help : rule_text(f.limit);
  return j;
}

}  // namespace

std::string explain_text(const Snapshot& s, const KnownFlows& flows, const HeldFlows& held,
                         Detail detail) {
  std::string text = gateway_text(s, detail);
  for (const auto& [key, flow] : flows) text += flow_text(s.attachment.config, key, flow);
  const gw_config& c = s.attachment.config;
  const bool brief = detail == Detail::kBrief && flows.empty();
  if (!held.empty())
    text += pst_discipline_rows[c.gateway.discipline].name +
            std::string(c.gateway.observe ? " would have dropped or marked\n"
                                          : " has dropped or marked\n") +
            held_text(held, brief ? kBriefFlows : kHeldFlows);
  if (brief)
    text +=
        "with --all: the formula, all parameters and the state; with ADDRESS:PORT: why a flow has "
        "its window\n";
  return text;
}

nlohmann::ordered_json explain_json(const Snapshot& s, const KnownFlows& flows,
                                    const HeldFlows& held) {
  const pst_method_row& row = leading_part(s.attachment.config.gateway);
  const nlohmann::ordered_json status = status_json(s);
  nlohmann::ordered_json j{{"schema_version", kSchemaVersion}, {"device", s.device.name}};
  j["title"] = row.title;
  j["source"] = row.source;
  j["formula"] = row.formula;
  for (const char* key : {"discipline", "queue_bytes", "buffer_bytes", "rate_bps", "flows_active",
                          "params", "method_state"})
    j[key] = status.at(key);
  for (const char* key : {"divided_rate_bps", "divided_rate_measured", "target_bytes", "target_ns",
                          "passive", "upstream", "scone_signal", "scone_advice_bps"})
    if (status.contains(key)) j[key] = status.at(key);
  j["flows"] = nlohmann::ordered_json::array();
  for (const auto& [key, flow] : flows)
    j["flows"].push_back(explained_flow(s.attachment.config, key, flow));
  j["held"] = held_json(held);
  return j;
}

std::string end_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) refuse_end(text);
  const std::string host = text.substr(0, colon);
  const char* const last = text.data() + text.size();
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data() + colon + 1, last, port);
  if (error != std::errc{} || end != last || !port) refuse_end(text);
  std::uint32_t address[4] = {0, 0, PST_BE32(0xffffU), 0};
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed ? inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), address) != 1
                : inet_pton(AF_INET, host.c_str(), address + 3) != 1)
    refuse_end(text);
  return end_text(address, PST_BE16(port));
}

}  // namespace penstock::gw
