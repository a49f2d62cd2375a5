// SPDX-License-Identifier: GPL-2.0-only
// penstock-gw: the command line.
#include "linux/common/command_line.h"
#include "linux/common/quantity.h"
#include "linux/gateway/tool/commands.h"
#include "linux/gateway/tool/program.h"
#include "linux/gateway/tool/shape_commands.h"
#include "linux/gateway/tool/view_commands.h"

#ifndef PENSTOCK_VERSION
#error "the build sets PENSTOCK_VERSION"
#endif

namespace {

using namespace penstock::gw;

void add_params(CLI::App* command, Options& o) {
  command->add_option_function<std::vector<std::string>>(
      "-p,--param",
      [&o](const std::vector<std::string>& pairs) {
        for (const std::string& pair : pairs) {
          const std::size_t at = pair.find('=');
          if (at == std::string::npos)
            throw CLI::ValidationError("--param", "'" + pair + "' is not KEY=VALUE");
          o.settings.params[pair.substr(0, at)] = pair.substr(at + 1);
        }
      },
      "KEY=VALUE of the method; may be repeated");
}

void add_settings(CLI::App* command, Options& o) {
  command->add_option("--rate", o.settings.rate,
                      "bottleneck rate, such as 20mbit; auto: measured (with --queue existing)");
  command->add_option("--overhead", o.settings.overhead,
                      "of the rate, in tc-cake(8)'s words: pppoe-ptm, docsis, '44 mpu 64 atm'");
  command->add_option("--buffer", o.settings.buffer,
                      "queue limit in bytes, such as 97kB; default 50 ms at the rate, 20 ms over "
                      "CAKE and the like");
  command->add_option("--target", o.settings.target,
                      "queue that the method aims at, as a time at the rate or in bytes: 5ms, "
                      "12500B; default 5ms with penstock");
  command->add_option("-m,--method", o.settings.method, "method; see `penstock-gw methods`");
  command->add_option("--mode", o.settings.mode, "safe (default), strict or literal");
  // By a function: CLI11 2.1 sets an optional flag that is not on the command line to false.
  command->add_flag_function(
      "--observe,!--live", [&o](std::int64_t observe) { o.settings.observe = observe > 0; },
      "compute and count, change no packet (--live ends it)");
  command->add_flag_function(
      "--police,!--no-police", [&o](std::int64_t police) { o.settings.police = police > 0; },
      "drop some of the data that ignores its window");
  command->add_option("--fair", o.settings.fair,
                      "hold what no window controls to its fair share, by drops and marks: on "
                      "(default with a law), or off");
  command->add_option(
      "--discipline", o.settings.discipline,
      "drop or mark packets of all flows by red, ared, blue, pie, csfq, ...; without "
      "--method alone, else below its law");
  command->add_option("--signal", o.settings.signal,
                      "effect of a discipline's early events: drop, ecn, or window");
  command->add_option("--queue", o.settings.queue,
                      "install: HTB and a FIFO at the rate (default); existing: leave the qdisc");
  command->add_option("--class", o.settings.traffic_class,
                      "class of the existing queue whose backlog is read, such as 1:10");
  command->add_option(
      "--source", o.settings.source,
      "queue state: auto (default), kernel, virtual, or passive: of a bottleneck further "
      "down, from ACKs, with --rate auto");
  command->add_option("--scalable", o.settings.scalable,
                      "L4S flows: auto (default: bypass if the queue marks), bypass, or control");
  command->add_option("--scone", o.settings.scone,
                      "write the long-term share of a flow as advice into QUIC's SCONE packets: "
                      "on, or off (default)");
  command->add_option("--share-by", o.settings.share_by,
                      "what gets equal parts: flow (default), host, prefix:N, or mark");
  command->add_option("--beyond", o.settings.beyond,
                      "with more flows than there is room for: none (default), or pace-acks: fq on "
                      "the device of --acks delays ACKs");
  command->add_option_function<std::vector<std::string>>(
      "--exempt", [&o](const std::vector<std::string>& rules) { o.settings.exempt = rules; },
      "leave flows alone: PREFIX, 'port N' or 'PREFIX port N'; may be repeated; none: no more");
  command->add_option("--hook", o.settings.hook, "clsact (default) or tcx");
  command->add_option("--flows", o.settings.flows, "that the table holds; default 65536");
  command->add_option("--shapes", o.settings.shapes,
                      "subscribers' queues that there is room for, see shape; default none");
  command->add_option("--idle", o.settings.idle,
                      "time after which a quiet flow is forgotten; default 7440s");
  add_params(command, o);
}

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
                       "time between two looks, such as 500ms (default 1s)", parse_interval_ns,
                       [&o](std::uint64_t ns) { o.interval_ns = ns; });
  command->add_option("-n,--count", o.count, "how many; 0 (default): until interrupted");
}

CLI::App* add_command(CLI::App& app, Options& o, int (*run)(const Options&), const char* name,
                      const char* help, bool device_required) {
  CLI::App* command = app.add_subcommand(name, help);
  auto* device = command->add_option("device", o.device, "device at the bottleneck");
  if (device_required) device->required();
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
  add_params(load, o);
  CLI::App* unload = add("unload", "let new connections choose it no more", run_cc_unload);
  unload->add_option("method", o.sender, "sender that is loaded");
  unload->add_flag("--all", o.all, "all that are loaded");
  add("list", "the senders there are, and which are loaded", run_cc_list);
  add("status", "what is loaded, and the connections that use it", run_cc_status);
}

void add_commands(CLI::App& app, Options& o) {
  add_controls(app, o);
  add_shapes(app, o);
  CLI::App* attach = add_command(app, o, run_attach, "attach", "attach to a device", true);
  add_settings(attach, o);
  attach->add_option("--acks", o.settings.acks,
                     "device by which the ACKs leave, where DEVICE is the ifb behind it");
  attach->add_flag("--force", o.force, "attach although hardware takes packets past the programs");
  add_config(attach, o);
  CLI::App* detach = add_command(app, o, run_detach, "detach", "take everything away again", false);
  detach->add_flag("--all", o.all, "from all devices of the network namespace");
  detach->add_flag("--now", o.now, "open all windows at once, not by the ramp");
  add_settings(add_command(app, o, run_set, "set", "change settings while attached", true), o);
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
  return penstock::run_program(app, argc, argv, [&o] {
    show_libbpf_messages(o.verbose);
    if (!o.netns.empty()) enter_namespace(o.netns);
    return o.run(o);
  });
}
