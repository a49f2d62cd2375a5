// SPDX-License-Identifier: GPL-2.0-only
// The end of a QUIC connection that sends data: its client, or its server if the receiver opens. A
// state machine without clock, queue or randomness, as TCP's: time and packets are inputs, and
// packets leave through tcp::Output. Losses are found as in RFC 9002; congestion control, pacing
// and the use of the window are components of TCP. `config` must outlive the sender.
#pragma once

#include <algorithm>
#include <memory>

#include "sim/quic/ecn.h"
#include "sim/quic/loss_detection.h"
#include "sim/quic/send_stream.h"
#include "sim/tcp/congestion_control.h"
#include "sim/tcp/delivery.h"
#include "sim/tcp/pacer.h"

namespace penstock::quic {

class Sender {
 public:
  // `size_bytes` of data, then the stream's end, unless the application may write more.
  Sender(const tcp::SenderConfig& config, std::uint64_t size_bytes, bool closes);
  Sender(tcp::SenderConfig&&, std::uint64_t, bool) = delete;

  void open(std::uint64_t now_ns, tcp::Output& out);  // unless the receiver does
  void write(std::uint64_t bytes, std::uint64_t now_ns, tcp::Output& out);
  void close(std::uint64_t now_ns, tcp::Output& out);
  void on_segment(const tcp::Segment& s, std::uint64_t now_ns, tcp::Output& out);
  void on_timer(std::uint64_t now_ns, tcp::Output& out);  // call at or after next_timer_ns()
  std::uint64_t next_timer_ns() const {  // kNever if none runs
    return std::min({losses_.pto_at_ns(), losses_.loss_at_ns(), pacer_.timer_ns()});
  }

  bool established() const { return established_; }
  bool done() const { return stream_.done(); }  // all data and its end acknowledged
  std::uint64_t cwnd_bytes() const { return congestion_.bytes(); }
  std::uint64_t send_window_bytes() const { return 0; }  // the peer sets none
  std::uint64_t ssthresh_bytes() const { return congestion_.ssthresh_bytes(); }
  std::uint64_t in_flight_bytes() const { return losses_.packets().in_flight_bytes(); }
  const Rtt& rtt() const { return losses_.rtt(); }
  const tcp::SenderCounters& counters() const { return counters_; }

 private:
  struct pst_sender_view view(std::uint64_t acked, std::uint64_t flight, std::uint64_t rtt_ns,
                              std::uint64_t now_ns) const;
  void establish(const tcp::Segment& answer, std::uint64_t now_ns, tcp::Output& out);
  void on_ack(const tcp::Segment& s, std::uint64_t now_ns, tcp::Output& out);
  void take_acked(std::uint64_t flight, std::uint64_t marked, std::uint64_t now_ns);
  void react_to_marks(std::uint64_t now_ns);
  void react_to_losses(std::uint64_t now_ns);
  void reduce(std::uint64_t now_ns);
  void steer(std::uint64_t now_ns);
  void send_initial(std::uint64_t now_ns, tcp::Output& out);
  void send(std::uint64_t now_ns, tcp::Output& out);
  bool may_send(std::uint64_t now_ns);
  bool paces() const { return rate_ || congestion_.burst_segments() > 0; }
  void pace(std::uint32_t bytes, std::uint64_t now_ns);
  void probe(std::uint64_t now_ns, tcp::Output& out);
  void transmit(SendStream::Chunk chunk, std::uint64_t now_ns, tcp::Output& out);

  const tcp::SenderConfig* config_;
  SendStream stream_;
  LossDetection losses_;
  EcnValidation ecn_;
  tcp::CongestionControl congestion_;
  tcp::Pacer pacer_;
  std::unique_ptr<tcp::Delivery> rate_;  // only for methods that send at a rate; by position
  std::uint64_t recovery_start_ns_ = 0;  // packets sent until then show no new congestion
  std::uint64_t marks_start_ns_ = 0;  // likewise, of marks that a method hears itself
  std::uint64_t acked_bytes_ = 0;  // of packets
  std::uint64_t peer_next_ = 0;  // packet number
  enum pst_recovery recovery_ = PST_RECOVERY_NONE;
  bool established_ = false;
  bool server_ = false;
  bool spin_ = false;
  tcp::SenderCounters counters_;
};

}  // namespace penstock::quic
