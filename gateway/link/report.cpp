// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/link/report.h"

#include <cinttypes>
#include <cstdio>

namespace penstock::link {
namespace {

double late_mean_us(const Counters& counters) {
  const std::uint64_t frames = counters.frames_out + counters.lost_write;
  return frames == 0
             ? 0
             : static_cast<double>(counters.late_sum_ns) * 1e-3 / static_cast<double>(frames);
}

void print_json(const char* name, const Counters& c) {
  const auto field = [](const char* key, std::uint64_t value) {
    std::printf("\"%s\": %" PRIu64 ", ", key, value);
  };
  std::printf("\"%s\": {", name);
  field("frames_in", c.frames_in);
  field("bytes_in", c.bytes_in);
  field("frames_out", c.frames_out);
  field("lost_random", c.lost_random);
  field("lost_queue", c.lost_queue);
  field("lost_ring", c.lost_ring);
  field("lost_write", c.lost_write);
  field("offloaded", c.offloaded);
  field("late_p50_us_at_most", late_us_percentile(c, 0.5));
  field("late_p99_us_at_most", late_us_percentile(c, 0.99));
  field("late_max_us", c.late_max_ns / 1000);
  std::printf("\"late_mean_us\": %.1f}", late_mean_us(c));
}

void print_text(const char* name, const Counters& c) {
  const std::uint64_t lost = c.lost_random + c.lost_queue + c.lost_ring + c.lost_write;
  std::printf("%s: %" PRIu64 " frames in, %" PRIu64 " out, %" PRIu64 " lost (%" PRIu64
              " at random); late by %.0f us in the mean, %.1f ms at most\n",
              name, c.frames_in.load(), c.frames_out.load(), lost, c.lost_random.load(),
              late_mean_us(c), static_cast<double>(c.late_max_ns) * 1e-6);
  if (c.offloaded != 0)
    std::printf("%s: %" PRIu64
                " frames of several segments were not carried: turn segmentation "
                "off at the device's peer (ip link set DEV gso_max_segs 1)\n",
                name, c.offloaded.load());
}

}  // namespace

void print_report(const Counters& forward, const Counters& back, bool realtime, bool as_json) {
  if (as_json) {
    std::printf("{\"realtime\": %s, ", realtime ? "true" : "false");
    print_json("forward", forward);
    std::printf(", ");
    print_json("back", back);
    std::printf("}\n");
  } else {
    print_text("A to B", forward);
    print_text("B to A", back);
    if (!realtime) std::printf("without SCHED_FIFO: other tasks may have delayed packets\n");
  }
  std::fflush(stdout);
}

}  // namespace penstock::link
