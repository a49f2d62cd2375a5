// SPDX-License-Identifier: GPL-2.0-only
// Handshake, options and timers of the sender: RFC 9293 sections 3.5 and 3.7,
// RFC 7323 section 2 and 3, RFC 2018 section 2, RFC 3168 section 6.1.1,
// RFC 6928 (initial window), RFC 6298 section 5.
#include "sim/tcp/sender.h"

#include "sim/tcp/seq.h"
#include "sim/tcp/syn.h"

namespace penstock::tcp {
namespace {

// The sender's own receive window does not matter, as it receives no data. It advertises the
// default of Linux, 64 kB with a scale for up to 6 MB.
constexpr std::uint8_t kOwnScale = 7;
constexpr std::uint16_t kOwnWindow = 64240;
constexpr std::uint64_t kFallbackRtoNs = 3'000'000'000;

}  // namespace

Sender::Sender(const SenderConfig& config, std::uint32_t initial_seq, std::uint64_t size_bytes,
               After after)
    : config_(&config),
      cwnd_{config.mss_bytes, PST_SSTHRESH_MAX},
      buffer_(size_bytes, after),
      initial_seq_(initial_seq),
      mss_bytes_(config.mss_bytes),
      samples_(pst_sender_samples(config.method)),
      feedback_(pst_sender_feedback(config.method) != PST_FEEDBACK_NONE) {
  if (pst_sender_has_rate(config.method)) rate_ = std::make_unique<Delivery>();
}

void Sender::share(struct pst_ensemble& ensemble) {
  member_ = std::make_unique<Membership>(*config_, ensemble);
}

// In fast recovery the window is that of the recovery; the share is applied afterwards.
Membership::State Sender::shared(std::uint64_t now_ns) {
  return {.cwnd = cwnd_,
          .rtt = rtt_,
          .now_ns = now_ns,
          .mss_bytes = mss_bytes_,
          .timed_out = recovery_ == Recovery::kTimeout,
          .idle = buffer_.idle()};
}

void Sender::open(std::uint64_t now_ns, Output& out) {
  if (member_) member_->hear_round_trip(shared(now_ns));
  send_syn(now_ns, out);
}

void Sender::write(std::uint64_t bytes, std::uint64_t now_ns, Output& out) {
  if (rate_ && established_) note_application_limit();
  buffer_.write(bytes);
  if (!established_) return;
  if (member_) member_->ask(shared(now_ns));
  send(now_ns, out);
  set_timer(now_ns, false);
}

void Sender::close(std::uint64_t now_ns, Output& out) {
  buffer_.close();
  write(0, now_ns, out);
}

void Sender::send_syn(std::uint64_t now_ns, Output& out) {
  Segment s = make_syn({.seq = initial_seq_,
                        .mss_bytes = config_->mss_bytes,
                        .scale = kOwnScale,
                        .timestamps = config_->timestamps,
                        .sack = offers_sack(),
                        .scaled = config_->window_scale},
                       now_ns);
  if (config_->ecn) s.flags |= kEce | kCwr;
  if (feedback_ && asks_in_syn()) {
    feedback_ = !syn_resent_;  // the first one may have been lost for its header
    if (feedback_) stamp(s, now_ns);
  } else if (feedback_) {
    extend(s);
  }
  transmit_syn(s, now_ns, out);
}

void Sender::send_syn_ack(std::uint64_t now_ns, Output& out) {
  Segment s = make_syn({.seq = initial_seq_,
                        .mss_bytes = config_->mss_bytes,
                        .scale = kOwnScale,
                        .timestamps = timestamps_,
                        .sack = sack_,
                        .scaled = scaled_},
                       now_ns);
  answer_syn(s, peer_next_, ts_recent_);
  if (ecn_.used()) s.flags |= kEce;
  transmit_syn(s, now_ns, out);
}

void Sender::transmit_syn(Segment& s, std::uint64_t now_ns, Output& out) {
  if (!syn_resent_) stopwatch_.start_syn(now_ns);
  buffer_.note_sent(1);
  retransmit_at_ns_ = now_ns + rto_ns();
  s.window = kOwnWindow;
  out.transmit(s);
}

void Sender::on_segment(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (s.flags & kSyn) {
    if (s.flags & kAck)
      on_syn_ack(s, now_ns, out);
    else
      on_syn(s, now_ns, out);
    return;
  }
  if (!(s.flags & kAck)) return;
  if (!established_) {
    on_request(s, now_ns, out);
  } else if (!buffer_.done()) {
    on_ack(s, now_ns, out);
  }
}

// The receiver opens. If it repeats its SYN, our answer was lost, or is late.
void Sender::on_syn(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (established_) {  // an old duplicate
    transmit_control(buffer_.max(), now_ns, out);
    return;
  }
  if (answers_) {
    syn_resent_ = true;
  } else {
    answers_ = true;
    agree_on_options(s);
    peer_next_ = s.seq + 1;
    if (member_) member_->hear_round_trip(shared(now_ns));
  }
  ts_recent_ = s.ts_val;
  send_syn_ack(now_ns, out);
}

void Sender::on_syn_ack(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (buffer_.max() == 0 || s.ack != wrap(1, initial_seq_)) return;
  if (established_) {  // our ACK of it was lost
    transmit_control(buffer_.max(), now_ns, out);
    return;
  }
  agree_on_options(s);
  establish(s, now_ns, out);
}

// The ACK of our SYN-ACK stands for the request that the data answers.
void Sender::on_request(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (answers_ && s.ack == wrap(1, initial_seq_)) establish(s, now_ns, out);
}

void Sender::establish(const Segment& s, std::uint64_t now_ns, Output& out) {
  established_ = true;
  if (timestamps_) {
    ts_recent_ = s.ts_val;
    rtt_.sample(std::uint64_t{timestamp_us(now_ns) - s.ts_ecr} * 1000);
  } else if (!syn_resent_) {
    rtt_.sample(stopwatch_.since_syn_ns(now_ns));
  }
  begin(s, now_ns, out);
}

// A recovery that ends at one ACK cannot use SACK.
bool Sender::offers_sack() const {
  return config_->sack && !pst_sender_recovers_one(config_->method);
}

void Sender::agree_on_options(const Segment& s) {
  timestamps_ = config_->timestamps;
  if (timestamps_ && !(s.options & kTimestamps)) {
    timestamps_ = false;
    mss_bytes_ += PST_TIMESTAMPS_BYTES;  // a segment has their room, RFC 6691
  }
  sack_ = offers_sack() && (s.options & kSackPermitted);
  if (sack_ && config_->rack) rack_ = std::make_unique<Rack>();
  scaled_ = config_->window_scale && (s.options & kWindowScale);
  ecn_.agree(config_->ecn && asks_for_ecn(s));
  feedback_ = feedback_ && (s.options & kExtension);
  if (scaled_) peer_scale_ = std::min<std::uint8_t>(s.syn.scale, 14);
  if (s.options & kMss) {
    const std::uint32_t fits = s.syn.mss_bytes - (timestamps_ ? PST_TIMESTAMPS_BYTES : 0U);
    mss_bytes_ = std::min(mss_bytes_, fits);
  }
}

void Sender::begin(const Segment& s, std::uint64_t now_ns, Output& out) {
  const bool syn = s.flags & kSyn;
  buffer_.acknowledge(1);
  backoff_ = 0;
  retransmit_at_ns_ = kNever;
  peer_next_ = s.seq + syn;
  window_.open(s, peer_scale_);
  board_.restart(buffer_.una());
  if (config_->initial_ssthresh_segments)
    cwnd_.ssthresh_bytes = std::uint64_t{config_->initial_ssthresh_segments} * mss_bytes_;
  if (syn_resent_) {
    cwnd_.bytes = mss_bytes_;  // RFC 5681 section 3.1
  } else {
    cwnd_.bytes = initial_window_bytes();
  }
  if (member_) {
    member_->join(shared(now_ns));
    member_->ask(shared(now_ns));
  }
  if (feedback_) take_feedback(s);
  const struct pst_sender_view v = view(0, 0, rtt_.srtt_ns(), now_ns);
  pst_sender_init(config_->method, &config_->params, &method_state_, &v, &cwnd_);
  if (asks_in_syn()) feedback_ = false;
  if (syn) transmit_control(buffer_.una(), now_ns, out);
  last_sent_ns_ = now_ns;
  send(now_ns, out);
  set_timer(now_ns, false);
}

// RFC 6928 eq. 1, with the number of segments as a parameter.
std::uint64_t Sender::initial_window_bytes() const {
  const std::uint64_t n = config_->initial_window_segments;
  const std::uint64_t mss = mss_bytes_;
  return std::max(mss, std::min(n * mss, std::max(2 * mss, n * 1460)));
}

// After a lost SYN the first RTO of the data is 3 s, RFC 6298 (5.7), unless a timestamp has given
// an RTT sample, as in Linux.
std::uint64_t Sender::timeout_ns(unsigned backoff) const {
  std::uint64_t initial_ns = config_->initial_rto_ns;
  if (syn_resent_ && established_) initial_ns = std::max(initial_ns, kFallbackRtoNs);
  return rtt_.rto_ns(*config_, initial_ns, backoff);
}

void Sender::on_timer(std::uint64_t now_ns, Output& out) {
  if (now_ns >= pacer_.timer_ns()) {
    send(now_ns, out);
    set_timer(now_ns, false);
  }
  if (rack_ && now_ns >= rack_->reorder_at_ns) on_reorder_timer(now_ns, out);
  if (rack_ && now_ns >= rack_->probe_at_ns) send_probe(now_ns, out);
  if (now_ns < retransmit_at_ns_) return;
  if (!established_) {
    ++backoff_;
    syn_resent_ = true;
    if (answers_)
      send_syn_ack(now_ns, out);
    else
      send_syn(now_ns, out);
  } else if (persisting_) {
    probe(now_ns, out);
  } else {
    on_timeout(now_ns, out);
  }
}

}  // namespace penstock::tcp
