// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/link/options.h"

#include <cstdio>
#include <string>
#include <vector>

#include "gateway/link/cli.h"
#include "gateway/link/units.h"

namespace penstock::link {
namespace {

constexpr std::uint64_t kMaxRingFrames = 1u << 22;
constexpr std::uint64_t kMinMtuBytes = 576;
constexpr std::uint64_t kMaxMtuBytes = 65521;

std::uint32_t within(std::string_view text, std::uint64_t least, std::uint64_t most) {
  const std::uint64_t value = parse_count(text);
  if (value < least || value > most)
    throw UsageError("'" + std::string(text) + "' is out of range; from " + std::to_string(least) +
                     " to " + std::to_string(most));
  return static_cast<std::uint32_t>(value);
}

// An option for both directions, and the one with "-back" for that from B to A alone,
// which holds wherever it stands on the command line.
template <typename Field, typename Parse>
void both_ways(std::vector<Option>& options, std::vector<std::function<void()>>& later,
               Options& made, const char* name, const char* metavar, const char* help,
               Field Shape::* field, Parse parse) {
  options.push_back({name, metavar, help, [&made, field, parse](std::string_view text) {
                       made.forward.*field = made.back.*field = static_cast<Field>(parse(text));
                     }});
  options.push_back({std::string(name) + "-back", metavar, "the same, from B to A only",
                     [&made, &later, field, parse](std::string_view text) {
                       const auto value = static_cast<Field>(parse(text));
                       later.push_back([&made, field, value] { made.back.*field = value; });
                     }});
}

std::vector<Option> options_of(Options& made, std::vector<std::function<void()>>& later) {
  std::vector<Option> list;
  both_ways(list, later, made, "--delay", "TIME", "constant delay, such as 20ms", &Shape::delay_ns,
            parse_time_ns);
  both_ways(list, later, made, "--jitter", "TIME", "up to this much more, drawn evenly",
            &Shape::jitter_ns, parse_time_ns);
  both_ways(list, later, made, "--loss", "RATIO", "frames lost at random, such as 0.1%",
            &Shape::loss_ratio, parse_ratio);
  both_ways(list, later, made, "--rate", "RATE", "link rate of the IP packets, such as 100mbit",
            &Shape::rate_bps, parse_rate_bps);
  both_ways(list, later, made, "--queue", "SIZE", "bytes that may wait for the rate",
            &Shape::queue_bytes, parse_size_bytes);
  list.push_back({"--seed", "N", "of random loss and jitter (1)", [&made](std::string_view text) {
                    made.forward.seed = parse_count(text);
                    made.back.seed = ~made.forward.seed;
                  }});
  list.push_back({"--duration", "TIME", "end after this time",
                  [&made](std::string_view text) { made.duration_ns = parse_time_ns(text); }});
  list.push_back({"--mtu", "BYTES", "of both devices; without it, as they are",
                  [&made](std::string_view text) {
                    made.mtu_bytes = within(text, kMinMtuBytes, kMaxMtuBytes);
                  }});
  list.push_back(
      {"--ring", "FRAMES", "frames under way in one direction (32768)",
       [&made](std::string_view text) { made.ring_frames = within(text, 1, kMaxRingFrames); }});
  list.push_back({"--no-realtime", "", "do not ask for SCHED_FIFO",
                  [&made](std::string_view) { made.realtime = false; }});
  list.push_back(
      {"-j", "", "statistics as JSON", [&made](std::string_view) { made.as_json = true; }});
  for (const char* name : {"--help", "-h"})
    list.push_back({name, "", "this text", [&made](std::string_view) { made.help = true; }});
  return list;
}

}  // namespace

Options parse_options(int count, const char* const* arguments) {
  Options made;
  made.back.seed = ~made.forward.seed;
  std::vector<std::function<void()>> later;
  const auto ends = parse_arguments(options_of(made, later), count, arguments);
  for (const auto& apply : later) apply();
  if (made.help) return made;
  if (ends.size() != 2)
    throw UsageError("two ends are wanted, such as: penstock-link A:eth0 B:eth0 --delay 20ms");
  made.a = parse_endpoint(ends[0]);
  made.b = parse_endpoint(ends[1]);
  for (const Shape* shape : {&made.forward, &made.back})
    if (shape->queue_bytes != 0 && shape->rate_bps == 0)
      throw UsageError("--queue: nothing waits without a rate; add --rate");
  return made;
}

void print_help() {
  Options made;
  std::vector<std::function<void()>> later;
  std::printf(
      "Usage: penstock-link A B [OPTION]...\n\n"
      "Joins two devices by a link with delay, jitter, random loss and rate. It never reorders.\n"
      "A and B are NAMESPACE:DEVICE, or DEVICE here. A device that does not exist is made, as a\n"
      "TAP that is gone when the program ends. Of a veth pair, name the end without an address,\n"
      "and turn segmentation off at the other (ip link set DEV gso_max_segs 1).\n\n"
      "%s\n"
      "Prints \"ready\" when packets pass, statistics at SIGUSR1 and at the end (SIGINT, "
      "SIGTERM).\n"
      "Needs root. Exit codes: 0 ended as asked, 1 failed, 2 usage, 77 no permission.\n",
      describe(options_of(made, later)).c_str());
}

}  // namespace penstock::link
