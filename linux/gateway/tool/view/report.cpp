// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/report.h"

#include <arpa/inet.h>

#include <array>
#include <cstdio>

#include "core/describe.h"
#include "core/packet/bytes.h"
#include "linux/common/netlink.h"
#include "linux/common/quantity.h"
#include "linux/common/shell.h"
#include "linux/gateway/tool/settings/overhead.h"
#include "linux/gateway/tool/settings/parts.h"
#include "linux/gateway/tool/settings/settings.h"
#include "linux/gateway/tool/settings/spare.h"
#include "linux/gateway/tool/settings/target.h"
#include "linux/gateway/tool/view/elsewhere.h"
#include "linux/gateway/tool/view/rates.h"
#include "linux/gateway/tool/view/spared.h"
#include "linux/gateway/tool/view/upstream.h"

namespace penstock::gw {

using nlohmann::ordered_json;

namespace {

ordered_json params_json(const gw_config& c) {
  ordered_json params = ordered_json::object();
  for (const ParamField& param : params_of(c.gateway)) params[param.name] = param.value;
  return params;
}

ordered_json state_json(const Snapshot& s) {
  ordered_json state = ordered_json::object();
  for (const StateField& field : states_of(s.attachment.config.gateway, s.shared.port.state))
    state[field.name] = field.value;
  return state;
}

std::string queue_name(const Snapshot& s) {
  const std::uint32_t leaf = s.attachment.config.leaf_class;
  return s.root_kind + (leaf ? " class " + handle_text(leaf) : "");
}

std::string percent(double ratio) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", 100 * ratio);
  return text.data();
}

std::string bypass_text(const Snapshot& s) {
  std::string text;
  for (int i = 0; i < kBypassRowCount; ++i) {
    const std::uint64_t n = s.count(GW_PASS_not_ip + i);
    if (n) text += (text.empty() ? "" : ", ") + std::to_string(n) + " " + kBypassRows[i].name;
  }
  return text.empty() ? "none" : text;
}

std::string limits_text(const Snapshot& s) {
  std::string text;
  for (std::uint32_t i = 0; i < PST_LIMIT_COUNT; ++i) {
    const std::uint64_t n = s.count(GW_BY_LIMIT + static_cast<int>(i));
    if (n) text += (text.empty() ? "" : ", ") + std::to_string(n) + " " + limit_name(i);
  }
  return text.empty() ? "none" : text;
}

std::string discipline_text(const Snapshot& s) {
  const std::string would = s.attachment.config.gateway.observe ? "would have " : "";
  return would + "dropped " + std::to_string(s.count(GW_COUNT_early_drops)) + " and marked " +
         std::to_string(s.count(GW_COUNT_early_marks)) + " of " +
         std::to_string(s.count(GW_COUNT_forward_packets)) + " packets";
}

std::string rate_text(const Snapshot& s) {
  const gw_config& c = s.attachment.config;
  if (c.gateway.passive) return passive_rate_text(s);
  if (c.gateway.upstream) return upstream_rate_text(s);
  const std::string rate = round_rate(8 * s.line_bytes_per_s());
  if (s.is_measured())
    return rate + (s.shared.port.state.departures.known_ns
                       ? ", measured from what leaves the queue (auto)"
                       : ", assumed until packets wait in the queue (auto)");
  if (!c.has_overhead) return rate;
  return rate + " of the line; full packets (overhead " + overhead_text(c.overhead) + ") have " +
         round_rate(8 * c.rate_bytes_per_s);
}

bool reads_departures(const gw_config& c) {
  return c.measures && !pst_gateway_is_elsewhere(&c.gateway);
}

std::string queue_text(const Snapshot& s) {
  const gw_config& c = s.attachment.config;
  if (c.gateway.passive) return passive_queue_text(s);
  if (c.gateway.upstream) return upstream_queue_text(s);
  const std::uint64_t longest_bytes = pst_departure_rate_longest(&s.shared.port.state.departures);
  const std::uint64_t would = s.is_modelled() ? s.count(GW_COUNT_observed_drops) : 0;
  const bool exceeds = reads_departures(c) && longest_bytes > c.limit_bytes;
  if (c.down)
    return round_size(s.backlog_bytes) + " of " + round_size(c.limit_bytes) + ", " +
           std::to_string(s.drops) + " packets beyond it (virtual: nothing waits here)";
  return round_size(s.backlog_bytes) + " of " + round_size(c.limit_bytes) + ", " +
         (exceeds ? "but up to " + round_size(longest_bytes) + " recently, " : "") +
         (s.would_drop() ? std::to_string(would) + " would have been dropped ("
                         : std::to_string(s.drops - would) + " drops (") +
         queue_name(s) + ", read " +
         (c.queue_source == GW_QUEUE_KERNEL ? "from the kernel" : "as a virtual queue") + ")";
}

}  // namespace

