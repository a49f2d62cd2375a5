// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <span>
#include <vector>

#include "gateway/load/pattern.h"
#include "gateway/load/task.h"

namespace penstock::load {

// Accepts one connection and compares what arrives with the flow's content.
class TcpReceiver : public Task {
 public:
  using Task::Task;
  void start() override;
  void note_mark() override { report_.bytes_at_mark = report_.bytes; }
  void finish() override;
  bool is_done() const override { return report_.ended_ns >= 0 || !report_.error.empty(); }

 private:
  void accept_one();
  void read_some();
  void take(std::span<const std::uint8_t> bytes);
  void close_all();

  Descriptor listener_{};
  Descriptor socket_{};
  std::vector<std::uint8_t> buffer_{};
  std::vector<std::uint8_t> expected_{};
  Checksum checksum_{};
  bool window_limited_ = false;
};

}  // namespace penstock::load
