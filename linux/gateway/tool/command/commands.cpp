// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/command/commands.h"

#include <cstdio>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "core/describe.h"
#include "linux/common/quantity.h"
#include "linux/common/shell.h"
#include "linux/gateway/tool/attach/attach.h"
#include "linux/gateway/tool/attach/offload.h"
#include "linux/gateway/tool/attach/pins.h"
#include "linux/gateway/tool/attach/routes.h"
#include "linux/gateway/tool/auto/auto.h"
#include "linux/gateway/tool/auto/day.h"
#include "linux/gateway/tool/compare/compare.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"
#include "linux/gateway/tool/settings/automatic.h"
#include "linux/gateway/tool/settings/config.h"
#include "linux/gateway/tool/settings/down.h"
#include "linux/gateway/tool/settings/parts.h"
#include "linux/gateway/tool/settings/spare.h"
#include "linux/gateway/tool/view/doctor.h"
#include "linux/gateway/tool/view/explain.h"
#include "linux/gateway/tool/view/metrics.h"
#include "linux/gateway/tool/view/report.h"
#include "linux/gateway/tool/view/snapshot.h"
#include "linux/gateway/tool/view/watch.h"
#include "linux/gateway/tool/where/adopt.h"
#include "linux/gateway/tool/where/suspect.h"
#include "linux/gateway/tool/where/where.h"

