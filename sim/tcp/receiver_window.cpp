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

// FBA-TCP, nis-2004 (12.29): the round trip times the rate that the routers allow. At least two
// segments, because the ACK of a lone one is delayed.
std::uint64_t Receiver::allowed_bytes() const {
  if (!feedback_ || feedback_kind_ != PST_FEEDBACK_FBA || !feedback_rtt_us_) return PST_MAX_BYTES;
  if (feedback_label_ == PST_FBA_UNLIMITED || config_->forge_feedback) return PST_MAX_BYTES;
  const std::uint64_t rate_bytes_per_s = feedback_label_ * std::uint64_t{PST_FBA_UNIT_BYTES_PER_S};
  const std::uint64_t bytes = pst_mul_div(rate_bytes_per_s, feedback_rtt_us_, 1'000'000);
  return std::max<std::uint64_t>(bytes, 2ULL * segment_bytes_);
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
