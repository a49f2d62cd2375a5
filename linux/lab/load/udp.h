// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <vector>

#include "linux/lab/load/pattern.h"
#include "linux/lab/load/task.h"

namespace penstock::load {

// Constant bit rate: packets of one size at constant intervals. A packet holds its number in 8
// bytes, big-endian, then the flow's content from that number times the payload on.
class UdpSender : public Task {
 public:
  using Task::Task;
  void start() override;
  void note_mark() override;
  void finish() override;
  bool is_done() const override { return report_.ended_ns >= 0 || !report_.error.empty(); }

 private:
  void send_next();
  std::uint64_t due_ns(std::uint64_t number) const;

  Descriptor socket_{};
  std::vector<std::uint8_t> packet_{};
  std::uint64_t number_ = 0;
};

class UdpReceiver : public Task {
 public:
  using Task::Task;
  void start() override;
  void note_mark() override;
  void finish() override;
  bool is_done() const override { return false; }  // until it is told to end

 private:
  void read_some();
  void take(std::span<const std::uint8_t> packet);

  Descriptor socket_{};
  std::vector<std::uint8_t> buffer_{};
  std::vector<std::uint8_t> expected_{};
};

}  // namespace penstock::load
