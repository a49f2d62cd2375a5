// SPDX-License-Identifier: GPL-2.0-only
// The end of a connection that has data to send. A state machine without clock,
// queue or randomness: time and segments come in, segments go out by Output.
#pragma once

#include "sim/tcp/config.h"

namespace penstock::tcp {

class Sender {
 public:
  // `size_bytes` of data, then FIN; kNever for a connection without end.
  Sender(const SenderConfig& config, std::uint32_t initial_seq, std::uint64_t size_bytes);

  void open(std::uint64_t now_ns, Output& out);  // sends the SYN
  void on_segment(const Segment& s, std::uint64_t now_ns, Output& out);
  void on_timer(std::uint64_t now_ns, Output& out);  // call at or after next_timer_ns()
  std::uint64_t next_timer_ns() const;               // kNever if none runs

  bool established() const;
  bool done() const;  // all data and the FIN acknowledged
  std::uint64_t cwnd_bytes() const;
  std::uint64_t ssthresh_bytes() const;
  std::uint64_t send_window_bytes() const;   // the peer's window, scaled
  std::uint64_t flight_bytes() const;
  std::uint64_t acked_bytes() const;         // payload acknowledged
  std::uint64_t srtt_ns() const;
  const SenderCounters& counters() const;
};

}  // namespace penstock::tcp
