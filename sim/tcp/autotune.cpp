// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/autotune.h"

#include "core/base.h"

namespace penstock::tcp {
namespace {

constexpr std::uint64_t kLargestFirstWindow = 65535;  // a SYN cannot say more
constexpr std::uint32_t kInitialSegments = 10;        // TCP_INIT_CWND

}  // namespace

Autotune::Autotune(std::uint32_t mss_bytes, std::uint64_t first_window_bytes,
                   std::uint64_t max_buffer_bytes, const BufferRule& rule)
    : buffer_bytes_(std::min(2 * first_window_bytes, max_buffer_bytes)),
      max_buffer_bytes_(max_buffer_bytes),
      rule_(rule),
      mss_bytes_(mss_bytes) {
  const std::uint64_t whole = clamp_bytes() / mss_bytes * mss_bytes;
  const std::uint64_t window = std::min(whole ? whole : clamp_bytes(), kLargestFirstWindow);
  threshold_bytes_ = window;
  space_bytes_ = std::min<std::uint64_t>(window, std::uint64_t{kInitialSegments} * mss_bytes);
  PST_ENSURE(buffer_bytes_ <= max_buffer_bytes_);
  PST_ENSURE(threshold_bytes_ <= clamp_bytes());
}

void Autotune::on_segment(std::uint32_t payload_bytes) {
  if (payload_bytes < 128) return;  // Linux ignores small ones: their overhead is too large
  measured_ = true;
  const std::uint64_t clamp = clamp_bytes();
  if (threshold_bytes_ >= clamp) return;
  const std::uint64_t step = 2ULL * std::max(mss_bytes_, payload_bytes);
  threshold_bytes_ = std::min(clamp, threshold_bytes_ + step);
  PST_ENSURE(threshold_bytes_ <= clamp_bytes());
}

void Autotune::on_round_trip(std::uint64_t rtt_ns, bool by_window) {
  rtt_ns = std::max<std::uint64_t>(rtt_ns, 1);
  if (rtt_ns_ == 0 || rtt_ns < rtt_ns_) {
    rtt_ns_ = rtt_ns;
  } else if (!by_window) {
    rtt_ns_ += rtt_ns / 8 - rtt_ns_ / 8;
  }
  PST_ENSURE(rtt_ns_ > 0);
}

void Autotune::on_read(std::uint64_t copied_offset, std::uint64_t now_ns) {
  PST_REQUIRE(now_ns >= space_since_ns_);
  PST_REQUIRE(copied_offset >= space_from_);
  if (rtt_ns_ == 0 || now_ns - space_since_ns_ < rtt_ns_) return;
  const std::uint64_t copied = copied_offset - space_from_;
  if (copied > space_bytes_) grow_buffer(copied, 0);
  space_from_ = copied_offset;
  space_since_ns_ = now_ns;
  PST_ENSURE(threshold_bytes_ <= clamp_bytes());
}

// What a sender in slow start adds meanwhile; in a network as short as a data centre's, memory
// counts more than a few milliseconds.
std::uint64_t Autotune::growth_bytes(std::uint64_t copied) const {
  if (!rule_.slow_start) return 0;
  if (rtt_ns_ < rule_.low_rtt_ns) return 2 * copied * rtt_ns_ / rule_.low_rtt_ns;
  return 4 * copied * (copied - space_bytes_) / space_bytes_;
}

// Twice the data of one round trip, because the measurement is a round trip old, and space for
// out-of-order data. A buffer never shrinks.
void Autotune::grow_buffer(std::uint64_t copied, std::uint64_t span_bytes) {
  const std::uint64_t window = 2 * copied + growth_bytes(copied) + span_bytes;
  space_bytes_ = copied;
  buffer_bytes_ =
      std::max(buffer_bytes_, std::min(window * kWhole / rule_.scaling_ratio, max_buffer_bytes_));
  PST_ENSURE(buffer_bytes_ <= max_buffer_bytes_);
}

}  // namespace penstock::tcp
