// SPDX-License-Identifier: GPL-2.0-only
// The advertised window: RFC 9293 section 3.8.6.2.2 and RFC 1122 section 4.2.3.3 (silly window),
// RFC 7323 sections 2.3 and 2.4 (scale).
#include <bit>

#include "sim/tcp/receiver.h"

namespace penstock::tcp {

// Linux takes the scale from the largest buffer it may reach; a fixed buffer gets
// the smallest scale that can express it.
std::uint8_t Receiver::choose_scale() const {
  const std::uint64_t bytes =
      autotune_ ? std::max<std::uint64_t>(config_->max_buffer_bytes, 1) : config_->buffer_bytes;
  const int bits = static_cast<int>(std::bit_width(bytes));
  return static_cast<std::uint8_t>(std::clamp(bits - 16, 0, 14));
}

// Space for data beyond next_, including out-of-order data.
std::uint64_t Receiver::space_bytes() const {
  const std::uint64_t unread = std::min(next_, fin_) - read_;
  if (autotune_) return autotune_->window_bytes(unread);
  return pst_sub_floor(config_->buffer_bytes, unread);
}

// What the routers allow, to a receiver that obeys.
std::uint64_t Receiver::allowed_bytes() const {
  if (!feedback_ || config_->forge_feedback) return PST_MAX_BYTES;
  const pst_feedback allowed = feedback_now();
  return pst_feedback_granted_bytes(feedback_kind_, &allowed, segment_bytes_);
}

// The right edge moves only by at least a segment or half of the buffer.
void Receiver::open_window() {
  const std::uint64_t most = std::min(std::uint64_t{65535} << scale_, allowed_bytes());
  const std::uint64_t space = std::min(space_bytes(), most) >> scale_ << scale_;
  const std::uint64_t offered = offered_bytes();
  const std::uint64_t step = std::min<std::uint64_t>(
      segment_bytes_ ? segment_bytes_ : config_->mss_bytes, config_->buffer_bytes / 2);
  if (space >= offered + std::max<std::uint64_t>(step, 1)) edge_ = next_ + space;
}

// Rounded up where data that ends between two units of the scale would otherwise move the edge
// left. While nothing is read this costs less than a unit per ACK.
std::uint16_t Receiver::window_field() {
  open_window();
  const std::uint64_t granule = std::uint64_t{1} << scale_;
  const std::uint64_t field =
      std::min<std::uint64_t>((offered_bytes() + granule - 1) >> scale_, 65535);
  edge_ = next_ + (field << scale_);
  return static_cast<std::uint16_t>(field);
}

}  // namespace penstock::tcp
