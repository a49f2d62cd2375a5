// SPDX-License-Identifier: GPL-2.0-only
// The end of a connection that receives data and acknowledges it. The application reads at once,
// unless pause_reading() stops it (for zero-window tests). `config` must outlive the receiver.
#pragma once

#include <algorithm>
#include <memory>

#include "sim/tcp/advertised_window.h"
#include "sim/tcp/autotune.h"
#include "sim/tcp/config.h"
#include "sim/tcp/ecn_echo.h"
#include "sim/tcp/feedback_echo.h"
#include "sim/tcp/freeze.h"
#include "sim/tcp/receive_buffer.h"
#include "sim/tcp/receiver_handshake.h"
#include "sim/tcp/receiver_rtt.h"
#include "sim/tcp/recent_timestamp.h"

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

  void pause_reading() { buffer_.pause(); }
  void resume_reading(std::uint64_t now_ns, Output& out);

  bool finished() const { return buffer_.finished(); }  // all data up to the FIN received
  std::uint64_t window_bytes() const { return window_.edge() - acked_; }  // as last advertised
  const ReceiverCounters& counters() const { return counters_; }

 private:
  void on_syn(const Segment& s, std::uint64_t now_ns, Output& out);
  void on_syn_ack(const Segment& s, std::uint64_t now_ns, Output& out);
  void agree_on_options(const Segment& s);
  void establish(const Segment& s, std::uint64_t now_ns);
  void send_syn(Segment s, std::uint64_t now_ns, Output& out);
  void send_syn_ack(std::uint64_t now_ns, Output& out);

  void on_data(const Segment& s, std::uint64_t now_ns, Output& out);
  bool take_mark(const Segment& s, std::uint64_t now_ns, Output& out);
  void note_headers(const Segment& s, std::uint64_t start, std::uint64_t now_ns);
  void measure_round_trip(const Segment& s, std::uint64_t now_ns);
  void deliver(std::uint64_t now_ns);

  void acknowledge(bool at_once, std::uint64_t now_ns, Output& out);
  void send_ack(std::uint64_t now_ns, Output& out, const Segment* syn_ack = nullptr);
  void add_sack(Segment& s);
  void wake_sender(std::uint64_t now_ns, Output& out);
  std::uint64_t space_bytes(std::uint64_t now_ns) const;
  bool move_window(std::uint64_t now_ns) {
    const std::uint64_t allowed = feedback_.allowed_bytes(segment_bytes_, window_.scale());
    const std::uint64_t space = std::min(space_bytes(now_ns), allowed);
    if (config_->retract_period_ns) [[unlikely]] {
      window_.reach(buffer_.next());
      window_.retract(buffer_.next(), space);
    }
    return window_.move(buffer_.next(), space, segment_bytes_);
  }

  const ReceiverConfig* config_;
  ReceiverHandshake handshake_;
  ReceiveBuffer buffer_;
  AdvertisedWindow window_;
  FeedbackEcho feedback_;
  EcnEcho ecn_;
  ReceiverRtt rtt_;
  std::unique_ptr<Autotune> autotune_;  // only with config.autotune
  std::unique_ptr<Freeze> freeze_;      // only with config.freeze
  std::uint64_t acked_ = 0;             // Last.ACK.sent
  std::uint64_t timer_ns_ = kNever;  // SYN or SYN-ACK before, delayed ACK after the handshake
  RecentTimestamp ts_recent_;
  std::uint16_t segment_bytes_ = 0;  // largest payload seen: a full segment
  ReceiverCounters counters_;
};

}  // namespace penstock::tcp