std::string status_line(const char* label, const std::string& value) {
  std::array<char, 32> head{};
  std::snprintf(head.data(), head.size(), "  %-12s ", label);
  return head.data() + value + "\n";
}

std::string json_text(const ordered_json& j, int indent) {
  return j.dump(indent, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

void print_json(const ordered_json& j) { std::fputs(json_text(j, 2).c_str(), stdout); }

ordered_json status_json(const Snapshot& s) {
  ordered_json j;
  j["schema_version"] = kSchemaVersion;
  j["device"] = s.device.name;
  j["state"] = state_name(s.state);
  j["reason"] = s.reason;
  if (s.state == State::kOff) return j;
  const gw_config& c = s.attachment.config;
  j["method"] = pst_variant_rows[c.variant].name;
  j["mode"] = mode_name(c.gateway.mode);
  j["observe"] = c.gateway.observe;
  j["discipline"] = pst_discipline_rows[c.gateway.discipline].name;
  j["signal"] = pst_signal_rows[c.gateway.signal].name;
  j["fair"] = fair_text(c);
  if (const auto spared = spare_texts(c); !spared.empty()) j["spare"] = spared;
  if (c.spares) j["spared"] = spared_json(s);
  j["scone"] = c.scone ? "on" : "off";
  if (c.scone) {
    const std::uint32_t signal = scone_signal(s);
    j["scone_signal"] = signal;
    j["scone_advice_bps"] = static_cast<std::uint64_t>(scone_rate_bps(signal));
  }
  if (c.gateway.share_by != PST_SHARE_BY_FLOW) j["share_by"] = share_by_text(c);
  if (c.gateway.beyond != PST_BEYOND_NONE) j["beyond"] = beyond_name(c.gateway.beyond);
  j["rate_bps"] = s.line_bytes_per_s() * 8;
  if (s.is_measured()) {
    const pst_departure_rate& departures = s.shared.port.state.departures;
    j["departures"] = {
        {"bytes_per_s", departures.bytes_per_s},
        {"sent_bytes_per_s", departures.sent_bytes_per_s},
        {"known", pst_gateway_is_elsewhere(&c.gateway) ? !lacks_rate(s) : departures.known_ns > 0}};
  }
  put_divided(s, j);
  if (c.gateway.passive) j["passive"] = passive_json(s);
  if (c.down) j["upstream"] = upstream_json(s);
  if (c.has_overhead) j["overhead"] = overhead_text(c.overhead);
  j["buffer_bytes"] = c.limit_bytes;
  if (const auto target = target_of(c, s.shared.port.state)) {
    j["target_bytes"] = *target;
    j["target_ns"] = target_ns_at(*target, s.rate_bytes_per_s());
  }
  j["queue"] = s.attachment.own_qdisc ? "install" : "existing";
  j["queue_source"] = source_name(c.queue_source);
  j["queue_kind"] = s.root_kind;
  if (s.attachment.config.leaf_class) j["class"] = handle_text(s.attachment.config.leaf_class);
  if (s.attachment.acks_ifindex) j["acks"] = s.attachment.acks;
  j["queue_bytes"] = s.backlog_bytes;
  if (reads_departures(c))
    j["queue_longest_bytes"] = pst_departure_rate_longest(&s.shared.port.state.departures);
  j["queue_drops"] = s.drops;
  j["hook"] = s.attachment.tcx ? "tcx" : "clsact";
  j["flows_active"] = s.flows_active;
  j["flows_adopted"] = s.attachment.adopted;
  j["controllable_ratio"] = s.controllable_ratio();
  j["warning"] = s.warning();
  j["far_wait_ns"] = far_wait_ns(s);
  j["not_held"] = not_held_text(s);
  j["params"] = params_json(c);
  j["method_state"] = state_json(s);
  for (int i = 0; i < kCounterRowCount; ++i) j[kCounterRows[i].name] = s.count(i);
  ordered_json& bypassed = j["bypassed"] = ordered_json::object();
  for (int i = 0; i < kBypassRowCount; ++i)
    bypassed[kBypassRows[i].name] = s.count(GW_PASS_not_ip + i);
  ordered_json& acks_by = j["acks_by"] = ordered_json::object();
  for (std::uint32_t i = 0; i < PST_LIMIT_COUNT; ++i)
    acks_by[limit_name(i)] = s.count(GW_BY_LIMIT + static_cast<int>(i));
  return j;
}

std::string status_text(const Snapshot& s) {
  std::string text = s.device.name + ": " + state_name(s.state) +
                     (s.reason.empty() ? "" : " (" + s.reason + ")") + "\n";
  if (s.state == State::kOff) return text;
  const gw_config& c = s.attachment.config;
  text += status_line("method", std::string(pst_variant_rows[c.variant].name) + ", " +
                                    mode_name(c.gateway.mode) + " mode" +
                                    (c.gateway.share_by ? ", shared by " + share_by_text(c) : ""));
  text += status_line("rate", rate_text(s));
  text += status_line("queue", queue_text(s));
  if (const std::string target = target_text(s); !target.empty())
    text += status_line("target", target);
  if (s.attachment.acks_ifindex)
    text += status_line(
        "ACKs", std::string("leave by ") + s.attachment.acks +
                    (pst_gateway_paces(&c.gateway)
                         ? ", whose fq has held " + std::to_string(s.count(GW_COUNT_acks_held))
                         : ""));
  text += status_line(
      "flows", std::to_string(s.flows_active) + " active" +
                   (s.attachment.adopted
                        ? ", " + std::to_string(s.attachment.adopted) + " older ones were adopted"
                        : ""));
  if (const std::string warning = s.warning(); !warning.empty())
    text += status_line("warning", warning);
  text += status_line("controllable", percent(s.controllable_ratio()) + " of " +
                                          round_size(s.count(GW_COUNT_forward_bytes)) +
                                          (c.down ? " that came in" : " sent"));
  if (const std::string not_held = not_held_text(s); !not_held.empty())
    text += status_line("not held", not_held);
  text += status_line(c.gateway.observe ? "would rewrite" : "rewritten",
                      std::to_string(s.count(GW_COUNT_acks_rewritten)) + " of " +
                          std::to_string(s.count(GW_COUNT_acks_seen)) + " ACKs");
  text += status_line("decided by", limits_text(s) + " (penstock-gw explain says what each is)");
  text += status_line("bypassed", bypass_text(s));
  if (c.gateway.discipline != PST_DISCIPLINE_DROPTAIL)
    text += status_line(pst_discipline_rows[c.gateway.discipline].name, discipline_text(s));
  text += spared_text(s);
  if (const std::string rate = divided_text(s); !rate.empty())
    text += status_line(
        (std::string(pst_discipline_rows[c.gateway.discipline].name) + " divides").c_str(), rate);
  if (c.scone) text += status_line("SCONE", scone_text(s));
  return text;
}

std::string target_text(const Snapshot& s) {
  const auto bytes = target_of(s.attachment.config, s.shared.port.state);
  if (!bytes || lacks_rate(s)) return "";
  return round_size(*bytes) + ", " + round_time(target_ns_at(*bytes, s.rate_bytes_per_s())) +
         " at the rate";
}

std::string end_text(const std::uint32_t address[4], std::uint16_t port) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const bool v4 = !address[0] && !address[1] && address[2] == PST_BE32(0xffffU);
  inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? address + 3 : address, text.data(), text.size());
  return (v4 ? text.data() : "[" + std::string(text.data()) + "]") + ":" +
         std::to_string(PST_BE16(port));
}

