// SPDX-License-Identifier: GPL-2.0-only
// Forwards frames from one device to another: reads, holds each until its departure time, writes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "linux/lab/link/commands.h"
#include "linux/lab/link/delay_line.h"
#include "linux/lab/link/device.h"

namespace penstock::link {

// Counters that other threads may read at any time.
struct Counters {
  std::atomic<std::uint64_t> frames_in{0};
  std::atomic<std::uint64_t> bytes_in{0};
  std::atomic<std::uint64_t> frames_out{0};
  std::atomic<std::uint64_t> lost_random{0};
  std::atomic<std::uint64_t> lost_queue{0};  // waiting for the rate
  std::atomic<std::uint64_t> lost_ring{0};   // more frames under way than the ring holds
  std::atomic<std::uint64_t> lost_write{0};  // the device on the other side did not take it
  std::atomic<std::uint64_t> offloaded{0};   // several segments in one frame: not carried
  std::atomic<std::uint64_t> late_sum_ns{0};
  std::atomic<std::uint64_t> late_max_ns{0};
  // How late frames left, by bit width of the microseconds: 0, 1, 2-3, 4-7, ...
  std::array<std::atomic<std::uint64_t>, 33> late_us{};
};

// Upper bound, in microseconds, of the given share of frames' lateness; 0 without frames.
std::uint64_t late_us_percentile(const Counters& counters, double share);

class Direction {
 public:
  Direction(Device& from, Device& to, const Shape& shape, std::uint32_t ring_frames);

  // Runs until `stop_fd` is readable or a device is gone. False if a device is gone.
  bool run(int stop_fd);
  const Counters& counters() const { return counters_; }
  // From any thread: holds for the frames that arrive after it returns.
  void change(const Change& change);

 private:
  struct Slot {
    std::uint64_t due_ns = 0;
    std::uint32_t length = 0;
  };

  bool take_in();
  void send_due();
  void note_departure(std::uint64_t now_ns, std::uint64_t due_ns, bool taken);
  std::uint8_t* spare() { return frames_.get() + ring_frames_ * slot_bytes_; }
  std::uint8_t* frame(std::uint64_t index) {
    return frames_.get() + (index % ring_frames_) * slot_bytes_;
  }
  Slot& slot(std::uint64_t index) { return slots_[index % ring_frames_]; }

  Device& from_;
  Device& to_;
  DelayLine line_;
  std::atomic<std::uint64_t> delay_ns_;
  std::atomic<double> loss_ratio_;
  std::atomic<std::uint64_t> rate_bps_;
  std::uint64_t ring_frames_;
  std::size_t slot_bytes_;
  std::unique_ptr<Slot[]> slots_;
  std::unique_ptr<std::uint8_t, void (*)(void*)> frames_;  // calloc: untouched pages cost nothing
  std::uint64_t head_ = 0;  // the next to leave
  std::uint64_t tail_ = 0;  // the next free slot
  Counters counters_{};
};

}  // namespace penstock::link
