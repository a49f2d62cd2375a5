// SPDX-License-Identifier: GPL-2.0-only
// The receive window of Linux with automatic buffer size ("dynamic right sizing",
// net/ipv4/tcp_input.c: tcp_rcv_rtt_update, tcp_grow_window, tcp_rcv_space_adjust,
// tcp_rcvbuf_grow; written from their description). `c` is the data of the last round trip, `o`
// that of the largest before, RTT the receiver's:
//
//   window = 2c + out of order            the rule of 6.16 and 6.17, and 2c that of all before
//          + 4c (c - o) / o               6.18 with rcvbuf_slow_start
//          + 2c RTT / rcvbuf_low_rtt      instead, from 6.19 on, if the RTT is less
//
// Buffers are memory, of which a part can be advertised as window: half, or scaling_ratio / 256
// once the kernel has seen the memory of a segment. The application reads at once, so all data
// received has been copied.
#pragma once

#include <algorithm>
#include <cstdint>

namespace penstock::tcp {

struct BufferRule {
  std::uint32_t scaling_ratio = 160;
  bool slow_start = false;
  std::uint64_t low_rtt_ns = 0;
};

class Autotune {
 public:
  // `first_window_bytes` is half of tcp_rmem[1]; `max_buffer_bytes` is tcp_rmem[2],
  // memory, of which the window reaches a part.
  Autotune(std::uint32_t mss_bytes, std::uint64_t first_window_bytes,
           std::uint64_t max_buffer_bytes, const BufferRule& rule = {});

  void start(std::uint64_t now_ns) { space_since_ns_ = now_ns; }  // handshake done
  // A segment with data was accepted: tcp_grow_window.
  void on_segment(std::uint32_t payload_bytes);
  // An RTT sample of the receiver: from an echoed timestamp (smoothed), or the time in which a
  // whole window arrives (an upper bound, so only the minimum counts).
  void on_round_trip(std::uint64_t rtt_ns, bool by_window);
  // The application has read up to `copied_offset`: tcp_rcv_space_adjust.
  void on_read(std::uint64_t copied_offset, std::uint64_t now_ns);
  // A segment is queued out of order; `span_bytes` from the hole to the highest byte held:
  // tcp_data_queue_ofo. The sender needs that space in addition to its window.
  void on_out_of_order(std::uint64_t span_bytes) { grow_buffer(space_bytes_, span_bytes); }

  // Window to advertise while `unread_bytes` are not read by the application.
  std::uint64_t window_bytes(std::uint64_t unread_bytes) const {
    const std::uint64_t clamp = clamp_bytes();
    return std::min(clamp > unread_bytes ? clamp - unread_bytes : 0, threshold_bytes_);
  }
  std::uint64_t rtt_ns() const { return rtt_ns_; }

 private:
  static constexpr std::uint64_t kWhole = 256;  // of a ratio
  std::uint64_t clamp_bytes() const {
    return measured_ ? buffer_bytes_ * rule_.scaling_ratio / kWhole : buffer_bytes_ / 2;
  }
  std::uint64_t growth_bytes(std::uint64_t copied) const;
  void grow_buffer(std::uint64_t copied, std::uint64_t span_bytes);

  std::uint64_t buffer_bytes_;                        // sk_rcvbuf
  std::uint64_t max_buffer_bytes_;
  std::uint64_t threshold_bytes_;                     // rcv_ssthresh
  std::uint64_t space_bytes_;                         // rcvq_space.space
  std::uint64_t space_from_ = 1;                      // rcvq_space.seq
  std::uint64_t space_since_ns_ = 0;                  // rcvq_space.time
  std::uint64_t rtt_ns_ = 0;                          // rcv_rtt_est
  BufferRule rule_;
  std::uint32_t mss_bytes_;
  bool measured_ = false;                             // a segment has told scaling_ratio
};

}  // namespace penstock::tcp
