// SPDX-License-Identifier: GPL-2.0-only
// The end of a connection that sends data. A state machine without clock, queue or randomness:
// time and segments are inputs, and segments leave through Output. `config` must outlive the
// sender.
#pragma once

#include <algorithm>
#include <memory>

#include "sim/tcp/config.h"
#include "sim/tcp/congestion_control.h"
#include "sim/tcp/delivery.h"
#include "sim/tcp/ecn_response.h"
#include "sim/tcp/handshake.h"
#include "sim/tcp/loss_recovery.h"
#include "sim/tcp/membership.h"
#include "sim/tcp/pacer.h"
#include "sim/tcp/peer_window.h"
#include "sim/tcp/retransmission_timer.h"
#include "sim/tcp/segment_headers.h"
#include "sim/tcp/send_buffer.h"
#include "sim/tcp/stopwatch.h"

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

  // Makes it a member of an ensemble, from the handshake until all data is acknowledged.
  void share(struct pst_ensemble& ensemble);
  // Sends the SYN; if the receiver opens, the sender waits for that one's.
  void open(std::uint64_t now_ns, Output& out);
  void write(std::uint64_t bytes, std::uint64_t now_ns, Output& out);
  void close(std::uint64_t now_ns, Output& out);
  void on_segment(const Segment& s, std::uint64_t now_ns, Output& out);
  void on_timer(std::uint64_t now_ns, Output& out);  // call at or after next_timer_ns()
  std::uint64_t next_timer_ns() const {              // kNever if none runs
    const std::uint64_t at_ns = std::min(timer_.at_ns(), pacer_.timer_ns());
    const Rack* rack = losses_.rack();
    return rack ? std::min({at_ns, rack->reorder_at_ns, rack->probe.at_ns()}) : at_ns;
  }

  bool established() const { return handshake_.established(); }
  bool done() const { return buffer_.done(); }  // all data and the FIN acknowledged
  std::uint64_t cwnd_bytes() const { return congestion_.bytes(); }
  std::uint64_t ssthresh_bytes() const { return congestion_.ssthresh_bytes(); }
  std::uint64_t send_window_bytes() const { return window_.bytes(); }  // the peer's, scaled
  std::uint64_t flight_bytes() const { return buffer_.flight_bytes(); }
  // Estimated to be in the network: pipe of RFC 6675.
  std::uint64_t pipe_bytes() const;
  std::uint64_t acked_bytes() const { return buffer_.acked_bytes(); }  // payload
  std::uint64_t srtt_ns() const { return timer_.rtt().srtt_ns(); }
  std::uint64_t rttvar_ns() const { return timer_.rtt().rttvar_ns(); }
  std::uint64_t rto_ns() const { return timer_.rto_ns(); }
  std::uint32_t mss_bytes() const { return handshake_.mss_bytes(); }  // after the handshake: agreed
  bool in_recovery() const { return losses_.active(); }
  const SenderCounters& counters() const { return counters_; }

 private:
  // sender.cpp: handshake, timers
  void send_syn(std::uint64_t now_ns, Output& out);
  void on_syn(const Segment& s, std::uint64_t now_ns, Output& out);
  void on_syn_ack(const Segment& s, std::uint64_t now_ns, Output& out);
  void on_request(const Segment& s, std::uint64_t now_ns, Output& out);
  void establish(const Segment& s, std::uint64_t now_ns, Output& out);
  void agree_on_options(const Segment& s);
  void begin(const Segment& s, std::uint64_t now_ns, Output& out);

  // sender_ack.cpp: what an ACK says, and what the method sees of it
  struct pst_sender_view view(std::uint64_t acked, std::uint64_t flight, std::uint64_t rtt_ns,
                              std::uint64_t now_ns) const;
  void on_ack(const Segment& s, std::uint64_t now_ns, Output& out);
  std::uint64_t take_sack(const Segment& s, std::uint64_t ack, std::uint64_t now_ns);
  void advance(const Segment& s, std::uint64_t ack, std::uint64_t now_ns, Output& out);
  std::uint64_t take_rtt(const Segment& s, std::uint64_t ack, std::uint64_t now_ns);
  void grow_window(std::uint64_t acked, std::uint64_t flight, std::uint64_t rtt_ns,
                   std::uint64_t now_ns);
  void sample(std::uint64_t acked, std::uint64_t flight, std::uint64_t rtt_ns,
              std::uint64_t now_ns);
  Rack::Echo echo_of(const Segment& s) const { return {headers_.timestamps(), s.ts_ecr}; }

  // recovery.cpp: loss and congestion
  void on_duplicate(std::uint64_t now_ns, Output& out);
  void enter_fast_recovery(std::uint64_t now_ns, Output& out);
  void react_to_loss(std::uint64_t now_ns);
  void on_recovery_ack(std::uint64_t acked, std::uint64_t now_ns, Output& out);
  bool reduces_in_proportion() const {
    return config_->prr && losses_.sack() && losses_.state() == LossRecovery::State::kFast &&
           !rate_;
  }
  void reduce_in_proportion(std::uint64_t delivered);
  void leave_recovery(std::uint64_t now_ns);
  void on_ecn_echo(std::uint64_t ack, std::uint64_t now_ns);
  void on_timeout(std::uint64_t now_ns, Output& out);
  void reduce(enum pst_congestion why, std::uint64_t now_ns);
  void resend_first(std::uint64_t now_ns, Output& out);

  // sender_rack.cpp: losses by time, probes
  void on_rack_ack(const Segment& s, std::uint64_t ack, bool bare_duplicate, std::uint64_t now_ns,
                   Output& out);
  void detect_losses(std::uint64_t now_ns, Output& out);
  void on_reorder_timer(std::uint64_t now_ns, Output& out);
  void send_lost(std::uint64_t* pipe, std::uint64_t now_ns, Output& out);
  bool may_probe() const;
  void schedule_probe(std::uint64_t now_ns);
  void send_probe(std::uint64_t now_ns, Output& out);

  // sender_output.cpp: what may be sent
  void send(std::uint64_t now_ns, Output& out);
  void send_new(std::uint64_t* pipe, std::uint64_t now_ns, Output& out);
  void send_holes(std::uint64_t below, std::uint64_t* pipe, std::uint64_t now_ns, Output& out);
  void send_rescue(std::uint64_t pipe, std::uint64_t now_ns, Output& out);
  std::uint64_t new_segment_end() const;
  bool may_send(std::uint64_t pipe, std::uint64_t bytes, std::uint64_t now_ns);
  void restart_after_idle(std::uint64_t now_ns);
  void set_timer(std::uint64_t now_ns, bool restart);
  void probe(std::uint64_t now_ns, Output& out);

  // sender_rate.cpp: methods that send at a rate
  std::uint64_t total_lost_bytes() const;
  void count_losses();
  void lose_all();
  void steer(std::uint64_t now_ns);
  void note_application_limit();
  void restart_at_rate(std::uint64_t now_ns);

  Membership::State shared(std::uint64_t now_ns);

  // transmit.cpp: segments
  void transmit(std::uint64_t start, std::uint64_t end, std::uint64_t now_ns, Output& out);
  void transmit_control(std::uint64_t seq, std::uint64_t now_ns, Output& out);
  void count(std::uint32_t payload_bytes, bool again);
  void pace(std::uint64_t now_ns, std::uint32_t bytes);
  bool paces() const { return rate_ || config_->pacing || congestion_.paces(); }

  std::uint64_t right_edge() const { return buffer_.una() + window_.bytes(); }

  const SenderConfig* config_;
  std::unique_ptr<Membership> member_;  // of an ensemble, if any
  SendBuffer buffer_;
  EcnResponse ecn_;
  SegmentHeaders headers_;
  Handshake handshake_;
  RetransmissionTimer timer_;
  Stopwatch stopwatch_;
  PeerWindow window_;
  CongestionControl congestion_;
  Pacer pacer_;
  LossRecovery losses_;
  std::unique_ptr<Delivery> rate_;  // only for methods that send at a rate

  std::uint64_t last_sent_ns_ = 0;

  SenderCounters counters_;
};

}  // namespace penstock::tcp
