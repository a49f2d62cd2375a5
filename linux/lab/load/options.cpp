// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/load/options.h"

#include <fstream>
#include <iostream>

#include "linux/common/error.h"
#include "linux/common/quantity.h"

namespace penstock::load {
namespace {

constexpr std::uint64_t kMaxFlows = 10'000;

template <typename Field>
auto into(Field& field) {
  return [&field](std::uint64_t value) { field = static_cast<Field>(value); };
}

void add_time(CLI::App* verb, const char* name, std::uint64_t& target, const char* help) {
  add_parsed(verb, name, "TIME", help, parse_time_ns, into(target));
}

void add_clock(CLI::App* verb, Options& o) {
  add_time(verb, "--until", o.plan.until_ns, "end after this time");
  add_time(verb, "--mark", o.plan.mark_ns, "note all counters at this time too (warm-up)");
  verb->add_option("--epoch", o.plan.epoch_ns, "CLOCK_MONOTONIC in ns at which times begin");
  verb->add_flag("-j,--json", o.as_json, "report as JSON");
}

void add_samples(CLI::App* verb, Options& o) {
  add_time(verb, "--sample", o.plan.sample_ns, "interval of samples of the windows");
  verb->add_option("--sample-flows", o.plan.sampled_flows, "so many flows are sampled (1)");
}

void add_alike(CLI::App* verb, Alike& alike) {
  Flow& flow = alike.first;
  verb->add_option("--flows", alike.count, "so many flows, on ports from --port on (1)")
      ->check(CLI::Range(std::uint64_t{1}, kMaxFlows));
  verb->add_option("--port", flow.port, "first port (5001)")->check(CLI::Range(1, 65535));
  verb->add_flag("--udp", flow.is_udp, "UDP at a constant rate instead of TCP");
  add_parsed(verb, "--size", "SIZE", "bytes of each TCP flow; without it, until the end",
             parse_size_bytes, into(flow.size_bytes));
}

void add_sending(CLI::App* verb, Alike& alike) {
  Flow& flow = alike.first;
  add_time(verb, "--stagger", alike.stagger_ns, "time between the starts of two flows");
  verb->add_option("--congestion", flow.congestion, "congestion control, such as cubic");
  verb->add_option("--from", flow.source, "own address");
  add_parsed(verb, "--rate", "RATE", "payload rate of each UDP flow", parse_rate_bps,
             into(flow.rate_bps));
  add_parsed(verb, "--payload", "SIZE", "payload of a UDP packet (1400B)", parse_size_bytes,
             into(flow.payload_bytes));
  add_time(verb, "--stop", flow.stop_ns, "when UDP flows end");
}

CLI::App* add_verb(CLI::App& app, Options& o, Options::Verb verb, const char* name,
                   const char* target, const char* help) {
  CLI::App* added = app.add_subcommand(name, help);
  added->add_option(target, o.target)->required();
  added->callback([&o, verb] {
    o.verb = verb;
    o.alike.first.sends = o.alike.first.opens = verb == Options::Verb::kSend;
  });
  return added;
}

void read_plan(const std::string& path, Plan& plan) {
  std::ifstream file(path);
  if (path != "-" && !file) throw Error(kUsage, path + ": cannot be read");
  try {
    plan.flows = read_flows(path == "-" ? std::cin : file);
  } catch (const std::invalid_argument& error) {
    throw Error(kUsage, path + ": " + error.what());
  }
  if (plan.flows.empty()) throw Error(kUsage, path + ": no flow in it");
}

void expand(const Alike& alike, const std::string& address, Plan& plan) {
  if (alike.first.port + alike.count - 1 > 65535)
    throw Error(kUsage, "--port: too high for --flows");
  for (std::uint64_t number = 0; number < alike.count; ++number) {
    Flow flow = alike.first;
    flow.address = address;
    flow.id = number + 1;
    flow.port = static_cast<std::uint16_t>(flow.port + number);
    flow.start_ns = number * alike.stagger_ns;
    try {
      check(flow);
    } catch (const std::invalid_argument& error) {
      throw Error(kUsage, error.what());
    }
    plan.flows.push_back(flow);
  }
}

}  // namespace

void add_options(CLI::App& app, Options& o) {
  using Verb = Options::Verb;
  o.alike.first.port = 5001;
  o.alike.first.payload_bytes = 1400;
  app.require_subcommand(1);
  CLI::App* send = add_verb(app, o, Verb::kSend, "send", "ADDRESS", "send to a receiver there");
  add_alike(send, o.alike);
  add_sending(send, o.alike);
  add_clock(send, o);
  add_samples(send, o);
  CLI::App* receive = add_verb(app, o, Verb::kReceive, "receive", "ADDRESS", "receive there");
  add_alike(receive, o.alike);
  add_parsed(receive, "--window", "SIZE", "receive window; without it, autotuned", parse_size_bytes,
             into(o.alike.first.window_bytes));
  add_clock(receive, o);
  CLI::App* run = add_verb(app, o, Verb::kRun, "run", "PLAN", "the flows of a file");
  add_clock(run, o);
  add_samples(run, o);
  CLI::App* watch = add_verb(app, o, Verb::kWatch, "watch", "DEVICE", "sample a queue");
  add_parsed(watch, "--handle", "HANDLE", "of the queue, as tc writes it: 10: (the root)",
             parse_handle, into(o.watch.handle));
  add_time(watch, "--every", o.watch.every_ns, "interval (5ms)");
  add_clock(watch, o);
  app.footer(
      "TCP bulk and constant-rate UDP flows with content that the receiver checks byte by byte.\n"
      "A plan has a flow on each line:\n"
      "  receive tcp id=1 at=10.0.0.2 port=5001 size=5MB window=64kB segment=1460\n"
      "  send tcp id=1 to=10.0.0.2 from=10.0.0.1 port=5001 start=10ms size=5MB congestion=cubic\n"
      "  send udp id=2 to=10.0.0.2 port=5002 start=0s stop=5s rate=2mbit payload=1400\n"
      "  send tcp id=3 to=10.0.0.2 port=5003 after=1 pause=2s size=10kB\n"
      "The end with to= connects, the one with at= listens: a TCP receiver may connect, too.\n\n"
      "Prints \"ready\" when it listens, the report when all flows are done or at SIGINT.\n"
      "Exit codes: 0 all well, 1 a flow failed or arrived changed, 2 usage, 77 no permission.\n");
}

Plan plan_of(const Options& o) {
  Plan plan = o.plan;
  if (o.verb == Options::Verb::kRun)
    read_plan(o.target, plan);
  else
    expand(o.alike, o.target, plan);
  return plan;
}

}  // namespace penstock::load
