// SPDX-License-Identifier: GPL-2.0-only
#include "sim/drill/duplex.h"

#include "sim/tcp/seq.h"

namespace penstock::drill {

using tcp::Segment;

namespace {

constexpr std::uint64_t segments(std::uint64_t bytes, std::uint64_t mss_bytes) {
  return (bytes + mss_bytes - 1) / mss_bytes;
}

}  // namespace

Duplex::Duplex(const tcp::SenderConfig& sender, const tcp::ReceiverConfig& receiver,
               std::uint32_t initial_seq)
    : sender_config_(sender),
      receiver_config_(receiver),
      initial_seq_(initial_seq),
      sender_(sender_config_, initial_seq, 0, tcp::Sender::After::kOpen),
      receiver_(receiver_config_, initial_seq) {}

void Duplex::open(std::uint64_t now_ns) {
  receiver_.open(now_ns, acks_);
  sender_.open(now_ns, data_);
  send_syns(now_ns);
}

// The sender's timer repeats a SYN; window and scale are those of the receiver's first.
void Duplex::send_syns(std::uint64_t now_ns) {
  if (!acks_.segments.empty()) syn_ = acks_.segments.front();
  acks_.segments.clear();
  PST_ENSURE(acks_.segments.empty());
  for (Segment s : data_.segments) {
    PST_REQUIRE(s.flags & tcp::kSyn || established());
    s.window = syn_.window;
    s.syn.scale = syn_.syn.scale;
    sent_.push_back({now_ns, s});
  }
  data_.segments.clear();
}

void Duplex::on_segment(const Segment& s, std::uint64_t now_ns) {
  if (reset_) return;
  if (s.flags & tcp::kRst) return on_reset(s, now_ns);
  if (s.flags & tcp::kSyn) return on_syn(s, now_ns);
  if (!(s.flags & tcp::kAck)) return;
  if (established() && !is_acceptable(s.ack)) {
    receiver_.send_ack(now_ns, acks_);
    emit(now_ns);
    return;
  }
  sender_.on_segment(s, now_ns, data_);
  if (!established()) return;
  Segment arrived = s;
  arrived.ack = initial_seq_ + 1;  // the receiver's half has sent no more than its SYN
  receiver_.on_segment(arrived, now_ns, acks_);
  emit(now_ns);
}

// RFC 5961 section 3.2: only the next byte expected ends the connection; another one within the
// window is answered.
void Duplex::on_reset(const Segment& s, std::uint64_t now_ns) {
  PST_REQUIRE(established());
  const std::uint64_t next = receiver_.buffer_.next();
  const std::uint64_t at = tcp::unwrap(s.seq, receiver_.handshake_.peer_initial_seq(), next);
  reset_ = at == next;
  if (reset_ || at < next || at >= receiver_.window_.edge()) return;
  receiver_.send_ack(now_ns, acks_);
  emit(now_ns);
}

void Duplex::on_syn(const Segment& s, std::uint64_t now_ns) {
  const bool was_established = established();
  receiver_.on_segment(s, now_ns, acks_);
  sender_.on_segment(s, now_ns, data_);
  if (was_established || established())
    emit(now_ns);
  else
    send_syns(now_ns);
}

void Duplex::on_timer(std::uint64_t now_ns) {
  if (sender_.next_timer_ns() <= now_ns) sender_.on_timer(now_ns, data_);
  if (!established()) return send_syns(now_ns);
  if (receiver_.next_timer_ns() <= now_ns) receiver_.on_timer(now_ns, acks_);
  emit(now_ns);
}

std::uint64_t Duplex::next_timer_ns() const {
  if (reset_) return tcp::kNever;
  const std::uint64_t at_ns = sender_.next_timer_ns();
  return established() ? std::min(at_ns, receiver_.next_timer_ns()) : at_ns;
}

void Duplex::write(std::uint64_t bytes, std::uint64_t now_ns) {
  PST_REQUIRE(data_end_ + bytes >= data_end_);
  data_end_ += bytes;
  sender_.write(bytes, now_ns, data_);
  emit(now_ns);
}

void Duplex::close(std::uint64_t now_ns) {
  receiver_config_.lazy_fin_ack = false;  // in FIN-WAIT, Linux answers at once
  closes_first_ = !peer_closed();
  sender_.close(now_ns, data_);
  emit(now_ns);
}

void Duplex::set_nagle(bool on, std::uint64_t now_ns) {
  sender_config_.nagle = on;
  if (established()) write(0, now_ns);
}

std::vector<Sent> Duplex::take() {
  std::vector<Sent> taken;
  taken.swap(sent_);
  return taken;
}

// SND.NXT as an offset in the stream.
std::uint64_t Duplex::sent_offset() const {
  if (!established()) return 1;
  return sender_.acked_bytes() + 1 + (sender_.done() ? 1 : 0) + sender_.flight_bytes();
}

// RFC 5961 section 5.2: an ACK of what was never sent, or of data from before the largest window,
// is answered, and neither half takes anything of its segment.
bool Duplex::is_acceptable(std::uint32_t ack) const {
  const std::uint32_t behind = tcp::wrap(sent_offset(), initial_seq_) - ack;
  return behind <= sender_.flight_bytes() + sender_.tcb_.window.most_bytes();
}

Segment Duplex::acknowledgment(std::uint64_t now_ns) {
  if (acks_.segments.empty()) receiver_.send_ack(now_ns, acks_);
  PST_ENSURE(!acks_.segments.empty());
  return acks_.segments.back();
}

// Data carries the acknowledgment; without data each ACK leaves alone.
void Duplex::emit(std::uint64_t now_ns) {
  if (!data_.segments.empty()) {
    const Segment ack = acknowledgment(now_ns);
    constexpr std::uint32_t kOfAck = tcp::kSackCountMask | tcp::kAccEcn;
    for (Segment s : data_.segments) {
      s.ack = ack.ack;
      s.window = ack.window;
      if (sender_.tcb_.accecn)
        set_ace(s, tcp::ace_of(ack));
      else
        s.flags |= ack.flags & tcp::kEce;
      s.ts_ecr = ack.ts_ecr;
      s.options = static_cast<std::uint8_t>((s.options & ~kOfAck) | (ack.options & kOfAck));
      std::copy(std::begin(ack.sack), std::end(ack.sack), std::begin(s.sack));
      sent_.push_back({now_ns, s});
    }
  } else {
    for (Segment s : acks_.segments) {
      // In TIME-WAIT, Linux has no counters any more.
      if (sender_.tcb_.accecn && done() && peer_closed() && closes_first_) set_ace(s, 0);
      s.seq = tcp::wrap(sent_offset(), initial_seq_);
      sent_.push_back({now_ns, s});
    }
  }
  data_.segments.clear();
  acks_.segments.clear();
  PST_ENSURE(sent_.empty() || sent_.back().at_ns <= now_ns);
}

Info Duplex::info() const {
  const std::uint64_t mss = sender_.mss_bytes();
  const tcp::LossRecovery& losses = sender_.tcb_.losses;
  const std::uint64_t sacked = losses.sacked_bytes();
  const std::uint64_t ssthresh = sender_.ssthresh_bytes();
  const tcp::AccEcn* accecn = sender_.tcb_.accecn.get();
  const tcp::AccEcnFeedback* feedback = accecn ? &accecn->feedback : nullptr;
  PST_REQUIRE(mss > 0);
  PST_REQUIRE(sacked <= sender_.flight_bytes());
  return {.cwnd_segments = std::max<std::uint64_t>(sender_.cwnd_bytes() / mss, 1),
          .ssthresh_segments = ssthresh == PST_SSTHRESH_MAX ? INT32_MAX : ssthresh / mss,
          .unacked_segments = established() ? segments(sender_.flight_bytes(), mss) : 1,
          .sacked_segments = segments(sacked, mss),
          .retransmissions = sender_.counters().retransmissions,
          .mss_bytes = mss,
          .advertised_mss_bytes = syn_.syn.mss_bytes,
          .acked_bytes = sender_.acked_bytes(),
          .received_bytes = receiver_.counters().delivered_bytes,
          .unsent_bytes = pst_sub_floor(data_end_, sent_offset()),
          .rto_ns = sender_.rto_ns(),
          .srtt_ns = sender_.srtt_ns(),
          .rttvar_ns = sender_.rttvar_ns(),
          .fast_recovery = losses.state() == tcp::LossRecovery::State::kFast,
          .timed_out = losses.state() == tcp::LossRecovery::State::kTimeout,
          .disorder = sacked > 0 || losses.duplicate_acks() > 0,
          .reducing = sender_.tcb_.ecn.covers(sender_.tcb_.data.una()),
          .ce_packets = feedback ? feedback->ce_packets() : 0,
          .ce_bytes = feedback ? feedback->bytes(tcp::kCe) : 0,
          .ect0_bytes = feedback ? feedback->bytes(tcp::kEct0) : 0,
          .ect1_bytes = feedback ? feedback->bytes(tcp::kEct1) : 0,
          .ce_received = accecn ? receiver_.ecn_.accurate()->ce_packets() : 0};
}

}  // namespace penstock::drill