namespace penstock::gw {

namespace {

std::map<std::string, std::string> param_texts(const gw_config& c) {
  std::map<std::string, std::string> texts;
  for (const ParamField& param : params_of(c.gateway))
    texts[param_key(param)] = param_text(*param.row, param.value);
  return texts;
}

// Values that are not set, as comments: they follow the settings above them.
std::string defaults_text(const std::string& device, const gw_attachment& a) {
  Settings rest;
  if (!a.buffer_given) rest.buffer = form_size(a.config.limit_bytes);
  const Settings given = settings_of(a);
  for (const auto& [key, text] : param_texts(a.config))
    if (!given.params.contains(key)) rest.params[key] = text;
  show_spare_part(a.config, rest);
  if (given.spare) rest.spare.reset();
  if (!rest.buffer && !rest.spare && rest.params.empty()) return "";
  std::istringstream lines(to_toml(device, rest));
  std::string text = "# defaults:\n";
  for (std::string line; std::getline(lines, line);) text += "# " + line + "\n";
  return text;
}

// The settings in force, with the defaults of those that others may follow.
Settings in_force(const gw_attachment& a) {
  Settings s = settings_of(a);
  s.buffer = form_size(a.config.limit_bytes);
  s.fair = fair_text(a.config);
  if (const auto spared = spare_texts(a.config); !spared.empty()) s.spare = spared;
  s.scone = word_at(setting::scone, a.config.scone ? 1 : 0);
  if (!s.queue) s.queue = setting::queue.initial;
  return s;
}

nlohmann::ordered_json settings_json(const std::string& device, const gw_attachment& a) {
  nlohmann::ordered_json j = {{"schema_version", kSchemaVersion}, {"device", device}};
  put_settings(in_force(a), j);
  j["params"] = param_texts(a.config);
  return j;
}

int exit_of(State state) {
  return state == State::kOff ? kNotAttached : state == State::kDegraded ? kDegraded : kOk;
}

}  // namespace

int run_attach(const Options& o) {
  Settings settings;
  if (o.config_given) settings = configured(o.config, o.device);
  refuse_automatic(settings, o.config, o.device);
  settings.override_with(o.settings);
  const Descriptor turn = take_turn();
  make_way(o.device);
  const Device device = find_device(o.device);
  const Plan plan = plan_on(device, settings);
  if (!o.force) require_no_offload(device);
  // A file is for each boot, where routes come later.
  if (device.down && !o.force && !o.config_given) require_route(device);
  if (plan.config.gateway.passive && !o.force && !o.config_given) require_downstream(device);
  attach(device, plan);
  adopt_running(device);
  return kOk;
}

int run_reload(const Options& o) {
  // The whole file is checked first: an error changes nothing.
  const Settings settings = configured(o.config, o.device);
  refuse_automatic(settings, o.config, o.device);
  stop_on_signals();
  const Descriptor turn = take_turn();
  const Device device = find_device(o.device);
  change(device, plan_on(device, settings));
  return kOk;
}

int run_check(const Options& o) {
  const auto devices = read_config(o.config);
  std::printf("%s: %zu device%s, no mistake found\n", o.config.c_str(), devices.size(),
              devices.size() == 1 ? "" : "s");
  return kOk;
}

int run_set(const Options& o) {
  stop_on_signals();
  const Descriptor turn = take_turn();
  const Device device = find_device(o.device);
  const auto attachment = Pins(device).attachment();
  if (!attachment) throw Error(kNotAttached, o.device + " is not attached");
  Settings settings = settings_of(*attachment);
  settings.override_with(o.settings);
  change(device, plan_on(device, settings));
  return kOk;
}

int run_detach(const Options& o) {
  if (o.all == !o.device.empty()) throw Error(kUsage, "detach: name one DEVICE, or --all");
  stop_on_signals();
  const Release release = o.now ? Release::kAtOnce : Release::kRamp;
  const Descriptor turn = take_turn();
  if (!o.all) {
    detach(find_device_or_pins(o.device), release);
    return kOk;
  }
  std::optional<Error> first;  // hinders no other device
  for (const std::string& name : pinned_devices()) try {
      detach(find_device_or_pins(name), release);
    } catch (const Error& error) {
      if (!first) first.emplace(error);
    }
  for (const Leftover& left : leftovers()) remove_pins(left.device);
  if (first) throw Error(*first);
  return kOk;
}

// Of an attachment whose network namespace was deleted.
Snapshot left_behind(const Leftover& left) {
  Snapshot s;
  s.device = left.device;
  s.reason =
      "left by the deleted network namespace " + left.space + ": penstock-gw detach --all frees it";
  return s;
}

// What the `auto` that holds the attachment says of it; null if none does.
nlohmann::ordered_json auto_side(const Snapshot& s) {
  const auto day = day_json(s.device.interface);
  return day.is_object() ? day.value(s.device.down ? "down" : "up", nlohmann::ordered_json())
                         : nlohmann::ordered_json();
}

nlohmann::ordered_json whole_status_json(const Snapshot& s) {
  nlohmann::ordered_json j = status_json(s);
  if (auto side = auto_side(s); side.is_object()) j["auto"] = std::move(side);
  return j;
}

std::string whole_status_text(const Snapshot& s) {
  const auto side = auto_side(s);
  return status_text(s) + (side.is_object() ? "  auto         " + side.value("state", "") + ". " +
                                                  side.value("reason", "") + "\n"
                                            : "");
}

int run_status(const Options& o) {
  if (!o.device.empty()) {
    const Snapshot s = take_snapshot(find_device_or_pins(o.device));
    if (o.json)
      print_json(whole_status_json(s));
    else
      std::fputs(whole_status_text(s).c_str(), stdout);
    return exit_of(s.state);
  }
  int worst = kNotAttached;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  const auto put = [&](const Snapshot& s) {
    all.push_back(whole_status_json(s));
    if (!o.json) std::fputs(whole_status_text(s).c_str(), stdout);
  };
  for (const std::string& name : pinned_devices()) {
    const Snapshot s = take_snapshot(find_device_or_pins(name));
    if (s.state == State::kOff)
      continue;  // of a namespace that is gone, or of another version's maps
    put(s);
    worst = worst == kNotAttached || exit_of(s.state) == kDegraded ? exit_of(s.state) : worst;
  }
  for (const Leftover& left : leftovers()) {
    put(left_behind(left));
    worst = kDegraded;
  }
  if (o.json) print_json(all);
  if (!o.json && all.empty()) std::puts("not attached to any device");
  return worst;
}

int run_show(const Options& o) {
  const auto attachment = Pins(find_device(o.device)).attachment();
  if (!attachment) throw Error(kNotAttached, o.device + " is not attached");
  if (o.json)
    print_json(settings_json(o.device, *attachment));
  else
    std::fputs((to_toml(o.device, settings_of(*attachment)) + defaults_text(o.device, *attachment))
                   .c_str(),
               stdout);
  return kOk;
}

int run_flows(const Options& o) {
  const Device device = find_device(o.device);
  const Pins pins(device);
  const auto attachment = pins.attachment();
  if (!attachment) throw Error(kNotAttached, o.device + " is not attached");
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& [key, flow] : pins.flows())
    all.push_back(flow_json(attachment->config, key, flow));
  if (o.json) {
    print_json({{"schema_version", kSchemaVersion},
                {"device", o.device},
                {"half_open", pins.count_half_open()},
                {"flows", all}});
    return kOk;
  }
  for (const auto& f : all)
    std::printf("%s -> %s  rtt %s  window %s of %s  by %s%s\n",
                f["sender"].get<std::string>().c_str(), f["receiver"].get<std::string>().c_str(),
                round_time(f["rtt_ns"].get<std::uint64_t>()).c_str(),
                round_size(f["window_sent_bytes"].get<std::uint64_t>()).c_str(),
                round_size(f["window_offered_bytes"].get<std::uint64_t>()).c_str(),
                f["decided_by"].get<std::string>().c_str(),
                f["bypass"].get<std::string>().empty()
                    ? ""
                    : ("  passed: " + f["bypass"].get<std::string>()).c_str());
  return kOk;
}