const CounterRow* bypass_of(const gw_config& config, const gw_flow& flow) {
  const std::uint32_t skip = gw_skip_of(&config, &flow);
  if (skip == GW_CONTROLLED || skip >= GW_SKIP_COUNT) return nullptr;
  return &kBypassRows[GW_PASS_authenticated - GW_PASS_not_ip + skip - 1];
}

ordered_json flow_json(const gw_config& config, const gw_key& key, const gw_flow& f) {
  const CounterRow* bypass = bypass_of(config, f);
  ordered_json j;
  j["sender"] = end_text(key.sender, key.sender_port);
  j["receiver"] = end_text(key.receiver, key.receiver_port);
  j["vlan"] = key.tags & 0xfff;
  j["outer_vlan"] = key.tags >> 12;
  j["pppoe_session"] = key.session;
  j["contender"] = key.contender;
  j["bypass"] = bypass ? bypass->name : "";
  j["scale"] = f.gateway.flow.scale;
  j["mss_bytes"] = f.gateway.flow.mss_bytes;
  j["rtt_ns"] = pst_rtt_get(&f.gateway.rtt);
  j["window_offered_bytes"] = std::uint64_t{f.gateway.flow.field_in} << f.gateway.flow.scale;
  j["window_sent_bytes"] = std::uint64_t{f.gateway.flow.field_out} << f.gateway.flow.scale;
  j["allowed_bytes"] = f.gateway.use.window_bytes;
  j["decided_by"] = limit_name(f.limit);
  j["sent_bytes"] = f.sent_bytes;
  j["beyond_bytes"] = f.beyond_bytes;
  j["acks"] = f.acks;
  j["rewritten"] = f.rewritten;
  j["seen_ns"] = f.seen_ns;
  return j;
}

}  // namespace penstock::gw
