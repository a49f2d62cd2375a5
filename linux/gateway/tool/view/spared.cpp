// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/spared.h"

#include "linux/common/quantity.h"
#include "linux/gateway/tool/attach/pins.h"
#include "linux/gateway/tool/settings/spare.h"
#include "linux/gateway/tool/settings/spare_rule.h"
#include "linux/gateway/tool/view/explain.h"
#include "linux/gateway/tool/view/report.h"

namespace penstock::gw {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostOfRule = 8;  // of a rule

std::uint64_t rate_bps(const pst_spared& what, const Snapshot& s) {
  return 8 * pst_spared_bytes_per_s(&what, s.taken_ns);
}

// The fastest flows of a rule.
template <typename F>
void each_flow(const Snapshot& s, std::uint32_t rule, F f) {
  std::size_t count = 0;
  for (const auto& [key, flow] : s.spared_flows)
    if (flow.rule == rule && ++count <= kMostOfRule) f(key, flow.spared);
}

bool is_believed(const gw_config& c, std::uint32_t rule) {
  return pst_rule_is_believed(&c.rules[rule], c.outside);
}

std::string rule_text(const Snapshot& s, std::uint32_t rule) {
  if (!is_believed(s.attachment.config, rule))
    return "not believed: the packets come from the provider's side, whose DSCP counts with "
           "dscp=...,trust";
  const pst_spared& what = s.spared[rule];
  return round_rate(rate_bps(what, s)) + "; " + round_size(what.bytes) + " in " +
         std::to_string(what.packets) + " packets" +
         (what.beyond_packets ? ", and " + std::to_string(what.beyond_packets) + " beyond its bound"
                              : "");
}

}  // namespace

void read_spared(Snapshot& s) {
  if (!s.attachment.config.spares) return;
  const Pins pins(s.device);
  s.spared = pins.spared(s.taken_ns);
  s.spared_flows = pins.spared_flows(s.taken_ns);
}

std::string spared_text(const Snapshot& s) {
  const gw_config& c = s.attachment.config;
  const std::string part = spare_part_text(c);
  if (part.empty()) return "";
  std::string text =
      status_line("spared", part == "0%" ? (c.spares ? "what rules name" : "no flow")
                                         : "flows that keep their rate, up to " + part +
                                               " of the link" + (c.spares ? ", and by rules" : ""));
  const std::vector<std::string> rules = spare_rule_texts(c);
  for (std::uint32_t rule = 0; rule < s.spared.size() && rule < rules.size(); ++rule) {
    text += status_line("  by", "'" + rules[rule] + "': " + rule_text(s, rule));
    each_flow(s, rule, [&](const gw_held_key& key, const pst_spared& what) {
      text += status_line("", ends_text(key) + ": " + round_rate(rate_bps(what, s)));
    });
  }
  return text;
}

ordered_json spared_json(const Snapshot& s) {
  const gw_config& c = s.attachment.config;
  const std::vector<std::string> rules = spare_rule_texts(c);
  ordered_json all = ordered_json::array();
  for (std::uint32_t rule = 0; rule < s.spared.size() && rule < rules.size(); ++rule) {
    const pst_spared& what = s.spared[rule];
    ordered_json flows = ordered_json::array();
    each_flow(s, rule, [&](const gw_held_key& key, const pst_spared& own) {
      flows.push_back({{"sender", end_text(key.sender, key.sender_port)},
                       {"receiver", end_text(key.receiver, key.receiver_port)},
                       {"protocol", key.protocol},
                       {"rate_bps", rate_bps(own, s)},
                       {"packets", own.packets},
                       {"bytes", own.bytes}});
    });
    all.push_back({{"rule", rules[rule]},
                   {"believed", is_believed(c, rule)},
                   {"rate_bps", rate_bps(what, s)},
                   {"packets", what.packets},
                   {"bytes", what.bytes},
                   {"beyond_packets", what.beyond_packets},
                   {"flows", flows}});
  }
  return all;
}

}  // namespace penstock::gw
