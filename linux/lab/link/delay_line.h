// SPDX-License-Identifier: GPL-2.0-only
// One direction of an emulated link as pure computation: the departure time of a frame, or its
// loss. It uses neither clock nor device, so tests can drive it directly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "linux/common/random.h"

namespace penstock::link {

struct Shape {
  std::uint64_t delay_ns = 0;     // constant part
  std::uint64_t jitter_ns = 0;    // added evenly between 0 and this, order kept
  double loss_ratio = 0;          // of frames, independently
  std::uint64_t rate_bps = 0;     // of frames without their Ethernet header; 0: as they come
  std::uint64_t queue_bytes = 0;  // waiting for the rate; 0: as many as the ring holds
  // A modem that sends at grants, one in this time, each for as many bytes as the rate allows in
  // it; 0: whenever the link is free. A frame's grant comes this long after its arrival or later.
  std::uint64_t grant_ns = 0;
  std::uint64_t request_ns = 0;
  std::uint64_t seed = 1;
};

inline constexpr std::uint32_t kEthernetHeaderBytes = 14;

struct Losses {
  std::uint64_t random = 0;
  std::uint64_t queue = 0;
};

class DelayLine {
 public:
  explicit DelayLine(const Shape& shape) : shape_(shape), random_(shape.seed) {}

  // The departure time of a frame that arrives now; empty if it is lost. Never earlier than that
  // of the previous frame.
  std::optional<std::uint64_t> arrive(std::uint64_t now_ns, std::uint32_t frame_bytes) {
    if (shape_.loss_ratio > 0 && random_.unit() < shape_.loss_ratio) {
      ++losses_.random;
      return std::nullopt;
    }
    std::uint64_t sent_ns = now_ns;
    if (shape_.rate_bps != 0) {
      const std::uint64_t ready_ns = now_ns + shape_.request_ns;
      const std::uint64_t begin_ns = std::max(ready_ns, link_free_ns_);
      if (shape_.queue_bytes != 0 && waiting_bytes(begin_ns - ready_ns) > shape_.queue_bytes) {
        ++losses_.queue;
        return std::nullopt;
      }
      link_free_ns_ = begin_ns + send_time_ns(frame_bytes);
      sent_ns = granted_ns(link_free_ns_);
    }
    sent_ns += shape_.delay_ns;
    if (shape_.jitter_ns != 0)
      sent_ns += static_cast<std::uint64_t>(random_.unit() * static_cast<double>(shape_.jitter_ns));
    last_due_ns_ = std::max(last_due_ns_, sent_ns);
    return last_due_ns_;
  }

  // Of frames that arrive from now on. A frame never leaves before those that arrived earlier, so
  // a shorter delay takes effect once they have left.
  void change(std::uint64_t delay_ns, double loss_ratio) {
    shape_.delay_ns = delay_ns;
    shape_.loss_ratio = loss_ratio;
  }

  void set_rate(std::uint64_t rate_bps) { shape_.rate_bps = rate_bps; }

  const Losses& losses() const { return losses_; }

 private:
  std::uint64_t waiting_bytes(std::uint64_t wait_ns) const {
    return static_cast<std::uint64_t>(static_cast<double>(wait_ns) *
                                      static_cast<double>(shape_.rate_bps) / 8e9);
  }
  // The next grant, for what the rate would have sent by then.
  std::uint64_t granted_ns(std::uint64_t sent_ns) const {
    if (shape_.grant_ns == 0) return sent_ns;
    return (sent_ns + shape_.grant_ns - 1) / shape_.grant_ns * shape_.grant_ns;
  }
  std::uint64_t send_time_ns(std::uint32_t frame_bytes) const {
    const std::uint32_t bytes = frame_bytes - std::min(frame_bytes, kEthernetHeaderBytes);
    return bytes * 8'000'000'000u / shape_.rate_bps;
  }

  Shape shape_;
  Random random_;
  Losses losses_{};
  std::uint64_t link_free_ns_ = 0;
  std::uint64_t last_due_ns_ = 0;
};

}  // namespace penstock::link
