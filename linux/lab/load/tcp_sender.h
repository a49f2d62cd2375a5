// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <vector>

#include "linux/lab/load/pattern.h"
#include "linux/lab/load/tcp_task.h"

namespace penstock::load {

// Sends the flow's content as fast as TCP takes it, closes, and waits until the receiver has
// closed too: it has then read all.
class TcpSender : public TcpTask {
 public:
  using TcpTask::TcpTask;
  void note_mark() override;
  void finish() override;
  bool is_done() const override { return report_.ended_ns >= 0 || !report_.error.empty(); }
  std::optional<TcpState> current() const override;

 private:
  void begin() override;
  void on_ready(std::uint32_t events);
  void send_more();
  void read_end();
  void leave(const std::string& why);
  bool has_all() const { return flow_.size_bytes != 0 && report_.bytes == flow_.size_bytes; }
  void next_chunk();

  std::vector<std::uint8_t> chunk_{};  // content from report_.bytes - chunk_sent_ on
  std::size_t chunk_sent_ = 0;
  Checksum checksum_{};
  bool shut_ = false;
};

}  // namespace penstock::load
