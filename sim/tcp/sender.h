// SPDX-License-Identifier: GPL-2.0-only
// The end of a connection that sends data. A state machine without clock, queue or randomness:
// time and segments are inputs, and segments leave through Output. `config` must outlive the
// sender.
#pragma once

#include <algorithm>

#include "sim/tcp/tcb.h"

namespace penstock::drill {
class Duplex;
}

namespace penstock::tcp {

class Sender {
  friend class drill::Duplex;  // reports its state, as Linux' tcp_info does

 public:
  // `size_bytes` of data, then FIN; kNever for an endless connection. kOpen: the application may
  // write more, and the FIN waits for its close().
  using After = SendBuffer::After;
  Sender(const SenderConfig& config, std::uint32_t initial_seq, std::uint64_t size_bytes,
         After after = After::kClose);
  Sender(SenderConfig&&, std::uint32_t, std::uint64_t, After = After::kClose) = delete;

  // Makes it a member of an ensemble, from the handshake until all data is acknowledged. True if
  // the others are to be told of each of its events, by on_share().
  bool share(struct pst_ensemble& ensemble);
  // Sends the SYN; if the receiver opens, the sender waits for that one's.
  void open(std::uint64_t now_ns, Output& out);
  void write(std::uint64_t bytes, std::uint64_t now_ns, Output& out);
  void close(std::uint64_t now_ns, Output& out);
  void on_segment(const Segment& s, std::uint64_t now_ns, Output& out);
  // Another member of its ensemble has had an event, and its share may be another.
  void on_share(std::uint64_t now_ns, Output& out);
  void on_timer(std::uint64_t now_ns, Output& out);  // call at or after next_timer_ns()
  // Another than the method decides about the window, which is sent at the next ACK: the method
  // goes on from it, without slow start. No effect before the connection is established.
  void set_cwnd(std::uint64_t bytes);
  std::uint64_t next_timer_ns() const {              // kNever if none runs
    const std::uint64_t at_ns = std::min(tcb_.timer.at_ns(), tcb_.pacer.timer_ns());
    const Rack* rack = tcb_.losses.rack();
    return rack ? std::min({at_ns, rack->reorder_at_ns, rack->probe.at_ns()}) : at_ns;
  }

  bool established() const { return tcb_.handshake.established(); }
  bool done() const { return tcb_.data.done(); }  // all data and the FIN acknowledged
  std::uint64_t cwnd_bytes() const { return tcb_.congestion.bytes(); }
  std::uint64_t ssthresh_bytes() const { return tcb_.congestion.ssthresh_bytes(); }
  std::uint64_t send_window_bytes() const { return tcb_.window.bytes(); }  // the peer's, scaled
  std::uint64_t flight_bytes() const { return tcb_.data.flight_bytes(); }
  std::uint64_t pipe_bytes() const { return tcb_.pipe_bytes(); }
  std::uint64_t acked_bytes() const { return tcb_.data.acked_bytes(); }  // payload
  std::uint64_t srtt_ns() const { return tcb_.timer.rtt().srtt_ns(); }
  std::uint64_t rttvar_ns() const { return tcb_.timer.rtt().rttvar_ns(); }
  std::uint64_t rto_ns() const { return tcb_.timer.rto_ns(); }
  std::uint32_t mss_bytes() const {
    return tcb_.handshake.mss_bytes();
  }  // after the handshake: agreed
  bool in_recovery() const { return tcb_.losses.active(); }
  const SenderCounters& counters() const { return tcb_.counters; }

 private:
  void send_syn(std::uint64_t now_ns, Output& out);
  void on_syn(const Segment& s, std::uint64_t now_ns, Output& out);
  void on_syn_ack(const Segment& s, std::uint64_t now_ns, Output& out);
  void establish(const Segment& s, std::uint64_t now_ns, Output& out);
  void agree_on_options(const Segment& s);
  void begin(const Segment& s, std::uint64_t now_ns, Output& out);

  Tcb tcb_;
};

}  // namespace penstock::tcp
