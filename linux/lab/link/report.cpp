// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/link/report.h"

#include <array>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace penstock::link {
namespace {

double late_mean_us(const Counters& counters) {
  const std::uint64_t frames = counters.frames_out + counters.lost_write;
  return frames == 0
             ? 0
             : static_cast<double>(counters.late_sum_ns) * 1e-3 / static_cast<double>(frames);
}

nlohmann::ordered_json json_of(const Counters& c) {
  nlohmann::ordered_json j;
  j["frames_in"] = c.frames_in.load();
  j["bytes_in"] = c.bytes_in.load();
  j["frames_out"] = c.frames_out.load();
  j["lost_random"] = c.lost_random.load();
  j["lost_queue"] = c.lost_queue.load();
  j["lost_ring"] = c.lost_ring.load();
  j["lost_write"] = c.lost_write.load();
  j["offloaded"] = c.offloaded.load();
  j["late_p50_us_at_most"] = late_us_percentile(c, 0.5);
  j["late_p99_us_at_most"] = late_us_percentile(c, 0.99);
  j["late_max_us"] = c.late_max_ns / 1000;
  j["late_mean_us"] = std::round(late_mean_us(c) * 10) / 10;
  return j;
}

std::string text_of(const char* name, const Counters& c) {
  const std::uint64_t lost = c.lost_random + c.lost_queue + c.lost_ring + c.lost_write;
  std::array<char, 256> line{};
  std::snprintf(line.data(), line.size(),
                "%s: %" PRIu64 " frames in, %" PRIu64 " out, %" PRIu64 " lost (%" PRIu64
                " at random); late by %.0f us in the mean, %.1f ms at most",
                name, c.frames_in.load(), c.frames_out.load(), lost, c.lost_random.load(),
                late_mean_us(c), static_cast<double>(c.late_max_ns) * 1e-6);
  std::string text = line.data();
  if (c.offloaded != 0)
    text += std::string("\n") + name + ": " + std::to_string(c.offloaded) +
            " frames of several segments were not carried: turn segmentation off at the device's "
            "peer (ip link set DEV gso_max_segs 1)";
  return text;
}

}  // namespace

std::string report_json(const Counters& forward, const Counters& back, bool realtime) {
  const nlohmann::ordered_json report = {
      {"realtime", realtime}, {"forward", json_of(forward)}, {"back", json_of(back)}};
  return report.dump();
}

std::string report_text(const Counters& forward, const Counters& back, bool realtime) {
  return text_of("A to B", forward) + "\n" + text_of("B to A", back) +
         (realtime ? "" : "\nwithout SCHED_FIFO: other tasks may have delayed packets");
}

}  // namespace penstock::link
