// SPDX-License-Identifier: GPL-2.0-only
// Arriving segments and their acknowledgment: RFC 9293 section 3.10.7.4, RFC 5681 section 4.2 and
// RFC 1122 section 4.2.3.2 (when to acknowledge), RFC 7323 section 4.3 (what to echo).
#include "sim/tcp/receiver.h"

#include "core/base.h"
#include "sim/tcp/seq.h"

namespace penstock::tcp {

Receiver::Receiver(const ReceiverConfig& config, std::uint32_t initial_seq)
    : config_(&config),
      handshake_(config, initial_seq),
      buffer_(config),
      window_(config),
      feedback_(config) {
  if (config.autotune) {
    const BufferRule rule{config.scaling_ratio, config.rcvbuf_slow_start, config.rcvbuf_low_rtt_ns};
    autotune_ = std::make_unique<Autotune>(config.mss_bytes, config.buffer_bytes,
                                           config.max_buffer_bytes, rule);
  }
  if (config.freeze) freeze_ = std::make_unique<Freeze>(config);
}

void Receiver::open(std::uint64_t now_ns, Output& out) {
  buffer_.open();
  acked_ = buffer_.next();
  PST_REQUIRE(config_->opens && !handshake_.syn_seen());
  ecn_.agree(config_->ecn || config_->accecn, config_->exact_ecn);
  window_.choose_scale(config_->window_scale);
  send_syn(handshake_.syn(window_.scale(), now_ns), now_ns, out);
}

void Receiver::on_segment(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (s.flags & kSyn) {
    if (s.flags & kAck)
      on_syn_ack(s, now_ns, out);
    else
      on_syn(s, now_ns, out);
    return;
  }
  if (!handshake_.syn_seen() || !(s.flags & kAck) || s.ack != handshake_.next_seq()) return;
  if (!handshake_.established()) establish(s, now_ns);
  on_data(s, now_ns, out);
}

// `s`: the SYN-ACK, or the ACK of ours.
void Receiver::establish(const Segment& s, std::uint64_t now_ns) {
  PST_REQUIRE(!handshake_.established());
  if (!(s.flags & kSyn)) handshake_.ecn().hear_third_ack(s);
  if (handshake_.ecn().accurate()) ecn_.count(handshake_.ecn(), s);
  handshake_.establish();
  // The RTT of the handshake, if our SYN was sent only once.
  if (freeze_ && !handshake_.resent()) freeze_->on_round_trip(rtt_.since_syn_ns(now_ns));
  timer_ns_ = kNever;
  if (autotune_) autotune_->start(now_ns);
}

void Receiver::on_syn(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (handshake_.established()) {  // an old duplicate
    send_ack(now_ns, out);
    return;
  }
  handshake_.ecn().hear_syn(s);
  if (!handshake_.syn_seen()) {
    buffer_.open();
    acked_ = buffer_.next();
    agree_on_options(s);
    feedback_.agree(s);
  }
  ts_recent_.set(s.ts_val, now_ns);
  send_syn_ack(now_ns, out);
}

// The answer to our SYN; again, if our ACK of it was lost.
void Receiver::on_syn_ack(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (!config_->opens || s.ack != handshake_.next_seq()) return;
  if (!handshake_.established()) {
    agree_on_options(s);
    ts_recent_.set(s.ts_val, now_ns);
    establish(s, now_ns);
  } else if (handshake_.has_timestamp(s)) {
    ts_recent_.take(s.ts_val, now_ns);
  }
  send_ack(now_ns, out, &s);
}

void Receiver::agree_on_options(const Segment& s) {
  handshake_.agree_on_options(s);
  window_.choose_scale(handshake_.scaled());
  ecn_.agree(handshake_.ecn().mode() != EcnMode::kNone, config_->exact_ecn);
  ecn_.take_codepoint(s);
}

void Receiver::send_syn(Segment s, std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(!handshake_.established() && (s.flags & kSyn));
  s.ecn = ecn_.codepoint();
  s.window =
      window_.open(buffer_.next(), std::min(space_bytes(now_ns), feedback_.allowed_bytes(0, 0)));
  rtt_.start_syn(now_ns);
  if (handshake_.repeats()) timer_ns_ = now_ns + handshake_.timeout_ns();
  out.transmit(s);
}

void Receiver::send_syn_ack(std::uint64_t now_ns, Output& out) {
  Segment s = handshake_.syn_ack(window_.scale(), ts_recent_.value(), now_ns);
  if (feedback_.used()) {  // in place of the option of accurate ECN
    s.options = static_cast<std::uint8_t>(s.options & ~std::uint32_t{kSackCountMask});
    feedback_.give(s, space_bytes(now_ns));
  }
  send_syn(s, now_ns, out);
}

void Receiver::expect_handover(std::uint64_t at_ns) {
  if (freeze_) freeze_->expect_handover(at_ns);
}

void Receiver::on_handover_done(std::uint64_t now_ns, Output& out) {
  if (!freeze_ || !handshake_.established() || buffer_.finished()) return;
  freeze_->begin();
  wake_sender(now_ns, out);
}

void Receiver::wake_sender(std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(freeze_ && handshake_.established());
  for (unsigned i = 0; i < Freeze::kCopies; ++i) send_ack(now_ns, out);
  freeze_->on_wake(now_ns);
}

void Receiver::on_timer(std::uint64_t now_ns, Output& out) {
  if (freeze_ && now_ns >= freeze_->wake_ns()) wake_sender(now_ns, out);
  if (now_ns < timer_ns_) return;
  if (handshake_.established()) {
    send_ack(now_ns, out);
    return;
  }
  handshake_.on_loss();
  if (config_->opens)
    send_syn(handshake_.syn(window_.scale(), now_ns), now_ns, out);
  else
    send_syn_ack(now_ns, out);
}

[[gnu::always_inline]] inline void Receiver::on_data(const Segment& s, std::uint64_t now_ns,
                                                     Output& out) {
  PST_REQUIRE(handshake_.established());
  const std::uint64_t start = unwrap(s.seq, handshake_.peer_initial_seq(), buffer_.next());
  const bool mark = ecn_.used() && take_mark(s, now_ns, out);
  note_headers(s, start, now_ns);
  const bool fin = s.flags & kFin;
  if (s.payload_bytes == 0 && !fin) {
    if (start < buffer_.next()) send_ack(now_ns, out);  // a window probe asks for an answer
    return;
  }
  // Out of order or filling a hole; or a delayed ACK would find no cell.
  bool at_once = mark || fin || buffer_.has_holes() || (freeze_ && freeze_->closes(now_ns));
  [[maybe_unused]] const std::uint64_t before = buffer_.next();
  const auto arrival = buffer_.accept(start, s.payload_bytes, fin, window_.most_edge(), counters_);
  if (arrival == ReceiveBuffer::Arrival::kInOrder) {
    PST_ENSURE(buffer_.next() > before);
    deliver(now_ns);
  } else {
    PST_ENSURE(buffer_.next() == before);
    at_once = true;
    if (autotune_ && arrival == ReceiveBuffer::Arrival::kHeld)
      autotune_->on_out_of_order(buffer_.span_bytes());
  }
  // Of Linux: a FIN takes back what SACK would report; alone, once data has arrived, it waits.
  if (fin && config_->lazy_fin_ack && buffer_.finished()) {
    buffer_.forget_duplicate();
    if (segment_bytes_ && buffer_.next() == acked_ + 1) {
      timer_ns_ = std::min(timer_ns_, now_ns + config_->delayed_ack_ns);
      return;
    }
  }
  acknowledge(at_once, now_ns, out);
}

// True if the mark asks for an ACK at once.
bool Receiver::take_mark(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (AccEcnEcho* accurate = ecn_.accurate()) {
    ecn_.take_codepoint(s);
    if (s.ecn == kCe) ++counters_.ce_received;
    return accurate->take(s);
  }
  if (ecn_.turns(s) && acked_ < buffer_.next()) send_ack(now_ns, out);
  if (ecn_.take(s)) ++counters_.ce_received;
  return false;
}

[[gnu::always_inline]] inline void Receiver::note_headers(const Segment& s, std::uint64_t start,
                                                          std::uint64_t now_ns) {
  // The oldest segment that the next ACK acknowledges is the one echoed.
  if (start <= acked_ && handshake_.has_timestamp(s)) ts_recent_.take(s.ts_val, now_ns);
  if (s.payload_bytes == 0) return;
  ++counters_.segments_received;
  segment_bytes_ = std::max(segment_bytes_, s.payload_bytes);
  if (feedback_.used()) feedback_.take(s);
  if (freeze_) freeze_->on_data();
  if (autotune_ || freeze_) measure_round_trip(s, now_ns);
  // Without SACK a growing window would invalidate duplicate ACKs.
  if (autotune_ && (handshake_.sack() || start <= buffer_.next()))
    autotune_->on_segment(s.payload_bytes);
}

// Our own timestamp echoed on a full segment; without timestamps the time in which a whole window
// arrives, which says too little of a round trip for all but autotuning.
void Receiver::measure_round_trip(const Segment& s, std::uint64_t now_ns) {
  std::uint64_t rtt_ns = 0;
  if (handshake_.timestamps()) {
    if (s.payload_bytes < segment_bytes_ || !handshake_.has_timestamp(s)) return;
    if (!rtt_.by_echo(s, clock_of(*config_), now_ns, rtt_ns)) return;
    if (freeze_) freeze_->on_round_trip(rtt_ns);
    if (autotune_) autotune_->on_round_trip(rtt_ns, false);
  } else if (autotune_ && rtt_.by_window(buffer_.next(), window_.edge(), now_ns, rtt_ns)) {
    autotune_->on_round_trip(rtt_ns, true);
  }
}

void Receiver::deliver(std::uint64_t now_ns) {
  if (buffer_.paused()) return;
  counters_.delivered_bytes += buffer_.read();
  PST_ENSURE(buffer_.unread_bytes() == 0);
  PST_ENSURE(counters_.delivered_bytes + 1 == buffer_.read_end());
  if (autotune_) autotune_->on_read(buffer_.read_end(), now_ns);
}

// Sends a window update if it is large enough.
void Receiver::resume_reading(std::uint64_t now_ns, Output& out) {
  buffer_.resume();
  if (!handshake_.established()) return;
  deliver(now_ns);
  if (move_window(now_ns)) send_ack(now_ns, out);
}

void Receiver::acknowledge(bool at_once, std::uint64_t now_ns, Output& out) {
  PST_REQUIRE(acked_ <= buffer_.next());
  const std::uint64_t waiting = buffer_.next() - acked_;
  const std::uint64_t hold_back =
      std::uint64_t{pst_sub_floor(config_->delayed_ack_segments, 1)} * segment_bytes_;
  if (at_once || waiting > hold_back) {
    send_ack(now_ns, out);
  } else if (timer_ns_ == kNever) {
    timer_ns_ = now_ns + config_->delayed_ack_ns;
  }
}

// `syn_ack`: what it acknowledges, if that is one.
void Receiver::send_ack(std::uint64_t now_ns, Output& out, const Segment* syn_ack) {
  PST_REQUIRE(handshake_.syn_seen());
  Segment s{};
  s.seq = handshake_.next_seq();
  s.ack = wrap(buffer_.next(), handshake_.peer_initial_seq());
  s.flags = kAck;
  if (ecn_.echoes()) s.flags |= kEce;
  s.ecn = ecn_.codepoint();
  if (handshake_.timestamps()) {
    s.options = kTimestamps;
    s.ts_val = clock_of(*config_).at(now_ns);
    s.ts_ecr = ts_recent_.value();
  }
  if (handshake_.sack() && buffer_.reports()) add_sack(s);
  if (feedback_.used()) feedback_.give(s, space_bytes(now_ns));
  if (AccEcnEcho* accurate = ecn_.accurate()) {
    accurate->give(s, config_->accecn_option);
    if (syn_ack) set_ace(s, ace_of_handshake(Ecn{syn_ack->ecn}));
  }
  if (!freeze_ || !freeze_->closes(now_ns)) {
    move_window(now_ns);
    s.window = window_.field(buffer_.next());
  }
  PST_ENSURE(acked_ <= buffer_.next());
  PST_ENSURE(window_.edge() >= buffer_.next());
  acked_ = buffer_.next();
  timer_ns_ = kNever;
  ++counters_.acks_sent;
  out.transmit(s);
}

void Receiver::add_sack(Segment& s) {
  std::array<Interval, 3> blocks;
  const unsigned most = feedback_.used() ? kSackBlocksBesideExtension : 3;
  const unsigned n = buffer_.report(blocks, most);
  for (unsigned i = 0; i < n; ++i) {
    PST_REQUIRE(blocks[i].start < blocks[i].end);
    s.sack[i].start = wrap(blocks[i].start, handshake_.peer_initial_seq());
    s.sack[i].end = wrap(blocks[i].end, handshake_.peer_initial_seq());
  }
  PST_ENSURE(n <= most);
  s.options = static_cast<std::uint8_t>(s.options | n);
}

// For data beyond what is in order, including out-of-order data.
std::uint64_t Receiver::space_bytes(std::uint64_t now_ns) const {
  const std::uint64_t bytes = autotune_
                                  ? autotune_->window_bytes(buffer_.unread_bytes())
                                  : pst_sub_floor(config_->buffer_bytes, buffer_.unread_bytes());
  const std::uint64_t period_ns = config_->retract_period_ns;
  return period_ns && now_ns / period_ns % 2 ? bytes / 2 : bytes;
}

}  // namespace penstock::tcp
