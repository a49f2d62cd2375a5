// SPDX-License-Identifier: GPL-2.0-only
#include "sim/quic/receiver.h"

#include <algorithm>

#include "core/base.h"
#include "sim/tcp/seq.h"

namespace penstock::quic {

void Receiver::open(std::uint64_t now_ns, tcp::Output& out) { send_initial(now_ns, out); }

void Receiver::send_initial(std::uint64_t now_ns, tcp::Output& out) {
  constexpr std::uint8_t kMostBackoff = 6;
  initial_at_ns_ = now_ns + (config_->initial_rto_ns << initials_);
  initials_ = std::min<std::uint8_t>(initials_ + 1, kMostBackoff);
  out.transmit(initial_packet(sent_++));
}

// The answer to an Initial; of a client, to the server's answer, with its request.
void Receiver::on_segment(const tcp::Segment& s, std::uint64_t now_ns, tcp::Output& out) {
  if (s.flags & kInitial) {
    initial_at_ns_ = tcp::kNever;
    out.transmit(initial_answer(sent_++, s.seq, config_->delayed_ack_ns));
    return;
  }
  const std::uint64_t number = tcp::unwrap(s.seq, 0, packets_.next());
  const bool largest = number >= packets_.next();
  if (stream_bytes(s)) ++counters_.segments_received;
  if (!packets_.add(number, now_ns, s.ecn)) return;
  counters_.ce_received += s.ecn == tcp::kCe;
  // A server reflects it, a client inverts it.
  if (largest) spin_ = ((s.flags & kSpin) != 0) != config_->opens;
  take_stream(s);
  if (packets_.ack_at_ns() <= now_ns) acknowledge(now_ns, out);
}

void Receiver::take_stream(const tcp::Segment& s) {
  const std::uint64_t start = stream_offset(s);
  const std::uint64_t end = start + stream_bytes(s);
  PST_REQUIRE(end <= fin_ && (!(s.flags & kFin) || fin_ == tcp::kNever || fin_ == end));
  if (s.flags & kFin) fin_ = end;
  if (start < end) {
    std::uint64_t fresh = 0;
    if (end > next_) fresh = held_.add({std::max(start, next_), end});
    counters_.duplicate_bytes += end - start - fresh;
    counters_.received_bytes += fresh;
  }
  if (!held_.empty() && held_[0].start <= next_) {
    next_ = held_[0].end;
    held_.remove_below(next_);
  }
  PST_ENSURE(next_ >= counters_.delivered_bytes);
  PST_ENSURE(held_.empty() || held_[0].start > next_);
  counters_.delivered_bytes = next_;
  PST_ENSURE(next_ <= fin_ && (!finished_ || next_ == fin_));
  finished_ = next_ == fin_;
}

void Receiver::acknowledge(std::uint64_t now_ns, tcp::Output& out) {
  tcp::Segment ack = packets_.acknowledge(sent_++, now_ns);
  if (spin_) ack.flags |= kSpin;
  ++counters_.acks_sent;
  out.transmit(ack);
}

void Receiver::on_timer(std::uint64_t now_ns, tcp::Output& out) {
  if (initial_at_ns_ <= now_ns) send_initial(now_ns, out);
  if (packets_.ack_at_ns() <= now_ns) acknowledge(now_ns, out);
}

}  // namespace penstock::quic
