// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/events.h"

#include <map>
#include <sstream>

#include "core/describe.h"
#include "linux/common/quantity.h"
#include "linux/gateway/tool/settings/config.h"
#include "linux/gateway/tool/settings/settings.h"
#include "linux/gateway/tool/view/upstream.h"

namespace penstock::gw {

namespace {

using Values = std::map<std::string, std::string>;

// The settings by key, as the configuration file has them.
Values values_of(const Snapshot& s) {
  Values values;
  std::istringstream lines(to_toml("device", settings_of(s.attachment)));
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t at = line.find(" = "); at != std::string::npos)
      values[line.substr(0, at)] = line.substr(at + 3);
  return values;
}

std::string changes_between(Values before, const Values& after) {
  std::string text;
  const auto add = [&text](const std::string& change) {
    text += (text.empty() ? "" : ", ") + change;
  };
  for (const auto& [key, value] : after) {
    const auto old = before.find(key);
    if (old == before.end())
      add(key + " = " + value + " (was not set)");
    else if (old->second != value)
      add(key + " = " + value + " (was " + old->second + ")");
    if (old != before.end()) before.erase(old);
  }
  for (const auto& [key, value] : before) add(key + " is not set any more (was " + value + ")");
  return text;
}

std::string attached_text(const Snapshot& s) {
  const gw_config& c = s.attachment.config;
  return std::string(pst_variant_rows[c.variant].name) + ", " + mode_name(c.gateway.mode) +
         " mode, at " + (s.is_measured() ? "a measured rate" : round_rate(8 * c.line_bytes_per_s)) +
         (c.gateway.observe ? ", observing" : ", live");
}

bool is_attached(const Snapshot& s) { return s.state != State::kOff; }

void add_settings(std::vector<Event>& events, const Snapshot& before, const Snapshot& after) {
  const bool was = before.attachment.config.gateway.observe;
  const bool is = after.attachment.config.gateway.observe;
  if (was != is)
    events.push_back({is ? "observe" : "live",
                      is ? "set to observe: windows are computed and counted, none is rewritten"
                         : "set to live: windows are rewritten"});
  Values old = values_of(before);
  Values now = values_of(after);
  old.erase("observe");
  now.erase("observe");
  if (const std::string changes = changes_between(old, now); !changes.empty())
    events.push_back({"set", changes});
}

}  // namespace

std::vector<Event> events_between(const Snapshot& before, const Snapshot& after) {
  std::vector<Event> events;
  const bool again = is_attached(before) && is_attached(after) &&
                     before.attachment.since_ns != after.attachment.since_ns;
  if (is_attached(before) && (!is_attached(after) || again))
    events.push_back({"detach", again ? "detached, and attached again" : after.reason});
  if (is_attached(after) && (!is_attached(before) || again))
    events.push_back({"attach", attached_text(after)});
  else if (is_attached(after))
    add_settings(events, before, after);
  const bool was_degraded = before.state == State::kDegraded;
  if (after.state == State::kDegraded && (!was_degraded || before.reason != after.reason))
    events.push_back({"degraded", after.reason});
  if (was_degraded && is_attached(after) && after.state != State::kDegraded)
    events.push_back({"recovered", "no longer: " + before.reason});
  const std::string cause = is_attached(before) ? down_warning(before) : "";
  const std::string now = is_attached(after) ? down_warning(after) : "";
  if (now.empty() != cause.empty())
    events.push_back(now.empty() ? Event{"held", "no longer: " + cause} : Event{"not_held", now});
  if (after.floor != before.floor)
    events.push_back(after.floor == PST_FLOOR_NONE
                         ? Event{"floor_left", "smaller windows shorten the queue again"}
                         : Event{"floor", after.warning()});
  return events;
}

}  // namespace penstock::gw
