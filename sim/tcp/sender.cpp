// SPDX-License-Identifier: GPL-2.0-only
// Handshake, options and timers of the sender: RFC 9293 sections 3.5 and 3.7,
// RFC 7323 section 2 and 3, RFC 2018 section 2, RFC 3168 section 6.1.1,
// RFC 6928 (initial window), RFC 6298 section 5.
#include "sim/tcp/sender.h"

namespace penstock::tcp {

Sender::Sender(const SenderConfig& config, std::uint32_t initial_seq, std::uint64_t size_bytes,
               After after)
    : config_(&config),
      buffer_(size_bytes, after),
      headers_(initial_seq),
      handshake_(config),
      timer_(config),
      congestion_(config),
      losses_(config) {
  if (pst_sender_has_rate(config.method)) rate_ = std::make_unique<Delivery>();
}

void Sender::share(struct pst_ensemble& ensemble) {
  member_ = std::make_unique<Membership>(*config_, ensemble);
}

// In fast recovery the window is that of the recovery; the share is applied afterwards.
Membership::State Sender::shared(std::uint64_t now_ns) {
  return {.cwnd = congestion_.cwnd(),
          .rtt = timer_.rtt(),
          .now_ns = now_ns,
          .mss_bytes = handshake_.mss_bytes(),
          .timed_out = losses_.state() == LossRecovery::State::kTimeout,
          .idle = buffer_.idle()};
}

void Sender::open(std::uint64_t now_ns, Output& out) {
  if (member_) member_->hear_round_trip(shared(now_ns));
  send_syn(now_ns, out);
}

void Sender::write(std::uint64_t bytes, std::uint64_t now_ns, Output& out) {
  if (rate_ && handshake_.established()) note_application_limit();
  buffer_.write(bytes);
  if (!handshake_.established()) return;
  if (member_) member_->ask(shared(now_ns));
  send(now_ns, out);
  set_timer(now_ns, false);
}

void Sender::close(std::uint64_t now_ns, Output& out) {
  buffer_.close();
  write(0, now_ns, out);
}

// Or, if the receiver opens, the SYN-ACK.
void Sender::send_syn(std::uint64_t now_ns, Output& out) {
  Segment s = handshake_.syn(headers_, now_ns);
  if (!handshake_.answers())
    congestion_.stamp_syn(s, handshake_.resent(), view(0, buffer_.flight_bytes(), 0, now_ns));
  if (!handshake_.resent()) stopwatch_.start_syn(now_ns);
  buffer_.note_sent(1);
  timer_.start(now_ns);
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
  if (!handshake_.established()) {
    on_request(s, now_ns, out);
  } else if (!buffer_.done()) {
    on_ack(s, now_ns, out);
  }
}

// The receiver opens.
void Sender::on_syn(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (handshake_.established()) {  // an old duplicate
    transmit_control(buffer_.max(), now_ns, out);
    return;
  }
  if (handshake_.on_peer_syn()) {
    agree_on_options(s);
    headers_.expect(s.seq + 1);
    if (member_) member_->hear_round_trip(shared(now_ns));
  }
  headers_.echo(s.ts_val);
  send_syn(now_ns, out);
}

void Sender::on_syn_ack(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (buffer_.max() == 0 || !headers_.acknowledges_syn(s)) return;
  if (handshake_.established()) {  // our ACK of it was lost
    transmit_control(buffer_.max(), now_ns, out);
    return;
  }
  agree_on_options(s);
  establish(s, now_ns, out);
}

// The ACK of our SYN-ACK stands for the request that the data answers.
void Sender::on_request(const Segment& s, std::uint64_t now_ns, Output& out) {
  if (handshake_.answers() && headers_.acknowledges_syn(s)) establish(s, now_ns, out);
}

void Sender::establish(const Segment& s, std::uint64_t now_ns, Output& out) {
  handshake_.establish();
  if (headers_.timestamps()) {
    headers_.echo(s.ts_val);
    timer_.take_sample(headers_.echoed_rtt_ns(s, now_ns));
  } else if (!handshake_.resent()) {
    timer_.take_sample(stopwatch_.since_syn_ns(now_ns));
  }
  if (handshake_.resent()) timer_.fall_back();
  begin(s, now_ns, out);
}

void Sender::agree_on_options(const Segment& s) {
  handshake_.agree_on_options(s, headers_);
  losses_.agree(handshake_.sack(), handshake_.mss_bytes());
  ecn_.agree(handshake_.ecn());
  congestion_.feedback().agree(s);
}

void Sender::begin(const Segment& s, std::uint64_t now_ns, Output& out) {
  const bool syn = s.flags & kSyn;
  buffer_.acknowledge(1);
  timer_.reset();
  headers_.expect(s.seq + syn);
  window_.open(s, handshake_.peer_scale());
  losses_.board().restart(buffer_.una());
  congestion_.open(handshake_.mss_bytes(), handshake_.resent());
  if (member_) {
    member_->join(shared(now_ns));
    member_->ask(shared(now_ns));
  }
  if (congestion_.feedback().used()) congestion_.feedback().take(s);
  congestion_.begin(view(0, 0, timer_.rtt().srtt_ns(), now_ns));
  if (syn) transmit_control(buffer_.una(), now_ns, out);
  last_sent_ns_ = now_ns;
  send(now_ns, out);
  set_timer(now_ns, false);
}

void Sender::on_timer(std::uint64_t now_ns, Output& out) {
  if (now_ns >= pacer_.timer_ns()) {
    send(now_ns, out);
    set_timer(now_ns, false);
  }
  if (const Rack* rack = losses_.rack()) {
    if (now_ns >= rack->reorder_at_ns) on_reorder_timer(now_ns, out);
    if (now_ns >= rack->probe.at_ns()) send_probe(now_ns, out);
  }
  if (!timer_.expired(now_ns)) return;
  if (!handshake_.established()) {
    timer_.expire();
    handshake_.on_loss();
    send_syn(now_ns, out);
  } else if (timer_.persists()) {
    probe(now_ns, out);
  } else {
    on_timeout(now_ns, out);
  }
}

}  // namespace penstock::tcp
