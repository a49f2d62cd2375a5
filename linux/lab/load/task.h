// SPDX-License-Identifier: GPL-2.0-only
// One end of a flow, and its report.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "linux/common/clock.h"
#include "linux/lab/load/loop.h"
#include "linux/lab/load/plan.h"
#include "linux/lab/load/socket.h"

namespace penstock::load {

struct Report {
  std::int64_t started_ns = -1;  // after the epoch: connect(), accept() or the first byte
  std::int64_t ended_ns = -1;    // last byte arrived (receiver), or was acknowledged (sender)
  std::uint64_t bytes = 0;       // handed to the kernel (sender), or read in order (receiver)
  std::uint64_t bytes_at_mark = 0;
  std::uint64_t packets = 0;  // UDP
  std::uint64_t packets_at_mark = 0;
  std::uint64_t checksum = 0;  // FNV-1a 64 over `bytes`
  bool intact = true;          // receiver: every byte was the expected one
  std::string error{};         // empty: none
  std::optional<TcpState> state{};
  std::optional<TcpState> state_at_mark{};
};

class Task {
 public:
  Task(Loop& loop, const Flow& flow, std::uint64_t epoch_ns)
      : loop_(loop), flow_(flow), epoch_ns_(epoch_ns) {}
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  virtual void start() = 0;      // at flow.start_ns if it opens, else at once
  virtual void note_mark() = 0;  // keeps the counters of this moment
  virtual void finish() = 0;     // the end: notes the last counters and closes
  virtual bool is_done() const = 0;
  virtual std::optional<TcpState> current() const { return std::nullopt; }

  // Calls `next` once the flow has ended well.
  void when_ended(std::function<void()> next) { next_ = std::move(next); }

  const Flow& flow() const { return flow_; }
  const Report& report() const { return report_; }
  void fail(const std::string& why) {
    if (report_.error.empty()) report_.error = why;
  }

 protected:
  std::int64_t time_ns() const { return static_cast<std::int64_t>(clock_ns() - epoch_ns_); }

  Loop& loop_;
  Flow flow_;
  std::uint64_t epoch_ns_;
  Report report_{};
  std::function<void()> next_{};
};

std::unique_ptr<Task> make_task(Loop& loop, const Flow& flow, std::uint64_t epoch_ns);

}  // namespace penstock::load
