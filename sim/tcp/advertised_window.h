// SPDX-License-Identifier: GPL-2.0-only
// The window that a receiver advertises: RFC 9293 section 3.8.6.2.2 and RFC 1122 section 4.2.3.3
// (silly window), RFC 7323 sections 2.3 and 2.4 (scale). Owns the right edge and the scale. Is told
// how much space there is. Answers the header's field, and what may arrive.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/base.h"
#include "sim/tcp/config.h"

namespace penstock::tcp {

class AdvertisedWindow {
 public:
  explicit AdvertisedWindow(const ReceiverConfig& config) : config_(&config) {}

  std::uint64_t edge() const { return edge_; }
  // The furthest that it was: data below is accepted, RFC 7323 section 2.4.
  std::uint64_t most_edge() const { return std::max(edge_, retracted_from_); }
  std::uint8_t scale() const { return scale_; }

  // Linux takes the scale from the largest buffer it may reach; a fixed buffer gets the smallest
  // scale that can express it. Without the option there is none.
  void choose_scale(bool scaled) {
    const std::uint64_t bytes = config_->autotune
                                    ? std::max<std::uint64_t>(config_->max_buffer_bytes, 1)
                                    : config_->buffer_bytes;
    const int bits = static_cast<int>(std::bit_width(bytes));
    scale_ = scaled ? static_cast<std::uint8_t>(std::clamp(bits - 16, 0, 14)) : std::uint8_t{0};
    PST_ENSURE(scale_ <= 14);  // RFC 7323 section 2.3
  }

  // The field of a SYN, which has no scale.
  std::uint16_t open(std::uint64_t next, std::uint64_t space_bytes) {
    const auto field = static_cast<std::uint16_t>(std::min<std::uint64_t>(space_bytes, 65535));
    edge_ = next + field;
    PST_ENSURE(edge_ >= next);
    return field;
  }
  // Data within what was retracted has come: the edge is not left of it.
  void reach(std::uint64_t next) { edge_ = std::max(edge_, next); }
  // The right edge moves left, to what the space allows now, in whole units of the scale.
  void retract(std::uint64_t next, std::uint64_t space_bytes) {
    const std::uint64_t edge = next + (space_bytes >> scale_ << scale_);
    if (edge >= edge_) return;
    retracted_from_ = most_edge();
    edge_ = edge;
    PST_ENSURE(next <= edge_ && edge_ < retracted_from_);
  }
  // The right edge moves only by at least a segment or half of the buffer. True if it does.
  bool move(std::uint64_t next, std::uint64_t space_bytes, std::uint32_t segment_bytes) {
    PST_REQUIRE(next <= edge_);
    const std::uint64_t most = std::uint64_t{65535} << scale_;
    const std::uint64_t space = std::min(space_bytes, most) >> scale_ << scale_;
    const std::uint64_t step = std::min<std::uint64_t>(
        segment_bytes ? segment_bytes : config_->mss_bytes, config_->buffer_bytes / 2);
    if (space < edge_ - next + std::max<std::uint64_t>(step, 1)) return false;
    PST_ENSURE(next + space > edge_);  // RFC 9293 section 3.8.6: never to the left
    edge_ = next + space;
    return true;
  }
  // Rounded up where data that ends between two units of the scale would otherwise move the edge
  // left. While nothing is read this costs less than a unit per ACK.
  std::uint16_t field(std::uint64_t next) {
    PST_REQUIRE(next <= edge_);
    const std::uint64_t granule = std::uint64_t{1} << scale_;
    const std::uint64_t units =
        std::min<std::uint64_t>((edge_ - next + granule - 1) >> scale_, 65535);
    PST_ENSURE(units == 65535 || next + (units << scale_) >= edge_);
    edge_ = next + (units << scale_);
    PST_ENSURE(units <= 65535 && edge_ >= next);
    return static_cast<std::uint16_t>(units);
  }

 private:
  const ReceiverConfig* config_;
  std::uint64_t edge_ = 0;
  std::uint64_t retracted_from_ = 0;
  std::uint8_t scale_ = 0;
};

}  // namespace penstock::tcp
