// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/where/where.h"

#include <array>
#include <cstdio>

#include "linux/common/clock.h"
#include "linux/common/netlink.h"
#include "linux/common/quantity.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"
#include "linux/gateway/tool/settings/down.h"
#include "linux/gateway/tool/view/report.h"
#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

using nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kBacklogLookNs = 100'000'000;
// A device that sends at this rate or more is no bottleneck while so little waits in it.
constexpr double kLeastRateBps = 8000;

std::string rate_of(double bps) { return round_rate(static_cast<std::uint64_t>(bps)); }

std::string direction_text(const Reading& reading, Way way, const Beside& beside) {
  const Passed& p = reading.ways[way];
  std::string text = std::string(way_name(way)) + ": " + rate_of(p.rate_bps) + ", " +
                     std::to_string(p.flows) + (p.flows == 1 ? " flow" : " flows") + " in bulk" +
                     (p.line_bps ? ", line of about " + rate_of(*p.line_bps) : "") + "\n";
  for (const Half half : {kDataBefore, kDataBehind, kAcksBefore, kAcksBehind}) {
    if (!p.flows) break;
    std::array<char, 96> row{};
    std::snprintf(row.data(), row.size(), "  %-44s ", place_text(way, half, beside.device).c_str());
    text += row.data() + wait_text(p.waits[half]) + "\n";
  }
  return text + "  " + whereabouts(p, way, beside).text + "\n";
}

ordered_json direction_json(const Reading& reading, Way way, const Beside& beside) {
  ordered_json j = passed_json(reading.ways[way]);
  const Whereabouts found = whereabouts(reading.ways[way], way, beside);
  if (way == kUp) j["waits"]["here"] = {{"mean_s", beside.here_s}, {"qdisc", beside.root_kind}};
  j["queue"] = queue_name(found.queue);
  j["held_by"] = found.held_by;
  j["text"] = found.text;
  return j;
}

void print(const Device& device, const Watch& watch, const Reading& reading) {
  std::printf(
      "%s: %llu packets in %.1f s%s\n", device.interface.c_str(),
      static_cast<unsigned long long>(watch.packets()), reading.seconds,
      watch.missed() ? (", and " + std::to_string(watch.missed()) + " missed").c_str() : "");
  std::printf("%-46s %6s %8s %8s %6s\n", "", "mean", "p99 ms", "of s", "flows");
  for (const Way way : kBothWays)
    std::fputs(direction_text(reading, way, watch.beside()).c_str(), stdout);
  std::puts(
      "Waits are above the least that was seen: a queue that never emptied is longer than that.");
}

}  // namespace

Watch::Watch(const Device& device) : device_(device), capture_(device) {
  beside_.device = device.interface;
}

// What waits in the device's own queue: a packet socket sees packets when they leave it.
void Watch::look_beside(double up_bps) {
  const double backlog =
      looks_ ? static_cast<double>(backlog_bytes_) / static_cast<double>(looks_) : 0;
  beside_.here_s = up_bps > kLeastRateBps ? 8 * backlog / up_bps : 0;
  for (const Way way : kBothWays) {
    const std::string name = attachment_name(device_.interface, way == kDown);
    beside_.live[way] = find_snapshot(name).state == State::kLive;
  }
}

Reading Watch::read(std::uint64_t ns) {
  const std::uint64_t end_ns = clock_ns() + ns;
  Netlink netlink;
  looks_ = backlog_bytes_ = 0;
  while (!is_stopped() && clock_ns() < end_ns) {
    capture_.until(std::min(clock_ns() + kBacklogLookNs, end_ns), [this](const Packet& packet) {
      ++packets_;
      meter_.see(packet);
      if (also_) also_(packet);
    });
    const auto qdiscs = netlink.qdiscs(device_.ifindex);
    if (const Qdisc* root = find_root(qdiscs)) {
      beside_.root_kind = root->kind;
      backlog_bytes_ += root->backlog_bytes;
    }
    ++looks_;
  }
  missed_ += capture_.take_missed();
  const Reading reading = meter_.take(capture_clock_ns());
  look_beside(reading.ways[kUp].rate_bps);
  return reading;
}

int run_where(const Device& device, const WhereOptions& options) {
  stop_on_signals();
  Watch watch(device);
  const Reading reading = watch.read(options.total_ns);
  if (options.json) {
    ordered_json j{{"schema_version", kSchemaVersion},
                   {"device", device.interface},
                   {"seconds", reading.seconds},
                   {"packets", watch.packets()},
                   {"missed_packets", watch.missed()}};
    for (const Way way : kBothWays) j[way_name(way)] = direction_json(reading, way, watch.beside());
    print_json(j);
  } else {
    print(device, watch, reading);
  }
  return is_stopped() ? kInterrupted : kOk;
}

}  // namespace penstock::gw
