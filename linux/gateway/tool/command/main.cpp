// SPDX-License-Identifier: GPL-2.0-only
// penstock-gw: the command line.
#include "linux/common/command_line.h"
#include "linux/common/quantity.h"
#include "linux/gateway/tool/attach/device.h"
#include "linux/gateway/tool/attach/program.h"
#include "linux/gateway/tool/command/commands.h"
#include "linux/gateway/tool/command/examples.h"
#include "linux/gateway/tool/command/groups.h"
#include "linux/gateway/tool/settings/options.h"

#ifndef PENSTOCK_VERSION
#error "the build sets PENSTOCK_VERSION"
#endif

namespace {

using namespace penstock::gw;

void add_config(CLI::App* command, Options& o) {
  command->add_option_function<std::string>(
      "-c,--config",
      [&o](const std::string& path) {
        o.config = path;
        o.config_given = true;
      },
      "TOML file");
}

void add_pace(CLI::App* command, Options& o) {
  penstock::add_parsed(command, "-i,--interval", "TIME",
                       "time between two readings, such as 500ms (default 1s)", parse_interval_ns,
                       [&o](std::uint64_t ns) { o.interval_ns = ns; });
  command->add_option("-n,--count", o.count, "how many; 0 (default): until interrupted");
}

CLI::App* add_command(CLI::App& app, Options& o, int (*run)(const Options&), const char* name,
                      const char* help, bool device_required) {
  CLI::App* command = app.add_subcommand(name, help);
  auto* device = command->add_option("device", o.device, "device at the bottleneck");
  if (device_required) device->required();
  add_down(command, o);
  command->callback([&o, run] { o.run = run; });
  return command;
}

// The congestion controls of this machine's own connections.
void add_controls(CLI::App& app, Options& o) {
  CLI::App* cc = app.add_subcommand("cc", "congestion controls for this machine's connections");
  cc->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, int (*run)(const Options&)) {
    CLI::App* command = cc->add_subcommand(name, help);
    command->callback([&o, run] { o.run = run; });
    return command;
  };
  CLI::App* load = add("load", "register a sender with the kernel", run_cc_load);
  load->add_option("method", o.sender, "sender; see `penstock-gw cc list`")->required();
  load->add_flag("--default", o.as_default, "for all new connections of the network namespace");
  add_params(load, o.settings);
  CLI::App* unload = add("unload", "let new connections choose it no more", run_cc_unload);
  unload->add_option("method", o.sender, "sender that is loaded");
  unload->add_flag("--all", o.all, "all that are loaded");
  add("list", "the senders there are, and which are loaded", run_cc_list);
  add("status", "what is loaded, and the connections that use it", run_cc_status);
}

void add_run(CLI::App& app, Options& o) {
  CLI::App* run = app.add_subcommand("run", "hold one program's downloads or uploads to a rate");
  RunOptions& held = o.held;
  run->add_option("--down", held.down,
                  "rate of what it downloads, such as 20mbit, or idle: what others leave");
  run->add_option("--up", held.up, "rate of what it uploads");
  run->add_option("--device", held.device,
                  "device towards the line (default: that of the default route)");
  run->add_option("program", held.command, "program and its arguments, behind --");
  run->callback([&o] { o.run = [](const Options& all) { return run_held(all.held); }; });
}

