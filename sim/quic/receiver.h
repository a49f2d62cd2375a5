// SPDX-License-Identifier: GPL-2.0-only
// The end of a QUIC connection that receives data and acknowledges it: its server. Its credit of
// flow control is never the limit. `config` must outlive the receiver.
#pragma once

#include "sim/quic/received_packets.h"
#include "sim/tcp/config.h"

namespace penstock::quic {

class Receiver {
 public:
  explicit Receiver(const tcp::ReceiverConfig& config) : config_(&config), packets_(config) {}

  void on_segment(const tcp::Segment& s, std::uint64_t now_ns, tcp::Output& out);
  void on_timer(std::uint64_t now_ns, tcp::Output& out);
  std::uint64_t next_timer_ns() const { return packets_.ack_at_ns(); }  // kNever if none runs

  bool finished() const { return finished_; }  // all data up to the FIN received
  const tcp::ReceiverCounters& counters() const { return counters_; }

 private:
  void take_stream(const tcp::Segment& s);
  void acknowledge(std::uint64_t now_ns, tcp::Output& out);

  const tcp::ReceiverConfig* config_;
  ReceivedPackets packets_;
  tcp::IntervalSet held_;  // of the stream, beyond a hole
  std::uint64_t next_ = 0;  // in order below
  std::uint64_t fin_ = tcp::kNever;  // offset of the FIN, once seen
  std::uint64_t sent_ = 0;           // packets
  bool finished_ = false;
  bool spin_ = false;
  tcp::ReceiverCounters counters_;
};

}  // namespace penstock::quic
