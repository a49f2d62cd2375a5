// SPDX-License-Identifier: GPL-2.0-only
#include "sim/quic/sender.h"

#include "core/base.h"
#include "sim/tcp/seq.h"

namespace penstock::quic {

namespace {

constexpr std::uint64_t kLeastWindowPackets = 2;  // RFC 9002 section 7.2
constexpr std::uint64_t kUnpacedPackets = 10;     // the first ones at a rate, as TCP's

tcp::Ecn codepoint_of(const tcp::SenderConfig& config) {
  if (!config.ecn) return tcp::kNotEct;
  return config.ect1 ? tcp::kEct1 : tcp::kEct0;
}

}  // namespace

Sender::Sender(const tcp::SenderConfig& config, std::uint64_t size_bytes, bool closes)
    : config_(&config),
      stream_(size_bytes, closes),
      losses_(config.initial_rto_ns),
      ecn_(codepoint_of(config)),
      congestion_(config) {
  if (pst_sender_has_rate(config.method))
    rate_ = std::make_unique<tcp::Delivery>(pst_sender_hears_losses(config.method));
}

void Sender::open(std::uint64_t now_ns, tcp::Output& out) { send_initial(now_ns, out); }

// Or, as a server, the answer to the client's.
void Sender::send_initial(std::uint64_t now_ns, tcp::Output& out) {
  PST_REQUIRE(!established_);
  const std::uint64_t number = losses_.packets().next();
  const tcp::Segment s =
      server_ ? initial_answer(number, peer_next_ - 1, 0) : initial_packet(number);
  losses_.packets().add({}, s.payload_bytes, now_ns);
  out.transmit(s);
}

void Sender::write(std::uint64_t bytes, std::uint64_t now_ns, tcp::Output& out) {
  // The application was the limit if it left room for more.
  if (rate_ && established_ && !stream_.pending() && recovery_ == PST_RECOVERY_NONE &&
      in_flight_bytes() < congestion_.bytes())
    rate_->limit(in_flight_bytes());
  stream_.write(bytes);
  if (established_) send(now_ns, out);
}

void Sender::close(std::uint64_t now_ns, tcp::Output& out) {
  stream_.close();
  write(0, now_ns, out);
}

void Sender::on_segment(const tcp::Segment& s, std::uint64_t now_ns, tcp::Output& out) {
  const std::uint64_t number = tcp::unwrap(s.seq, 0, peer_next_);
  const bool newest = number >= peer_next_;
  peer_next_ = std::max(peer_next_, number + 1);
  if (s.flags & kInitial) {
    server_ = server_ || !(s.flags & kAck);
    if (established_) return;
    return s.flags & kAck ? establish(s, now_ns, out) : send_initial(now_ns, out);
  }
  if (newest) spin_ = ((s.flags & kSpin) != 0) == server_;  // a client inverts it
  if (established_ && !done()) on_ack(s, now_ns, out);
}

void Sender::establish(const tcp::Segment& answer, std::uint64_t now_ns, tcp::Output& out) {
  PST_REQUIRE(!established_);
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
  PST_REQUIRE(established_ && !done());
  const std::uint64_t flight = in_flight_bytes();
  if (rate_) rate_->begin(flight, rate_->lost_bytes());
  const AckFrame frame = ack_frame(s, losses_.packets().next());
  if (!losses_.take_ack(frame, now_ns)) return;
  for (const SentPacket& p : losses_.acked()) {
    stream_.acknowledge(p.stream);
    acked_bytes_ += p.bytes;
    if (rate_) rate_->on_sack({p.position, p.position + p.bytes}, now_ns);
  }
  PST_ENSURE(in_flight_bytes() < flight);
  const std::uint64_t marked = ecn_.on_ack(frame, losses_.acked());
  if (marked) react_to_marks(now_ns);
  react_to_losses(now_ns);
  take_acked(flight, pst_sender_hears_marks(config_->method) ? marked : 0, now_ns);
  if (rate_) steer(now_ns);
  send(now_ns, out);
}

// RFC 9002 section 7.3: no growth by what was sent before the recovery, which ends with the first
// packet sent after its beginning. Methods that hear each mark do not grow by what was marked.
void Sender::take_acked(std::uint64_t flight, std::uint64_t marked, std::uint64_t now_ns) {
  PST_REQUIRE(!losses_.acked().empty());
  const bool recovering = recovery_ != PST_RECOVERY_NONE;
  std::uint64_t acked = 0, newly = 0;
  for (const SentPacket& p : losses_.acked()) {
    newly += p.bytes;
    if (!recovering || p.sent_ns > recovery_start_ns_) acked += p.bytes;
  }
  PST_ENSURE(acked <= newly && newly <= flight && marked <= newly);
  if (congestion_.samples())
    sample(congestion_, view(acked, flight, losses_.sample_ns(), now_ns), marked, newly);
  if (acked == 0) return;
  if (recovering) congestion_.recovered(view(0, flight, 0, now_ns));
  recovery_ = PST_RECOVERY_NONE;
  if (rate_) return;  // steer() does it
  acked -= std::min(acked, marked);
  if (acked == 0) return;
  struct pst_sender_view v = view(acked, flight, losses_.sample_ns(), now_ns);
  congestion_.grow(v);
}

// Methods that send at a rate see every ACK, after what it shows to be lost.
void Sender::steer(std::uint64_t now_ns) {
  rate_->forget(losses_.packets().una_position());
  struct pst_delivery d = rate_->sample(rate_->lost_bytes(), now_ns);
  d.in_flight_bytes = in_flight_bytes();
  d.wait_ns = pacer_.wait_ns(now_ns);
  d.recovery = recovery_;
  d.cwnd_limited = congestion_.use().limited();
  d.selective = true;
  struct pst_sender_view v = view(0, in_flight_bytes(), 0, now_ns);
  v.delivery = &d;
  congestion_.steer(v, rate_->take_lost());
  if (congestion_.pacing(view(0, 0, 0, now_ns)).restrained) rate_->limit(in_flight_bytes());
}

// RFC 9002 section 7.1: as a loss of the newest packet that the ACK acknowledges. Methods that hear
// each mark, and those that send at a rate, have no recovery of marks.
void Sender::react_to_marks(std::uint64_t now_ns) {
  const bool recovers = !rate_ && !pst_sender_hears_marks(config_->method);
  std::uint64_t& start_ns = recovers ? recovery_start_ns_ : marks_start_ns_;
  if (!recovers && recovery_ != PST_RECOVERY_NONE) return;
  PST_REQUIRE(!losses_.acked().empty());
  if (losses_.acked().back().sent_ns <= start_ns) return;
  start_ns = now_ns;
  ++counters_.ecn_reductions;
  congestion_.reduce(PST_ECN, view(0, congestion_.bytes(), 0, now_ns));
  congestion_.limit(congestion_.ssthresh_bytes(), kLeastWindowPackets * config_->mss_bytes);
  if (recovers) recovery_ = PST_RECOVERY_FAST;
}

void Sender::react_to_losses(std::uint64_t now_ns) {
  if (losses_.lost().empty()) return;
  for (const SentPacket& p : losses_.lost()) {
    stream_.lose(p.stream);
    ecn_.on_lost(p);
    if (!rate_) continue;
    rate_->lose(p.bytes);
    rate_->on_lost({p.position, p.position + p.bytes});
  }
  if (losses_.lost().back().sent_ns > recovery_start_ns_) reduce(now_ns);
  if (!losses_.persistent()) return;
  congestion_.set(kLeastWindowPackets * config_->mss_bytes);
  recovery_ = rate_ ? PST_RECOVERY_TIMEOUT : PST_RECOVERY_NONE;
}

// RFC 9002 sections 7.3.2 and 7.6: one reduction in a round trip, of cwnd. A method that sends at a
// rate sets its window itself.
void Sender::reduce(std::uint64_t now_ns) {
  congestion_.reduce(losses_.persistent() ? PST_TIMEOUT : PST_LOSS,
                     view(0, congestion_.bytes(), 0, now_ns));
  if (!rate_)
    congestion_.set(std::max<std::uint64_t>(congestion_.ssthresh_bytes(),
                                            kLeastWindowPackets * config_->mss_bytes));
  PST_ENSURE(now_ns >= recovery_start_ns_);
  PST_ENSURE(congestion_.ssthresh_bytes() > 0);
  recovery_start_ns_ = now_ns;
  recovery_ = PST_RECOVERY_FAST;
  ++counters_.fast_recoveries;
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
  return !paces() || pacer_.allows(now_ns);
}

void Sender::send(std::uint64_t now_ns, tcp::Output& out) {
  pacer_.begin();
  PST_REQUIRE(established_);
  tcp::WindowUse& use = congestion_.use();
  use.begin();
  const std::uint64_t before = losses_.packets().position();
  if (rate_ && rate_->limited() && !losses_.packets().any() && stream_.pending())
    congestion_.restart(view(0, 0, 0, now_ns));
  while (stream_.pending() && may_send(now_ns))
    transmit(stream_.take(config_->mss_bytes), now_ns, out);
  const SentPackets& packets = losses_.packets();
  if (packets.position() != before || use.full())
    use.note(packets.una_position(), packets.position(),
             use.full() || in_flight_bytes() + config_->mss_bytes > congestion_.bytes());
}

// RFC 9002 section 6.2.4: regardless of cwnd; new data, or the oldest that is not acknowledged.
void Sender::probe(std::uint64_t now_ns, tcp::Output& out) {
  losses_.on_pto();
  if (!established_) return send_initial(now_ns, out);
  ++counters_.timeouts;
  if (stream_.pending()) return transmit(stream_.take(config_->mss_bytes), now_ns, out);
  const tcp::Interval oldest = losses_.packets().oldest().stream;
  transmit({stream_.missing(oldest, config_->mss_bytes), true}, now_ns, out);
}

void Sender::transmit(SendStream::Chunk chunk, std::uint64_t now_ns, tcp::Output& out) {
  PST_REQUIRE(chunk.range.start <= chunk.range.end);
  const std::uint64_t data_bytes = stream_.data_bytes(chunk.range);
  const tcp::Interval data{chunk.range.start, chunk.range.start + data_bytes};
  tcp::Segment s = data_packet(losses_.packets().next(), data, stream_.has_fin(chunk.range));
  if (spin_) s.flags |= kSpin;
  s.ecn = ecn_.codepoint();
  PST_REQUIRE(established_ && s.payload_bytes <= config_->mss_bytes);
  if (s.ecn) ecn_.on_sent();
  SentPackets& packets = losses_.packets();
  if (rate_)
    rate_->on_send(packets.position(), packets.position() + s.payload_bytes, !packets.any(),
                   in_flight_bytes() + s.payload_bytes, now_ns);
  packets.add(chunk.range, s.payload_bytes, now_ns, s.ecn != tcp::kNotEct);
  if (data_bytes) {
    ++counters_.segments_sent;
    counters_.bytes_sent += data_bytes;
    if (chunk.again) {
      ++counters_.retransmissions;
      counters_.retransmitted_bytes += data_bytes;
    }
  }
  if (paces()) pace(s.payload_bytes, now_ns);
  out.transmit(s);
}

void Sender::pace(std::uint32_t bytes, std::uint64_t now_ns) {
  if (!rate_) {
    pacer_.spread(bytes, config_->pacing_burst_segments, congestion_.pacing_gain_percent(),
                  congestion_.bytes(), rtt().smoothed_ns(), now_ns);
  } else if (counters_.segments_sent >= kUnpacedPackets) {
    pacer_.keep_rate(bytes, congestion_.pacing(view(0, 0, 0, now_ns)), now_ns);
  }
}

}  // namespace penstock::quic
