// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/tool/commands.h"

#include <cstdio>

#include "core/control/describe.h"
#include "gateway/tool/attach.h"
#include "gateway/tool/error.h"
#include "gateway/tool/pins.h"
#include "gateway/tool/report.h"
#include "gateway/tool/snapshot.h"

namespace penstock::gw {

namespace {

// The settings in force, so that `set` changes only what it is told to.
Settings settings_of(const gw_attachment& a) {
  const gw_config& c = a.config;
  const pst_method_row& row = pst_method_rows[c.method];
  Settings s;
  s.rate = std::to_string(c.rate_bytes_per_s) + "bps";
  s.buffer = std::to_string(c.limit_bytes);
  s.method = row.name;
  s.mode = mode_name(c.mode);
  s.queue = a.own_qdisc ? "install" : "existing";
  s.source = source_name(c.queue_source);
  s.hook = a.tcx ? "tcx" : "clsact";
  s.observe = c.observe;
  for (std::uint32_t i = 0; i < row.param_count; ++i)
    s.params[param_key(row.params[i])] = param_text(row.params[i], pst_field_get(&c.params, i));
  return s;
}

void print_json(const nlohmann::ordered_json& j) { std::printf("%s\n", j.dump(2).c_str()); }

int exit_of(State state) {
  return state == State::kOff ? kNotAttached : state == State::kDegraded ? kDegraded : kOk;
}

}  // namespace

int run_attach(const Options& o) {
  attach(find_device(o.device), plan_of(o.settings));
  return kOk;
}

int run_set(const Options& o) {
  const Device device = find_device(o.device);
  const auto attachment = Pins(device).attachment();
  if (!attachment) throw Error(kNotAttached, o.device + " is not attached");
  Settings settings = settings_of(*attachment);
  settings.override_with(o.settings);
  change(device, plan_of(settings));
  return kOk;
}

int run_detach(const Options& o) {
  detach(find_device(o.device));
  return kOk;
}

int run_status(const Options& o) {
  if (!o.device.empty()) {
    const Snapshot s = take_snapshot(find_device(o.device));
    if (o.json)
      print_json(status_json(s));
    else
      std::fputs(status_text(s).c_str(), stdout);
    return exit_of(s.state);
  }
  int worst = kNotAttached;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& name : pinned_devices()) {
    const Snapshot s = take_snapshot(find_device(name));
    all.push_back(status_json(s));
    if (!o.json) std::fputs(status_text(s).c_str(), stdout);
    worst = worst == kNotAttached || exit_of(s.state) == kDegraded ? exit_of(s.state) : worst;
  }
  if (o.json) print_json(all);
  if (!o.json && all.empty()) std::puts("not attached to any device");
  return worst;
}

}  // namespace penstock::gw
