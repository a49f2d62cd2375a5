// SPDX-License-Identifier: GPL-2.0-only
// Handshake and ACKs of the receiver: RFC 9293 section 3.5, RFC 7323 sections 2
// and 3, RFC 2018 sections 2 and 3, RFC 3168 section 6.1.
#include "sim/tcp/receiver.h"

#include "sim/tcp/extension.h"
#include "sim/tcp/seq.h"
#include "sim/tcp/syn.h"

namespace penstock::tcp {
namespace {

constexpr std::uint8_t kMaxSynBackoff = 6;

}  // namespace

Receiver::Receiver(const ReceiverConfig& config, std::uint32_t initial_seq)
    : config_(&config), initial_seq_(initial_seq) {
  if (config.autotune) {
    autotune_ =
        std::make_unique<Autotune>(config.mss_bytes, config.buffer_bytes, config.max_buffer_bytes);
  }
  if (config.freeze) freeze_ = std::make_unique<Freeze>(config);
}

void Receiver::open(std::uint64_t now_ns, Output& out) {
  next_ = acked_ = 1;
  scale_ = config_->window_scale ? choose_scale() : std::uint8_t{0};
  send_syn(now_ns, out);
}

void Receiver::on_segment(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (s.flags & kSyn) {
    if (s.flags & kAck)
      on_syn_ack(s, now_ns, out);
    else
      on_syn(s, now_ns, out);
    return;
  }
  if (!syn_seen_ || !(s.flags & kAck) || s.ack != initial_seq_ + 1) return;
  if (!established_) establish(now_ns);
  on_data(s, now_ns, out);
}

void Receiver::establish(std::uint64_t now_ns) {
  established_ = true;
  // The RTT of the handshake, if our SYN was sent only once.
  if (freeze_ && !syn_backoff_) freeze_->on_round_trip(now_ns - round_at_ns_);
  timer_ns_ = kNever;
  if (autotune_) autotune_->start(now_ns);
}

void Receiver::on_syn(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (established_) {  // an old duplicate
    send_ack(now_ns, out);
    return;
  }
  if (!syn_seen_) {
    next_ = acked_ = 1;
    agree_on_options(s);
    scale_ = scaled_ ? choose_scale() : 0;
    feedback_ = config_->feedback && (s.options & kExtension) && s.extension.silent_hops == 0;
    if (feedback_) {
      feedback_kind_ = s.extension.kind;
      feedback_counted_ = s.extension.counted;
      if (pst_feedback_of_syn(feedback_kind_)) take_feedback(s);
    }
  }
  ts_recent_ = s.ts_val;
  send_syn_ack(now_ns, out);
}

// The answer to our SYN; again, if our ACK of it was lost.
void Receiver::on_syn_ack(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (!config_->opens || s.ack != initial_seq_ + 1) return;
  if (!established_) {
    agree_on_options(s);
    if (!scaled_) scale_ = 0;
    ts_recent_ = s.ts_val;
    establish(now_ns);
  } else if (not_older(s.ts_val, ts_recent_)) {
    ts_recent_ = s.ts_val;
  }
  send_ack(now_ns, out);
}

void Receiver::agree_on_options(const Segment& s) {
  syn_seen_ = true;
  peer_initial_seq_ = s.seq;
  timestamps_ = config_->timestamps && (s.options & kTimestamps);
  sack_ = config_->sack && (s.options & kSackPermitted);
  scaled_ = config_->window_scale && (s.options & kWindowScale);
  ecn_ = config_->ecn && asks_for_ecn(s);
}

void Receiver::send_syn(std::uint64_t now_ns, Output& out) {
  Segment s = make_syn({.seq = initial_seq_,
                        .mss_bytes = config_->mss_bytes,
                        .scale = scale_,
                        .timestamps = config_->timestamps,
                        .sack = config_->sack,
                        .scaled = config_->window_scale},
                       now_ns);
  if (config_->ecn) s.flags |= kEce | kCwr;
  transmit_syn(s, now_ns, out);
}

void Receiver::send_syn_ack(std::uint64_t now_ns, Output& out) {
  Segment s = make_syn({.seq = initial_seq_,
                        .mss_bytes = config_->mss_bytes,
                        .scale = scale_,
                        .timestamps = timestamps_,
                        .sack = sack_,
                        .scaled = scaled_},
                       now_ns);
  answer_syn(s, wrap(1, peer_initial_seq_), ts_recent_);
  if (ecn_) s.flags |= kEce;
  if (feedback_) return_feedback(s);
  transmit_syn(s, now_ns, out);
}

void Receiver::transmit_syn(Segment& s, std::uint64_t now_ns, Output& out) {
  s.window = static_cast<std::uint16_t>(std::min<std::uint64_t>(space_bytes(), 65535));
  edge_ = next_ + s.window;
  round_at_ns_ = now_ns;
  if (config_->opens || config_->repeat_syn_ack)
    timer_ns_ = now_ns + (config_->initial_rto_ns << syn_backoff_);
  out.transmit(s);
}

void Receiver::expect_handover(std::uint64_t at_ns) {
  if (freeze_) freeze_->expect_handover(at_ns);
}

void Receiver::on_handover_done(std::uint64_t now_ns, Output& out) {
  if (!freeze_ || !established_ || finished_) return;
  freeze_->begin();
  wake_sender(now_ns, out);
}

void Receiver::wake_sender(std::uint64_t now_ns, Output& out) {
  for (unsigned i = 0; i < Freeze::kCopies; ++i) send_ack(now_ns, out);
  freeze_->on_wake(now_ns);
}

void Receiver::on_timer(std::uint64_t now_ns, Output& out) {
  if (freeze_ && now_ns >= freeze_->wake_ns()) wake_sender(now_ns, out);
  if (now_ns < timer_ns_) return;
  if (established_) {
    send_ack(now_ns, out);
    return;
  }
  if (syn_backoff_ < kMaxSynBackoff) ++syn_backoff_;
  if (config_->opens)
    send_syn(now_ns, out);
  else
    send_syn_ack(now_ns, out);
}

void Receiver::send_ack(std::uint64_t now_ns, Output& out) {
  Segment s{};
  s.seq = initial_seq_ + 1;
  s.ack = wrap(next_, peer_initial_seq_);
  s.flags = kAck;
  if (echo_ce_) s.flags |= kEce;
  if (timestamps_) {
    s.options = kTimestamps;
    s.ts_val = timestamp_us(now_ns);
    s.ts_ecr = ts_recent_;
  }
  if (sack_) add_sack(s);
  if (feedback_) return_feedback(s);
  s.window = freeze_ && freeze_->closes(now_ns) ? 0 : window_field();
  acked_ = next_;
  timer_ns_ = kNever;
  ++counters_.acks_sent;
  out.transmit(s);
}

// One ACK acknowledges several segments: their changes add up.
void Receiver::return_feedback(Segment& s) {
  pst_feedback answer = feedback_now();
  if (config_->forge_feedback) pst_feedback_forge(feedback_kind_, &answer, config_->mss_bytes);
  add_extension(s, feedback_kind_, feedback_counted_);
  set_feedback(s, answer);
  feedback_bytes_ = 0;
}

// A duplicate comes first, once (RFC 2883 section 4).
void Receiver::add_sack(Segment& s) {
  if (!reassembly_ && duplicate_.end == 0) return;
  std::array<Interval, 3> blocks;
  const unsigned held = reassembly_ ? reassembly_->report(blocks) : 0;
  const unsigned most = feedback_ ? kSackBlocksBesideExtension : 3;
  unsigned n = 0;
  const auto write = [&](const Interval& block) {
    s.sack[n].start = wrap(block.start, peer_initial_seq_);
    s.sack[n++].end = wrap(block.end, peer_initial_seq_);
  };
  if (duplicate_.end) write(duplicate_);
  for (unsigned i = 0; i < held && n < most; ++i) write(blocks[i]);
  s.options = static_cast<std::uint8_t>(s.options | n);
  duplicate_ = {};
}

}  // namespace penstock::tcp
