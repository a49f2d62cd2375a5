// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/tool/explain.h"

#include "core/describe.h"
#include "gateway/common/quantity.h"
#include "gateway/tool/parts.h"
#include "gateway/tool/report.h"
#include "gateway/tool/settings.h"

namespace penstock::gw {

namespace {

const char* rule_text(std::uint8_t limit) {
  return limit < PST_LIMIT_COUNT ? pst_limit_rows[limit].help : "unknown";
}

std::string value_text(pst_unit unit, const std::string& name, std::uint64_t value) {
  const bool q16 = name.ends_with("_q16");
  const bool q32 = name.ends_with("_q32");
  if (!q16 && !q32) {
    if (unit == PST_BYTES) return round_size(value);
    if (unit == PST_NS) return round_time(value);
    return unit == PST_BPS ? round_rate(value) : std::to_string(value);
  }
  return std::to_string(static_cast<double>(value) /
                        static_cast<double>(q16 ? PST_Q16_ONE : PST_Q32_ONE));
}

}  // namespace

std::string explain_gateway(const Snapshot& s) {
  const gw_config& c = s.attachment.config;
  const pst_method_row& row = leading_part(c.gateway);
  std::string text =
      std::string(row.title) + "\n  " + row.source + "\n  W' = " + row.formula + "\n";
  text += "  queue_bytes " + round_size(s.backlog_bytes) + ", buffer_bytes " +
          round_size(c.limit_bytes) + ", rate " + round_rate(8 * c.rate_bytes_per_s) + ", flows " +
          std::to_string(s.flows_active) + "\n";
  for (const ParamField& param : params_of(c.gateway))
    text += "  " + param_key(param) + " = " + param_text(*param.row, param.value) + "  (" +
            param.row->help + ")\n";
  for (const StateField& state : states_of(c.gateway, s.shared.gateway))
    text += "  " + state.name + " -> " + value_text(state.row->unit, state.name, state.value) +
            "  (" + state.row->help + ")\n";
  return text;
}

std::string explain_flow(const gw_config& config, const gw_key& key, const gw_flow& f) {
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
          round_size(f.allowed_bytes) + ", sent on is " + scaled(f.gateway.flow.field_out) + "\n";
  return text + "  because: " + rule_text(f.limit) + "\n";
}

}  // namespace penstock::gw
