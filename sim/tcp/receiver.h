// SPDX-License-Identifier: GPL-2.0-only
// The end of a connection that takes data and acknowledges it. The application
// reads at once, unless pause_reading() stops it (for zero-window tests).
#pragma once

#include "sim/tcp/config.h"

namespace penstock::tcp {

class Receiver {
 public:
  Receiver(const ReceiverConfig& config, std::uint32_t initial_seq);

  void on_segment(const Segment& s, std::uint64_t now_ns, Output& out);
  void on_timer(std::uint64_t now_ns, Output& out);
  std::uint64_t next_timer_ns() const;  // kNever if none runs

  void pause_reading();
  void resume_reading(std::uint64_t now_ns, Output& out);

  bool finished() const;                 // all data up to the FIN received
  std::uint64_t window_bytes() const;    // as last advertised
  const ReceiverCounters& counters() const;
};

}  // namespace penstock::tcp
