// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/load/options.h"

#include <cstdio>
#include <fstream>
#include <iostream>

#include "gateway/link/cli.h"
#include "gateway/link/units.h"

namespace penstock::load {
namespace {

constexpr std::uint64_t kMaxFlows = 10'000;

// Flows that are alike, as the options of `send` and `receive` describe them.
struct Alike {
  Flow first{};
  std::uint64_t count = 1;
  std::uint64_t stagger_ns = 0;
  bool help = false;
};

using Options = std::vector<Option>;

void add_help(Options& list, bool& help) {
  for (const char* name : {"--help", "-h"})
    list.push_back({name, "", "this text", [&help](std::string_view) { help = true; }});
}

void add_clock(Options& list, Command& made) {
  Plan& plan = made.plan;
  list.push_back({"--until", "TIME", "end after this time",
                  [&](std::string_view t) { plan.until_ns = parse_time_ns(t); }});
  list.push_back({"--mark", "TIME", "note all counters at this time too (warm-up)",
                  [&](std::string_view t) { plan.mark_ns = parse_time_ns(t); }});
  list.push_back({"--epoch", "NS", "CLOCK_MONOTONIC at which times begin",
                  [&](std::string_view t) { plan.epoch_ns = parse_count(t); }});
  list.push_back({"-j", "", "report as JSON", [&](std::string_view) { made.as_json = true; }});
}

void add_samples(Options& list, Command& made) {
  list.push_back({"--sample", "TIME", "interval of samples of the windows",
                  [&](std::string_view t) { made.plan.sample_ns = parse_time_ns(t); }});
  list.push_back({"--sample-flows", "N", "so many flows are sampled (1)",
                  [&](std::string_view t) { made.plan.sampled_flows = parse_count(t); }});
}

std::uint64_t flow_count(std::string_view text) {
  const std::uint64_t count = parse_count(text);
  if (count < 1 || count > kMaxFlows) throw UsageError("from 1 to 10000 flows are possible");
  return count;
}

void add_alike(Options& list, Alike& alike) {
  Flow& flow = alike.first;
  list.push_back({"--flows", "N", "so many flows, on ports from --port on (1)",
                  [&](std::string_view t) { alike.count = flow_count(t); }});
  list.push_back({"--port", "N", "first port (5001)", [&](std::string_view t) {
                    flow.port =
                        static_cast<std::uint16_t>(std::min<std::uint64_t>(parse_count(t), 65535));
                  }});
  list.push_back({"--udp", "", "UDP at a constant rate instead of TCP",
                  [&](std::string_view) { flow.is_udp = true; }});
  list.push_back({"--size", "SIZE", "bytes of each TCP flow; without it, until the end",
                  [&](std::string_view t) { flow.size_bytes = parse_size_bytes(t); }});
}

void add_sending(Options& list, Alike& alike) {
  Flow& flow = alike.first;
  list.push_back({"--stagger", "TIME", "time between the starts of two flows",
                  [&](std::string_view t) { alike.stagger_ns = parse_time_ns(t); }});
  list.push_back({"--congestion", "NAME", "congestion control of the sockets, such as cubic",
                  [&](std::string_view t) { flow.congestion = t; }});
  list.push_back(
      {"--from", "ADDRESS", "own address", [&](std::string_view t) { flow.source = t; }});
  list.push_back({"--rate", "RATE", "payload rate of each UDP flow",
                  [&](std::string_view t) { flow.rate_bps = parse_rate_bps(t); }});
  list.push_back({"--payload", "SIZE", "payload of a UDP packet (1400B)", [&](std::string_view t) {
                    flow.payload_bytes = static_cast<std::uint32_t>(parse_size_bytes(t));
                  }});
  list.push_back({"--stop", "TIME", "when UDP flows end",
                  [&](std::string_view t) { flow.stop_ns = parse_time_ns(t); }});
}

void add_receiving(Options& list, Alike& alike) {
  list.push_back({"--window", "SIZE", "receive window; without it, autotuned",
                  [&](std::string_view t) { alike.first.window_bytes = parse_size_bytes(t); }});
}

Options options_of(const std::string& verb, Command& made, Alike& alike) {
  Options list;
  if (verb == "send" || verb == "receive") {
    add_alike(list, alike);
    verb == "send" ? add_sending(list, alike) : add_receiving(list, alike);
  }
  if (verb == "watch") {
    list.push_back({"--handle", "HANDLE", "of the queue, as tc writes it: 10: (the root)",
                    [&](std::string_view t) { made.watch.handle = parse_handle(std::string(t)); }});
    list.push_back({"--every", "TIME", "interval (5ms)",
                    [&](std::string_view t) { made.watch.every_ns = parse_time_ns(t); }});
  }
  add_clock(list, made);
  if (verb == "send" || verb == "run") add_samples(list, made);
  add_help(list, alike.help);
  return list;
}

void expand(const Alike& alike, Plan& plan) {
  if (alike.first.port + alike.count - 1 > 65535) throw UsageError("--port: too high for --flows");
  for (std::uint64_t number = 0; number < alike.count; ++number) {
    Flow flow = alike.first;
    flow.id = number + 1;
    flow.port = static_cast<std::uint16_t>(flow.port + number);
    flow.start_ns = number * alike.stagger_ns;
    check(flow);
    plan.flows.push_back(flow);
  }
}

void read_plan(const std::string& path, Plan& plan) {
  std::ifstream file(path);
  if (path != "-" && !file) throw UsageError(path + ": cannot be read");
  plan.flows = read_flows(path == "-" ? std::cin : file);
  if (plan.flows.empty()) throw UsageError(path + ": no flow in it");
}

const char* example(const std::string& verb) {
  if (verb == "send") return "penstock-load send 10.0.0.2 --flows 8 --size 10MB";
  if (verb == "receive") return "penstock-load receive :: --flows 8 --size 10MB";
  if (verb == "watch") return "penstock-load watch eth0 --handle 10: --every 5ms";
  return "penstock-load run PLAN";
}

}  // namespace

Command parse_command(int count, const char* const* arguments) {
  Command made;
  const std::string verb = count > 1 ? arguments[1] : "--help";
  if (verb == "--help" || verb == "-h") return made;
  if (verb != "send" && verb != "receive" && verb != "run" && verb != "watch")
    throw UsageError("'" + verb + "' is not one of send, receive, run, watch");
  Alike alike;
  alike.first.sends = verb == "send";
  alike.first.port = 5001;
  alike.first.payload_bytes = 1400;
  const auto others = parse_arguments(options_of(verb, made, alike), count - 1, arguments + 1);
  if (alike.help) return made;
  if (others.size() != 1) throw UsageError("one argument is wanted: " + std::string(example(verb)));
  made.kind = verb == "watch" ? Command::Kind::kWatch : Command::Kind::kPlay;
  made.watch.device = alike.first.address = others[0];
  made.watch.epoch_ns = made.plan.epoch_ns;
  made.watch.until_ns = made.plan.until_ns;
  if (made.watch.every_ns == 0) throw UsageError("--every: above 0, such as 5ms");
  if (verb == "run")
    read_plan(others[0], made.plan);
  else if (verb != "watch")
    expand(alike, made.plan);
  return made;
}

void print_help() {
  Command made;
  Alike alike;
  std::printf(
      "Usage: penstock-load send ADDRESS | receive ADDRESS | run PLAN | watch DEVICE "
      "[OPTION]...\n\n"
      "TCP bulk and constant-rate UDP flows with content that the receiver checks byte by byte.\n");
  for (const char* verb : {"send", "receive", "run", "watch"})
    std::printf("\n%s:\n%s", example(verb), describe(options_of(verb, made, alike)).c_str());
  std::printf(
      "\nA plan has a flow on each line:\n"
      "  receive tcp id=1 at=10.0.0.2 port=5001 size=5MB window=64kB segment=1460\n"
      "  send tcp id=1 to=10.0.0.2 from=10.0.0.1 port=5001 start=10ms size=5MB congestion=cubic\n"
      "  send udp id=2 to=10.0.0.2 port=5002 start=0s stop=5s rate=2mbit payload=1400\n"
      "\nPrints \"ready\" when it listens, the report when all flows are done or at SIGINT.\n"
      "Exit codes: 0 all well, 1 a flow failed or arrived changed, 2 usage, 77 no permission.\n");
}

}  // namespace penstock::load
