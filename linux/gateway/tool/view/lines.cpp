// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/lines.h"

#include <algorithm>
#include <vector>

#include "core/describe.h"
#include "linux/common/clock.h"
#include "linux/gateway/tool/settings/settings.h"
#include "linux/gateway/tool/view/outcome.h"
#include "linux/gateway/tool/view/report.h"

namespace penstock::gw {

namespace {

constexpr std::size_t kMostFlows = 32;

Line line_of(const char* kind, std::uint64_t time_ns) {
  return {{"kind", kind}, {"time_ns", time_ns}};
}

template <typename Rows>
Line helps(const Rows& rows) {
  Line j = Line::object();
  for (const auto& row : rows) j[row.name] = row.help;
  return j;
}

Line flow_line(const gw_config& config, const Sender& sender, double seconds) {
  const Line all = flow_json(config, sender.key, sender.flow);
  Line j;
  for (const char* key : {"sender", "receiver", "rtt_ns", "window_offered_bytes",
                          "window_sent_bytes", "sent_bytes", "beyond_bytes"})
    j[key] = all.at(key);
  // Not known of the first line, which has none before it.
  j["rate_bps"] =
      seconds > 0
          ? Line(static_cast<std::uint64_t>(8 * static_cast<double>(sender.new_bytes) / seconds))
          : Line();
  const std::string bypass = all.at("bypass");
  j["controlled"] = bypass.empty();
  j["limited_by"] = bypass.empty() ? all.at("decided_by").get<std::string>() : bypass;
  return j;
}

}  // namespace

std::string text_of(const Line& line) { return json_text(line); }

Line head_line(const std::string& device, std::uint64_t interval_ns) {
  Line j = line_of("head", clock_ns(CLOCK_REALTIME));
  j["schema_version"] = kLinesVersion;
  j["device"] = device;
  j["version"] = PENSTOCK_VERSION;
  j["interval_ns"] = interval_ns;
  j["rules"] = helps(pst_limit_rows);
  j["bypasses"] = helps(kBypassRows);
  return j;
}

Line sample_line(const Snapshot& s, std::uint64_t time_ns) {
  Line j = line_of("sample", time_ns);
  j["state"] = state_name(s.state);
  j["queue_bytes"] = s.backlog_bytes;
  j["queue_drops"] = s.drops;
  j["flows_active"] = s.flows_active;
  for (const int id : {GW_COUNT_forward_bytes, GW_COUNT_forward_controlled_bytes,
                       GW_COUNT_acks_seen, GW_COUNT_acks_rewritten})
    j[kCounterRows[id].name] = s.count(id);
  return j;
}

Line status_line(const Snapshot& s, std::uint64_t time_ns) {
  Line j = line_of("status", time_ns);
  j["status"] = status_json(s);
  return j;
}

Line event_line(const Event& event, std::uint64_t time_ns) {
  Line j = line_of("event", time_ns);
  j["event"] = event.name;
  j["reason"] = event.reason;
  return j;
}

Line FlowLines::line(const Snapshot& s, std::uint64_t time_ns) {
  std::vector<Sender> senders;
  if (s.state != State::kOff && s.device.ifindex)
    senders = senders_.look(s.device);
  else
    senders_ = {};
  const double seconds = time_ns_ ? static_cast<double>(time_ns - time_ns_) / 1e9 : 0;
  Line j = line_of("flows", time_ns);
  j["known"] = senders.size();
  j["flows"] = Line::array();
  for (std::size_t i = 0; i < std::min(senders.size(), kMostFlows); ++i)
    j["flows"].push_back(flow_line(s.attachment.config, senders[i], seconds));
  paths_s_.clear();
  for (const Sender& sender : senders)
    if (const auto path = path_s(sender.flow, 0); path && sender.new_bytes)
      paths_s_.push_back(*path);
  time_ns_ = time_ns;
  return j;
}

}  // namespace penstock::gw
