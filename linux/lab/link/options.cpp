// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/link/options.h"

#include <string>

#include "linux/common/error.h"
#include "linux/common/quantity.h"

namespace penstock::link {
namespace {

constexpr std::uint32_t kMaxRingFrames = 1u << 22;
constexpr std::uint32_t kMinMtuBytes = 576;
constexpr std::uint32_t kMaxMtuBytes = 65521;

// An option for both directions, and the one with "-back" for that from B to A alone.
template <typename Value, typename Parse>
void add_both(CLI::App& app, Options& options, const std::string& name, const char* type,
              const char* help, std::optional<Value> ShapeOptions::* field, Parse parse) {
  add_parsed(&app, name, type, help, parse,
             [&options, field](Value value) { options.both.*field = value; });
  add_parsed(&app, name + "-back", type, "the same, from B to A only", parse,
             [&options, field](Value value) { options.back.*field = value; });
}

Shape shape_of(const ShapeOptions& own, const ShapeOptions& both, std::uint64_t seed) {
  const auto value = [&](auto field) {
    return (own.*field ? own.*field : both.*field).value_or(0);
  };
  Shape shape;
  shape.delay_ns = value(&ShapeOptions::delay_ns);
  shape.jitter_ns = value(&ShapeOptions::jitter_ns);
  shape.loss_ratio = value(&ShapeOptions::loss_ratio);
  shape.rate_bps = value(&ShapeOptions::rate_bps);
  shape.queue_bytes = value(&ShapeOptions::queue_bytes);
  shape.grant_ns = value(&ShapeOptions::grant_ns);
  shape.request_ns = value(&ShapeOptions::request_ns);
  shape.seed = seed;
  if (shape.queue_bytes != 0 && shape.rate_bps == 0)
    throw Error(kUsage, "--queue: nothing waits without a rate; add --rate");
  if ((shape.grant_ns != 0 || shape.request_ns != 0) && shape.rate_bps == 0)
    throw Error(kUsage, "--grant: a grant is for what a rate sends meanwhile; add --rate");
  return shape;
}

}  // namespace

void add_options(CLI::App& app, Options& options) {
  app.add_option("A", options.a, "one end: NAMESPACE:DEVICE, or DEVICE of this namespace")
      ->required();
  app.add_option("B", options.b, "the other end")->required();
  add_both(app, options, "--delay", "TIME", "constant delay, such as 20ms", &ShapeOptions::delay_ns,
           parse_time_ns);
  add_both(app, options, "--jitter", "TIME", "up to this much more, drawn evenly",
           &ShapeOptions::jitter_ns, parse_time_ns);
  add_both(app, options, "--loss", "RATIO", "frames lost at random, such as 0.1%",
           &ShapeOptions::loss_ratio, parse_ratio);
  add_both(app, options, "--rate", "RATE", "link rate of the IP packets, such as 100mbit",
           &ShapeOptions::rate_bps, parse_rate_bps);
  add_both(app, options, "--queue", "SIZE", "bytes that may wait for the rate",
           &ShapeOptions::queue_bytes, parse_size_bytes);
  add_both(app, options, "--grant", "TIME",
           "a modem that sends once in this time, as much as the rate allows in it",
           &ShapeOptions::grant_ns, parse_time_ns);
  add_both(app, options, "--request", "TIME", "least time from the arrival of a frame to its grant",
           &ShapeOptions::request_ns, parse_time_ns);
  app.add_option("--seed", options.seed, "of random loss and jitter (1)");
  add_parsed(&app, "--duration", "TIME", "end after this time", parse_time_ns,
             [&options](std::uint64_t ns) { options.duration_ns = ns; });
  app.add_option("--mtu", options.mtu_bytes, "bytes, of both devices; without it, as they are")
      ->check(CLI::Range(kMinMtuBytes, kMaxMtuBytes));
  app.add_option("--ring", options.ring_frames, "frames under way in one direction (32768)")
      ->check(CLI::Range(1u, kMaxRingFrames));
  app.add_flag("--commands", options.commands,
               "change while running: lines of standard input such as 'delay 60ms'");
  app.add_flag("--no-realtime", options.no_realtime, "do not ask for SCHED_FIFO");
  app.add_flag("-j,--json", options.as_json, "statistics as JSON");
  app.footer(
      "Joins two devices by a link with delay, jitter, random loss and rate. It never reorders.\n"
      "A device that does not exist is made, as a TAP that is gone when the program ends. Of a\n"
      "veth pair, name the end without an address, and turn segmentation off at the other (ip\n"
      "link set DEV gso_max_segs 1).\n\n"
      "With --commands, each line of standard input is names and values of what changes:\n"
      "  delay 60ms delay-back 20ms loss 0.1% rate 5mbit\n"
      "It is answered by \"changed\", or a message on standard error. Frames under way keep their\n"
      "times, and none passes another: with a shorter delay, the first ones wait for those "
      "before.\n\n"
      "Prints \"ready\" when packets pass, statistics at SIGUSR1 and at the end (SIGINT, "
      "SIGTERM).\n"
      "Needs root. Exit codes: 0 ended as asked, 1 failed, 2 usage, 77 no permission.\n");
}

Link link_of(const Options& options) {
  Link link;
  link.a = parse_endpoint(options.a);
  link.b = parse_endpoint(options.b);
  link.forward = shape_of({}, options.both, options.seed);
  link.back = shape_of(options.back, options.both, ~options.seed);
  return link;
}

}  // namespace penstock::link