void add_commands(CLI::App& app, Options& o) {
  add_controls(app, o);
  add_run(app, o);
  add_shapes(app, o);
  CLI::App* attach = add_command(app, o, run_attach, "attach", "attach to a device", true);
  add_settings(attach, o.settings, SettingOptions::kAttach);
  attach->add_flag(
      "--force", o.force,
      "attach although hardware takes packets past the programs, or data does not queue there");
  add_config(attach, o);
  CLI::App* detach = add_command(app, o, run_detach, "detach", "take everything away again", false);
  detach->add_flag("--all", o.all, "from all devices of the network namespace");
  detach->add_flag("--now", o.now, "open all windows at once, not by the ramp");
  add_settings(add_command(app, o, run_set, "set", "change settings while attached", true),
               o.settings, SettingOptions::kSet);
  add_config(add_command(app, o, run_reload, "reload", "take the settings of the file", true), o);
  CLI::App* check = app.add_subcommand("check", "look for mistakes in the file");
  add_config(check, o);
  check->callback([&o] { o.run = run_check; });
  add_command(app, o, run_status, "status", "what runs, and what it does", false);
  add_command(app, o, run_show, "show", "the settings in force, as TOML", true);
  add_command(app, o, run_flows, "flows", "the flows that are known", true);
  CLI::App* explain =
      add_command(app, o, run_explain, "explain", "why windows are what they are", true);
  explain->add_option("flow", o.flow, "one end of a flow, ADDRESS:PORT");
  explain->add_flag("--all", o.all, "the formula, all parameters and the state too");
  add_pace(add_command(app, o, run_top, "top", "live view", true), o);
  add_pace(add_command(app, o, run_monitor, "monitor", "a line of JSON each interval", true), o);
  CLI::App* compare =
      add_command(app, o, run_compare, "compare",
                  "observe and control in turn, and print what control gains", true);
  penstock::add_parsed(compare, "--for", "TIME", "how long, such as 10min (default)",
                       penstock::parse_time_ns, [&o](std::uint64_t ns) { o.total_ns = ns; });
  penstock::add_parsed(compare, "--period", "TIME",
                       "length of each turn (default: a twentieth, within 10s .. 1min)",
                       penstock::parse_time_ns, [&o](std::uint64_t ns) { o.period_ns = ns; });
  compare->add_option_function<std::vector<std::string>>(
      "--class", [&o](const std::vector<std::string>& classes) { o.classes = classes; },
      "also of these flows: NAME=PREFIX, 'NAME=port N', 'NAME=mark N' or 'NAME=shape SHAPE'; may "
      "be repeated");
  compare->add_option("--report", o.output, "file for a page of HTML to print");
  CLI::App* where = app.add_subcommand("where", "where data waits, and what would hold it");
  where->add_option("device", o.device, "device towards the line")->required();
  penstock::add_parsed(where, "--for", "TIME", "how long to watch; default 10s",
                       penstock::parse_time_ns, [&o](std::uint64_t ns) { o.view.total_ns = ns; });
  where->callback([&o] { o.run = run_where; });
  CLI::App* automatic = app.add_subcommand("auto", "hold each queue where that helps, unattended");
  auto* line = automatic->add_option("device", o.device, "device towards the line");
  add_config(automatic, o);
  CLI::App* today = automatic->add_subcommand("status", "what it did today, and why");
  today->add_option("device", o.device, "device towards the line");
  today->callback([&o] { o.run = run_auto_status; });
  automatic->callback([&o, line, today] {
    if (today->parsed()) return;
    if (!line->count()) throw CLI::RequiredError("device");
    o.run = run_auto;
  });
  add_command(app, o, run_doctor, "doctor", "what kernel and device can do", true);
  CLI::App* metrics = add_command(app, o, run_metrics, "metrics", "Prometheus text", true);
  metrics->add_option("-o,--output", o.output, "file, for node_exporter's textfile collector");
  metrics->add_option("--port", o.port, "serve on 127.0.0.1 at this port")
      ->check(CLI::Range(1, 65535));
  add_views(app, o);
  app.add_subcommand("methods", "methods and their parameters")->callback([&o] {
    o.run = run_methods;
  });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("TCP congestion feedback from the gateway", "penstock-gw");
  Options o;
  app.set_version_flag("-V,--version", "penstock-gw " PENSTOCK_VERSION);
  app.add_flag("-j,--json", o.json, "JSON output");
  app.add_option("--netns", o.netns, "network namespace, as ip-netns(8) names it");
  app.add_flag("-v,--verbose", o.verbose, "show the messages of the BPF library");
  app.require_subcommand(1);
  app.fallthrough();
  add_commands(app, o);
  add_examples(app);
  return penstock::run_program(app, argc, argv, [&o] {
    show_libbpf_messages(o.verbose);
    if (!o.netns.empty()) enter_namespace(o.netns);
    if (o.down) o.device = down_name(o.device);
    return o.run(o);
  });
}
