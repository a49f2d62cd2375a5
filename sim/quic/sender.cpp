// SPDX-License-Identifier: GPL-2.0-only
#include "sim/quic/sender.h"

#include "sim/tcp/seq.h"

namespace penstock::quic {

namespace {

constexpr std::uint64_t kLeastWindowPackets = 2;  // RFC 9002 section 7.2

}  // namespace

Sender::Sender(const tcp::SenderConfig& config, std::uint64_t size_bytes, bool closes)
    : config_(&config),
      stream_(size_bytes, closes),
      losses_(config.initial_rto_ns),
      congestion_(config) {}

void Sender::open(std::uint64_t now_ns, tcp::Output& out) { send_initial(now_ns, out); }

void Sender::send_initial(std::uint64_t now_ns, tcp::Output& out) {
  const tcp::Segment s = initial_packet(losses_.packets().next());
  losses_.packets().add({}, s.payload_bytes, now_ns);
  out.transmit(s);
}

void Sender::write(std::uint64_t bytes, std::uint64_t now_ns, tcp::Output& out) {
  stream_.write(bytes);
  if (established_) send(now_ns, out);
}

void Sender::close(std::uint64_t now_ns, tcp::Output& out) {
  stream_.close();
  write(0, now_ns, out);
}

void Sender::on_segment(const tcp::Segment& s, std::uint64_t now_ns, tcp::Output& out) {
  if (s.flags & kInitial) {
    if (!established_) establish(s, now_ns, out);
    return;
  }
  const std::uint64_t number = tcp::unwrap(s.seq, 0, peer_next_);
  if (number >= peer_next_) {
    peer_next_ = number + 1;
    spin_ = !(s.flags & kSpin);  // a client inverts it
  }
  if (established_ && !done()) on_ack(s, now_ns, out);
}

void Sender::establish(const tcp::Segment& answer, std::uint64_t now_ns, tcp::Output& out) {
  losses_.take_ack(ack_of_initial(answer), now_ns);
  losses_.begin(max_ack_delay_ns(answer));
  established_ = true;
  congestion_.open(config_->mss_bytes, false);
  congestion_.begin(view(0, 0, rtt().smoothed_ns(), now_ns));
  send(now_ns, out);
}

struct pst_sender_view Sender::view(std::uint64_t acked, std::uint64_t flight, std::uint64_t rtt_ns,
                                    std::uint64_t now_ns) const {
  const SentPackets& packets = losses_.packets();
  return {
      .now_ns = now_ns,
      .acked_bytes = acked,
      .delivered_bytes = acked_bytes_,
      .flight_bytes = flight,
      .window_bytes = PST_MAX_BYTES,
      .rtt_ns = rtt_ns,
      .srtt_ns = rtt().smoothed_ns(),
      .min_rtt_ns = rtt().min_ns(),
      .una = packets.una_position(),
      .sent = packets.position(),
      .delivery = nullptr,
      .mss_bytes = config_->mss_bytes,
      .feedback_bytes = 0,
      .feedback_label = 0,
      .secret = 0,
      .cwnd_limited = congestion_.permits_growth(),
      .has_feedback = false,
      .echoes = false,
  };
}

void Sender::on_ack(const tcp::Segment& s, std::uint64_t now_ns, tcp::Output& out) {
  const std::uint64_t flight = in_flight_bytes();
  if (!losses_.take_ack(ack_frame(s, losses_.packets().next()), now_ns)) return;
  for (const SentPacket& p : losses_.acked()) {
    stream_.acknowledge(p.stream);
    acked_bytes_ += p.bytes;
  }
  react_to_losses(now_ns);
  take_acked(flight, now_ns);
  send(now_ns, out);
}

// RFC 9002 section 7.3: no growth by what was sent before the recovery, which ends with the first
// packet sent after its beginning.
void Sender::take_acked(std::uint64_t flight, std::uint64_t now_ns) {
  std::uint64_t acked = 0;
  for (const SentPacket& p : losses_.acked())
    if (!recovering_ || p.sent_ns > recovery_start_ns_) acked += p.bytes;
  if (congestion_.samples()) congestion_.sample(view(acked, flight, losses_.sample_ns(), now_ns));
  if (acked == 0) return;
  if (recovering_) congestion_.recovered(view(0, flight, 0, now_ns));
  recovering_ = false;
  struct pst_sender_view v = view(acked, flight, losses_.sample_ns(), now_ns);
  congestion_.grow(v);
}

// RFC 9002 sections 7.3.2 and 7.6: one reduction in a round trip, of cwnd.
void Sender::react_to_losses(std::uint64_t now_ns) {
  if (losses_.lost().empty()) return;
  for (const SentPacket& p : losses_.lost()) stream_.lose(p.stream);
  const std::uint64_t least = kLeastWindowPackets * config_->mss_bytes;
  const bool persistent = losses_.persistent();
  if (losses_.lost().back().sent_ns > recovery_start_ns_) {
    congestion_.reduce(persistent ? PST_TIMEOUT : PST_LOSS,
                       view(0, congestion_.bytes(), 0, now_ns));
    congestion_.set(std::max(congestion_.ssthresh_bytes(), least));
    recovery_start_ns_ = now_ns;
    recovering_ = true;
    ++counters_.fast_recoveries;
  }
  if (!persistent) return;
  congestion_.set(least);
  recovering_ = false;
}

void Sender::on_timer(std::uint64_t now_ns, tcp::Output& out) {
  if (now_ns >= losses_.loss_at_ns()) {
    losses_.look_again(now_ns);
    react_to_losses(now_ns);
    send(now_ns, out);
  } else if (now_ns >= losses_.pto_at_ns()) {
    probe(now_ns, out);
  } else {
    send(now_ns, out);
  }
}

bool Sender::may_send(std::uint64_t now_ns) {
  if (in_flight_bytes() + config_->mss_bytes > congestion_.bytes()) {
    congestion_.use().find_full();
    return false;
  }
  return !(config_->pacing || congestion_.paces()) || pacer_.allows(now_ns);
}

void Sender::send(std::uint64_t now_ns, tcp::Output& out) {
  pacer_.begin();
  tcp::WindowUse& use = congestion_.use();
  use.begin();
  const std::uint64_t before = losses_.packets().position();
  while (stream_.pending() && may_send(now_ns))
    transmit(stream_.take(config_->mss_bytes), now_ns, out);
  const SentPackets& packets = losses_.packets();
  if (packets.position() != before || use.full())
    use.note(packets.una_position(), packets.position(),
             use.full() || in_flight_bytes() + config_->mss_bytes > congestion_.bytes());
}

// RFC 9002 section 6.2.4: regardless of cwnd; new data, or the oldest that is not acknowledged.
void Sender::probe(std::uint64_t now_ns, tcp::Output& out) {
  ++counters_.timeouts;
  losses_.on_pto();
  if (!established_) return send_initial(now_ns, out);
  if (stream_.pending()) return transmit(stream_.take(config_->mss_bytes), now_ns, out);
  const tcp::Interval oldest = losses_.packets().oldest().stream;
  transmit({stream_.missing(oldest, config_->mss_bytes), true}, now_ns, out);
}

void Sender::transmit(SendStream::Chunk chunk, std::uint64_t now_ns, tcp::Output& out) {
  const std::uint64_t data_bytes = stream_.data_bytes(chunk.range);
  const tcp::Interval data{chunk.range.start, chunk.range.start + data_bytes};
  tcp::Segment s = data_packet(losses_.packets().next(), data, stream_.has_fin(chunk.range));
  if (spin_) s.flags |= kSpin;
  losses_.packets().add(chunk.range, s.payload_bytes, now_ns);
  if (data_bytes) {
    ++counters_.segments_sent;
    counters_.bytes_sent += data_bytes;
    if (chunk.again) {
      ++counters_.retransmissions;
      counters_.retransmitted_bytes += data_bytes;
    }
  }
  if (config_->pacing || congestion_.paces())
    pacer_.spread(s.payload_bytes, config_->pacing_burst_segments,
                  congestion_.pacing_gain_percent(), congestion_.bytes(), rtt().smoothed_ns(),
                  now_ns);
  out.transmit(s);
}

}  // namespace penstock::quic
