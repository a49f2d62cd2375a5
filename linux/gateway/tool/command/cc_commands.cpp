// SPDX-License-Identifier: GPL-2.0-only
// penstock-gw cc: load, unload, list, status.
#include <algorithm>
#include <cstdio>

#include "core/describe.h"
#include "linux/gateway/tool/cc/cc.h"
#include "linux/gateway/tool/command/commands.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/view/report.h"

namespace penstock::gw {

namespace {

std::string state_of(const LoadedControl* control) {
  if (!control) return "not loaded";
  return control->unloaded ? "unloaded, in use" : "loaded";
}

// The one available to new connections comes before those that only old ones use.
const LoadedControl* find(const std::vector<LoadedControl>& all, const std::string& method) {
  const LoadedControl* found = nullptr;
  for (const LoadedControl& control : all)
    if (control.method == method && (!found || !control.unloaded)) found = &control;
  return found;
}

}  // namespace

int run_cc_load(const Options& o) {
  load_control(o.sender, o.settings.params);
  const std::string name = control_of(o.sender).linux_name;
  if (o.as_default) set_default_control(name);
  if (o.json)
    print_json({{"schema_version", kSchemaVersion},
                {"method", o.sender},
                {"linux_name", name},
                {"default", default_control() == name}});
  else
    std::printf("%s is loaded as %s%s\n", o.sender.c_str(), name.c_str(),
                o.as_default ? ", the default of new connections here" : "");
  return kOk;
}

int run_cc_unload(const Options& o) {
  if (o.all == !o.sender.empty()) throw Error(kUsage, "cc unload: name one METHOD, or --all");
  if (!o.all) {
    unload_control(o.sender);
    return kOk;
  }
  for (const LoadedControl& control : loaded_controls())
    if (!control.unloaded) unload_control(control.method);
  return kOk;
}

int run_cc_list(const Options& o) {
  const std::vector<LoadedControl> loaded = loaded_controls();
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  if (!o.json) std::printf("%-18s %-16s %s\n", "method", "in Linux", "state");
  for (const Control& control : controls()) {
    const pst_method_row& row = *control.row;
    const std::string state = state_of(find(loaded, row.name));
    all.push_back({{"method", row.name},
                   {"linux_name", control.linux_name},
                   {"title", row.title},
                   {"state", state}});
    if (!o.json)
      std::printf("%-18s %-16s %s\n", row.name, control.linux_name.c_str(), state.c_str());
  }
  if (o.json) print_json({{"schema_version", kSchemaVersion}, {"controls", all}});
  return kOk;
}

int run_cc_status(const Options& o) {
  const std::string usual = default_control();
  std::map<std::string, ControlUse> use = control_use();
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  bool any = false;
  for (const LoadedControl& control : loaded_controls()) {
    const ControlUse& of = use[control.linux_name];
    any = true;
    all.push_back({{"method", control.method},
                   {"linux_name", control.linux_name},
                   {"state", state_of(&control)},
                   {"default", usual == control.linux_name},
                   {"connections", of.connections},
                   {"cwnd_segments", of.cwnd_segments},
                   {"retransmits", of.retransmits}});
    if (!o.json)
      std::printf(
          "%s (%s): %s%s\n  connections here  %llu, cwnd together %llu segments, "
          "%llu retransmitted\n",
          control.method.c_str(), control.linux_name.c_str(), state_of(&control).c_str(),
          usual == control.linux_name ? ", default" : "",
          static_cast<unsigned long long>(of.connections),
          static_cast<unsigned long long>(of.cwnd_segments),
          static_cast<unsigned long long>(of.retransmits));
  }
  if (o.json)
    print_json({{"schema_version", kSchemaVersion}, {"default", usual}, {"controls", all}});
  else if (!any)
    std::puts("no congestion control is loaded");
  return any ? kOk : kNotAttached;
}

}  // namespace penstock::gw
