// SPDX-License-Identifier: GPL-2.0-only
// Polls an attachment and writes its state as JSON lines.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "linux/gateway/tool/view/avoided.h"
#include "linux/gateway/tool/view/lines.h"
#include "linux/gateway/tool/view/outcome.h"

namespace penstock::gw {

struct Pace {
  std::uint64_t sample_ns;  // between samples
  std::uint64_t status_ns;  // between whole states
  std::uint64_t flows_ns;   // between lists of flows
};

class Live {
 public:
  // A slow machine, or a table of many flows, is polled less often: all polls take at most 0.9 %
  // of a core.
  Live(const std::string& device, const Pace& pace);

  // The lines that are due; none before due_ns() of CLOCK_MONOTONIC.
  std::string lines();
  std::uint64_t due_ns() const { return sample_.due_ns; }
  // The lines that a new reader needs first.
  std::string beginning() const;

 private:
  struct Turn {
    std::uint64_t due_ns = 0;
    bool is_due(std::uint64_t now_ns) const { return now_ns >= due_ns; }
    void next(std::uint64_t now_ns, std::uint64_t interval_ns, std::uint64_t least_ns);
  };
  void find();
  Snapshot look() const;
  std::string flows_text(const Snapshot& s, std::uint64_t time_ns);
  void put_events(const Snapshot& s, std::uint64_t time_ns, std::string& text);

  std::string name_;
  Pace pace_;
  Device device_;
  std::string lost_;  // why there is no device
  Snapshot last_;
  bool looked_ = false;
  Avoided avoided_;
  OutcomeWindow outcome_;
  FlowLines flow_lines_;
  Turn sample_, status_, flows_;
  bool has_rates_ = false;  // of flows: there was a line before
  std::string status_text_, flows_text_;
  std::deque<std::string> events_;  // the newest
};

}  // namespace penstock::gw