int run_explain(const Options& o) {
  const std::string end = o.flow.empty() ? "" : end_of(o.flow);
  const Snapshot s = take_snapshot(find_device(o.device));
  if (s.state == State::kOff) throw Error(kNotAttached, o.device + " is not attached");
  KnownFlows flows;
  HeldFlows held = Pins(s.device).held();
  if (!end.empty()) {
    flows = Pins(s.device).flows();
    std::erase_if(held, [&end](const auto& one) { return !has_end(one.first, end); });
  }
  std::erase_if(flows, [&end](const auto& known) { return !has_end(known.first, end); });
  if (!end.empty() && flows.empty() && held.empty())
    throw Error(kFailed, "no flow with the end " + end + " is known; see penstock-gw flows " +
                             shell_word(o.device));
  if (o.json)
    print_json(explain_json(s, flows, held));
  else
    std::fputs(explain_text(s, flows, held, o.all ? Detail::kAll : Detail::kBrief).c_str(), stdout);
  return kOk;
}

int run_doctor(const Options& o) {
  bool problem = false;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  const Device device = find_device(o.device);
  const std::vector<Finding> waits = examine_waits(device);  // before rights are given up
  std::vector<Finding> found = examine(device);
  found.insert(found.end(), waits.begin(), waits.end());
  for (const Finding& f : found) {
    constexpr const char* kLevels[] = {"ok", "note", "problem"};
    problem |= f.level == Finding::kProblem;
    all.push_back({{"level", kLevels[f.level]}, {"what", f.what}, {"advice", f.advice}});
    if (!o.json)
      std::printf("%-8s %s%s%s\n", kLevels[f.level], f.what.c_str(),
                  f.advice.empty() ? "" : "\n         -> ", f.advice.c_str());
  }
  if (o.json) print_json({{"schema_version", kSchemaVersion}, {"findings", all}});
  return problem ? kDegraded : kOk;
}

int run_metrics(const Options& o) {
  if (o.port) return serve_metrics(o.device, o.port);
  const Snapshot s = take_snapshot(find_device_or_pins(o.device));
  const std::string text = metrics_text(s, watch_outcome(s));
  if (o.output.empty())
    std::fputs(text.c_str(), stdout);
  else
    write_metrics(text, o.output);
  return exit_of(s.state);
}

int run_methods(const Options&) {
  for (std::uint32_t v = 0; v < PST_VARIANT_COUNT; ++v) {
    if (!works_in_kernel(v)) continue;
    const pst_variant_row& row = pst_variant_rows[v];
    pst_gateway_config config;
    pst_variant_config(&config, v, 0);
    std::printf("%-14s %s%s\n", row.name, leading_part(config).title,
                row.name == std::string(kDefaultMethod) ? " (default)" : "");
    for (const ParamField& param : params_of(config))
      std::printf("  %-16s %s\n", param_key(param).c_str(), param.row->help);
  }
  return kOk;
}

int run_top(const Options& o) { return run_top(find_device(o.device), o.interval_ns, o.count); }

int run_monitor(const Options& o) {
  return run_monitor(find_device(o.device), o.interval_ns, o.count);
}

int run_where(const Options& o) {
  constexpr std::uint64_t kUsualNs = 10 * PST_NS_PER_S;
  constexpr std::uint64_t kLeastNs = PST_NS_PER_S;
  const std::uint64_t total_ns = o.view.total_ns ? o.view.total_ns : kUsualNs;
  if (total_ns < kLeastNs)
    throw Error(kUsage, "--for " + form_time(total_ns) + " is too short to see a queue grow: " +
                            form_time(kLeastNs) + " at least");
  return run_where(find_device(o.device), {total_ns, o.json});
}

// What the file says for `auto`: nothing, where it has no table of the device.
Settings automatic_of(const std::string& path, const std::string& name) {
  const auto devices = read_config(path);
  const auto found = devices.find(name);
  if (found != devices.end() && found->second.automatic) return found->second;
  const std::string other = found == devices.end() ? attachment_name(name, true) : name;
  if (devices.contains(other))
    throw Error(kConfig, path + ": [" + other + "] does not say auto = true");
  return {};
}

int run_auto(const Options& o) {
  const Settings settings = o.config_given ? automatic_of(o.config, o.device) : Settings{};
  return run_auto(find_device(o.device), settings, o.json);
}

int run_auto_status(const Options& o) {
  const std::vector<std::string> names =
      o.device.empty() ? auto_interfaces() : std::vector<std::string>{o.device};
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& name : names)
    if (auto day = day_json(name); day.is_object()) all.push_back(std::move(day));
  if (o.json && !o.device.empty())
    print_json(all.empty() ? nlohmann::ordered_json() : all[0]);
  else if (o.json)
    print_json(all);
  else
    for (const auto& day : all) std::fputs(day_text(day).c_str(), stdout);
  if (!all.empty()) return kOk;
  if (!o.json)
    std::puts(("no penstock-gw auto runs" + (o.device.empty() ? "" : " on " + o.device)).c_str());
  return kNotAttached;
}

int run_compare(const Options& o) {
  return run_compare(find_device(o.device), {o.total_ns, o.period_ns, o.json, o.classes, o.output});
}

}  // namespace penstock::gw
