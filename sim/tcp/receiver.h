// SPDX-License-Identifier: GPL-2.0-only
// The end of a connection that receives data and acknowledges it. The application reads at once,
// unless pause_reading() stops it (for zero-window tests). `config` must outlive the receiver.
#pragma once

#include <algorithm>
#include <memory>

#include "core/sender/feedback.h"
#include "sim/tcp/autotune.h"
#include "sim/tcp/config.h"
#include "sim/tcp/freeze.h"
#include "sim/tcp/reassembly.h"

namespace penstock::drill {
class Duplex;
}

namespace penstock::tcp {

class Receiver {
  friend class drill::Duplex;  // puts its ACKs on the data of the same host

 public:
  Receiver(const ReceiverConfig& config, std::uint32_t initial_seq);
  Receiver(ReceiverConfig&&, std::uint32_t) = delete;

  bool opens() const { return config_->opens; }
  void open(std::uint64_t now_ns, Output& out);  // sends the SYN, if config.opens
  void on_segment(const Segment& s, std::uint64_t now_ns, Output& out);
  void on_timer(std::uint64_t now_ns, Output& out);
  std::uint64_t next_timer_ns() const {  // kNever if none runs
    return freeze_ ? std::min(timer_ns_, freeze_->wake_ns()) : timer_ns_;
  }

  // When the host expects to lose its cell; and that it has one again.
  void expect_handover(std::uint64_t at_ns);
  void on_handover_done(std::uint64_t now_ns, Output& out);

  void pause_reading() { paused_ = true; }
  void resume_reading(std::uint64_t now_ns, Output& out);

  bool finished() const { return finished_; }  // all data up to the FIN received
  std::uint64_t window_bytes() const { return edge_ - acked_; }  // as last advertised
  const ReceiverCounters& counters() const { return counters_; }

 private:
  // receiver.cpp: handshake, options, what is sent
  void on_syn(const Segment& s, std::uint64_t now_ns, Output& out);
  void on_syn_ack(const Segment& s, std::uint64_t now_ns, Output& out);
  void agree_on_options(const Segment& s);
  void establish(std::uint64_t now_ns);
  void send_syn(std::uint64_t now_ns, Output& out);
  void send_syn_ack(std::uint64_t now_ns, Output& out);
  void transmit_syn(Segment& s, std::uint64_t now_ns, Output& out);
  void send_ack(std::uint64_t now_ns, Output& out);
  void wake_sender(std::uint64_t now_ns, Output& out);
  void add_sack(Segment& s);

  // receiver_data.cpp: what arrives
  void on_data(const Segment& s, std::uint64_t now_ns, Output& out);
  void note_headers(const Segment& s, std::uint64_t start, std::uint64_t now_ns);
  void measure_round_trip(const Segment& s, std::uint64_t now_ns);
  bool accept(std::uint64_t start, std::uint64_t payload_bytes, bool fin);
  void take_feedback(const Segment& s);
  void return_feedback(Segment& s);
  pst_feedback feedback_now() const {
    return {0, feedback_rtt_us_, feedback_bytes_, feedback_label_};
  }
  std::uint64_t allowed_bytes() const;
  void hold(Interval range);
  void fill();
  void deliver(std::uint64_t now_ns);
  void acknowledge(bool at_once, std::uint64_t now_ns, Output& out);

  // receiver_window.cpp
  std::uint8_t choose_scale() const;
  std::uint64_t space_bytes() const;
  std::uint64_t offered_bytes() const { return edge_ - next_; }
  void open_window();
  std::uint16_t window_field();

  const ReceiverConfig* config_;
  std::unique_ptr<Reassembly> reassembly_;  // only while there are holes
  std::unique_ptr<Autotune> autotune_;      // only with config.autotune
  std::unique_ptr<Freeze> freeze_;          // only with config.freeze

  // Offsets in the stream, see seq.h.
  std::uint64_t next_ = 0;        // RCV.NXT
  std::uint64_t edge_ = 0;        // right edge granted
  std::uint64_t acked_ = 0;       // Last.ACK.sent
  std::uint64_t read_ = 1;        // handed to the application
  std::uint64_t fin_ = kNever;    // offset of the FIN, once seen
  std::uint64_t round_end_ = 0;   // end of the window that measures a round trip
  std::uint64_t round_at_ns_ = 0;  // its begin; before it, when the SYN or SYN-ACK left
  std::uint64_t timer_ns_ = kNever;  // SYN or SYN-ACK before, delayed ACK after the handshake
  Interval duplicate_{};  // to report in the next ACK, empty if none

  std::uint32_t initial_seq_;
  std::uint32_t peer_initial_seq_ = 0;
  std::uint32_t ts_recent_ = 0;
  std::uint32_t ts_echoed_ = 0;      // the last echo that gave a round trip
  std::int32_t feedback_bytes_ = 0;  // of the data since the last ACK
  std::uint32_t feedback_label_ = 0;   // of the last data
  std::uint32_t feedback_rtt_us_ = 0;  // its sender's
  std::uint16_t segment_bytes_ = 0;  // largest payload seen: a full segment
  std::uint8_t scale_ = 0;
  std::uint8_t syn_backoff_ = 0;

  bool syn_seen_ : 1 = false;
  bool established_ : 1 = false;
  bool sack_ : 1 = false;
  bool timestamps_ : 1 = false;
  bool scaled_ : 1 = false;
  bool ecn_ : 1 = false;
  bool echo_ce_ : 1 = false;  // ECE on every ACK until CWR
  bool paused_ : 1 = false;
  bool finished_ : 1 = false;
  bool feedback_ : 1 = false;          // ACKs return what routers wrote
  bool feedback_counted_ : 1 = false;  // Extension::counted
  std::uint8_t feedback_kind_ = 0;     // enum pst_feedback_kind

  ReceiverCounters counters_;
};

}  // namespace penstock::tcp
