// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <span>
#include <vector>

#include "linux/lab/load/pattern.h"
#include "linux/lab/load/tcp_task.h"

namespace penstock::load {

// Compares the received bytes with the flow's content.
class TcpReceiver : public TcpTask {
 public:
  using TcpTask::TcpTask;
  void note_mark() override { report_.bytes_at_mark = report_.bytes; }
  void finish() override;
  bool is_done() const override { return report_.ended_ns >= 0 || !report_.error.empty(); }

 private:
  void begin() override;
  void read_some();
  void take(std::span<const std::uint8_t> bytes);
  void close_all();

  std::vector<std::uint8_t> buffer_{};
  std::vector<std::uint8_t> expected_{};
  Checksum checksum_{};
  bool window_limited_ = false;
};

}  // namespace penstock::load
