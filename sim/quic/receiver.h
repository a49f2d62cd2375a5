// SPDX-License-Identifier: GPL-2.0-only
// The end of a QUIC connection that receives data and acknowledges it: its server, or its client if
// it opens. Its credit of flow control is never the limit. `config` must outlive the receiver.
#pragma once

#include <algorithm>

#include "sim/quic/received_packets.h"
#include "sim/tcp/config.h"

namespace penstock::quic {

class Receiver {
 public:
  explicit Receiver(const tcp::ReceiverConfig& config) : config_(&config), packets_(config) {}

  bool opens() const { return config_->opens; }
  void open(std::uint64_t now_ns, tcp::Output& out);  // if config.opens
  void on_segment(const tcp::Segment& s, std::uint64_t now_ns, tcp::Output& out);
  void on_timer(std::uint64_t now_ns, tcp::Output& out);
  std::uint64_t next_timer_ns() const {  // kNever if none runs
    return std::min(packets_.ack_at_ns(), initial_at_ns_);
  }

  bool finished() const { return finished_; }  // all data up to the FIN received
  const tcp::ReceiverCounters& counters() const { return counters_; }

 private:
  void send_initial(std::uint64_t now_ns, tcp::Output& out);
  void take_stream(const tcp::Segment& s);
  void acknowledge(std::uint64_t now_ns, tcp::Output& out);

  const tcp::ReceiverConfig* config_;
  ReceivedPackets packets_;
  tcp::IntervalSet held_;  // of the stream, beyond a hole
  std::uint64_t next_ = 0;  // in order below
  std::uint64_t fin_ = tcp::kNever;  // offset of the FIN, once seen
  std::uint64_t sent_ = 0;  // packets
  std::uint64_t initial_at_ns_ = tcp::kNever;  // when the Initial is repeated
  std::uint8_t initials_ = 0;
  bool finished_ = false;
  bool spin_ = false;
  tcp::ReceiverCounters counters_;
};

}  // namespace penstock::quic
