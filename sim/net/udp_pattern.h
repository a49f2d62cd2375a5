// SPDX-License-Identifier: GPL-2.0-only
// When the datagrams of a source that is not constant leave: frames of video with scenes, or a rate
// that climbs. See [udp.NAME] in docs/scenario-format.md.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/engine/random.h"
#include "sim/net/specs.h"

namespace penstock::net {

class UdpPattern {
 public:
  UdpPattern(const UdpSpec& spec, std::uint64_t seed, std::uint32_t index)
      : spec_(spec), random_(seed, engine::Purpose::kUdpPattern, index) {}

  static bool is_constant(const UdpSpec& spec) {
    return !spec.frame_ns && !spec.scene_ns && !spec.first_bps;
  }

  // The time of the next datagram after one at `at_ns`; both are relative to the flow's start.
  std::uint64_t next_ns(std::uint64_t at_ns) {
    if (!spec_.frame_ns) {
      rest_ns_ += bits(spec_.payload_bytes) * 1e9 / rate_bps(at_ns);
      const auto whole_ns = static_cast<std::uint64_t>(rest_ns_);
      rest_ns_ -= static_cast<double>(whole_ns);
      return at_ns + whole_ns;
    }
    while (frame_datagrams_ == 0) {
      at_ns = frame_at_ns_;
      frame_at_ns_ = at_ns + spec_.frame_ns;
      begin_frame(at_ns);
    }
    --frame_datagrams_;
    return at_ns;
  }

 private:
  static double bits(double bytes) { return 8 * bytes; }

  // A group's first frame is `intra` times as large as its others.
  void begin_frame(std::uint64_t at_ns) {
    const double group = std::max(spec_.group_frames, 1U), intra = std::max(spec_.intra_times, 1U);
    const double part = group / (intra + group - 1);
    const double weight = frames_++ % std::max(spec_.group_frames, 1U) == 0 ? intra * part : part;
    rest_bits_ += weight * rate_bps(at_ns) * static_cast<double>(spec_.frame_ns) * 1e-9;
    const auto datagrams = static_cast<std::uint64_t>(rest_bits_ / bits(spec_.payload_bytes));
    rest_bits_ -= static_cast<double>(datagrams) * bits(spec_.payload_bytes);
    frame_datagrams_ = datagrams;
  }

  double rate_bps(std::uint64_t at_ns) {
    const auto mean = static_cast<double>(spec_.rate_bps);
    double rate = mean;
    if (spec_.scene_ns) {
      for (; at_ns >= scene_end_ns_; scene_bps_ = drawn_scene_bps())
        scene_end_ns_ += 1 + static_cast<std::uint64_t>(2 * random_.unit() *
                                                        static_cast<double>(spec_.scene_ns));
      rate = scene_bps_;
    }
    if (!spec_.first_bps) return rate;
    for (; at_ns >= climb_ns_ + kSecondNs && climbed_bps_ < mean; climb_ns_ += kSecondNs)
      climbed_bps_ = std::max(climbed_bps_, static_cast<double>(spec_.first_bps)) * 1.08;
    return std::min(rate, std::max(climbed_bps_, static_cast<double>(spec_.first_bps)));
  }

  double drawn_scene_bps() {
    const auto mean = static_cast<double>(spec_.rate_bps);
    const auto peak = static_cast<double>(std::max(spec_.peak_bps, spec_.rate_bps));
    const double least = std::max(2 * mean - peak, mean / 100);
    return least + (peak - least) * random_.unit();
  }

  static constexpr std::uint64_t kSecondNs = 1'000'000'000;

  UdpSpec spec_;
  engine::Stream random_;
  std::uint64_t frame_at_ns_ = 0;  // of the next frame
  std::uint64_t frame_datagrams_ = 0;  // of this one, yet to be sent
  std::uint64_t frames_ = 0;
  std::uint64_t scene_end_ns_ = 0;
  std::uint64_t climb_ns_ = 0;
  double scene_bps_ = 0;
  double climbed_bps_ = 0;
  double rest_bits_ = 0;
  double rest_ns_ = 0;
};

}  // namespace penstock::net
