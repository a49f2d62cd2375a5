// SPDX-License-Identifier: GPL-2.0-only
// Arriving data: RFC 9293 section 3.10.7.4 (acceptance), RFC 5681 section 4.2 and
// RFC 1122 section 4.2.3.2 (when to acknowledge), RFC 7323 section 4.3 (what to
// echo), RFC 3168 section 6.1.3 (ECN echo).
#include "sim/tcp/receiver.h"
#include "sim/tcp/seq.h"

namespace penstock::tcp {
namespace {

// The first held range that starts below `next`, cut there; empty if there is none.
Interval held_below(const Reassembly& held, std::uint64_t next) {
  std::array<Interval, 3> blocks;
  const unsigned n = held.report(blocks);
  Interval first{next, next};
  for (unsigned i = 0; i < n; ++i)
    if (blocks[i].start < first.start) first = {blocks[i].start, std::min(blocks[i].end, next)};
  return first;
}

}  // namespace

void Receiver::on_data(const Segment& s, std::uint64_t now_ns, Output& out) {
  const std::uint64_t start = unwrap(s.seq, peer_initial_seq_, next_);
  note_headers(s, start, now_ns);
  const bool fin = s.flags & kFin;
  if (s.payload_bytes == 0 && !fin) {
    if (start < next_) send_ack(now_ns, out);  // a window probe asks for an answer
    return;
  }
  // Out of order or filling a hole; or a delayed ACK would find no cell.
  bool at_once = fin || reassembly_ || (freeze_ && freeze_->closes(now_ns));
  if (accept(start, s.payload_bytes, fin)) {
    deliver(now_ns);
  } else {
    at_once = true;
  }
  acknowledge(at_once, now_ns, out);
}

void Receiver::note_headers(const Segment& s, std::uint64_t start, std::uint64_t now_ns) {
  if (ecn_) {
    if (s.flags & kCwr) echo_ce_ = false;
    if (s.ecn == kCe) {
      echo_ce_ = true;
      ++counters_.ce_received;
    }
  }
  // The oldest segment that the next ACK acknowledges is the one echoed.
  if (timestamps_ && start <= acked_ && not_older(s.ts_val, ts_recent_)) ts_recent_ = s.ts_val;
  if (s.payload_bytes == 0) return;
  ++counters_.segments_received;
  segment_bytes_ = std::max(segment_bytes_, s.payload_bytes);
  if (feedback_) take_feedback(s);
  if (freeze_) freeze_->on_data();
  if (autotune_ || freeze_) measure_round_trip(s, now_ns);
  // Without SACK a growing window would invalidate duplicate ACKs.
  if (autotune_ && (sack_ || start <= next_)) autotune_->on_segment(s.payload_bytes);
}

// After the first segment without a header, or whose header passed a router without support, no
// ACK returns one: the sender then stops using it.
void Receiver::take_feedback(const Segment& s) {
  feedback_ = (s.options & kExtension) && s.extension.silent_hops == 0;
  feedback_label_ = s.extension.label;
  feedback_rtt_us_ = s.extension.rtt_us;
  const std::int64_t sum = std::int64_t{feedback_bytes_} + s.extension.delta_bytes;
  if (feedback_)
    feedback_bytes_ =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
}

// Our own timestamp echoed on a full segment, once per value; without timestamps the time in
// which a whole window arrives.
void Receiver::measure_round_trip(const Segment& s, std::uint64_t now_ns) {
  if (timestamps_) {
    if (s.ts_ecr == ts_echoed_ || s.payload_bytes < segment_bytes_) return;
    ts_echoed_ = s.ts_ecr;
    const std::uint64_t rtt_ns = std::uint64_t{timestamp_us(now_ns) - s.ts_ecr} * 1000;
    if (freeze_) freeze_->on_round_trip(rtt_ns);
    if (autotune_) autotune_->on_round_trip(rtt_ns, false);
    return;
  }
  if (!autotune_) return;  // a window's time says too little of a round trip
  if (round_end_ != 0) {
    if (next_ < round_end_) return;
    autotune_->on_round_trip(now_ns - round_at_ns_, true);
  }
  round_end_ = edge_;
  round_at_ns_ = now_ns;
}

// True if the segment brought in-order data or the FIN.
bool Receiver::accept(std::uint64_t start, std::uint64_t payload_bytes, bool fin) {
  std::uint64_t end = start + payload_bytes;
  if (end + fin > edge_) {  // beyond what was ever granted
    ++counters_.out_of_window;
    if (start >= edge_) return false;
    end = std::min(end, edge_);
    fin = false;
  }
  if (fin) fin_ = end;
  const std::uint64_t before = next_;
  if (start > next_) {
    hold({start, end});
  } else {
    const std::uint64_t known = std::min(end, next_);
    counters_.duplicate_bytes += known - start;
    if (config_->dsack && known > start) duplicate_ = {start, known};
    next_ = std::max(next_, end);
    if (reassembly_ && next_ > before) fill();
  }
  if (next_ == fin_) {
    ++next_;
    finished_ = true;
  }
  return next_ > before;
}

void Receiver::hold(Interval range) {
  if (range.start >= range.end) return;  // a lone FIN waits in fin_
  if (!reassembly_) reassembly_ = std::make_unique<Reassembly>();
  const std::uint64_t gained = reassembly_->add(range);
  counters_.duplicate_bytes += range.end - range.start - gained;
  if (config_->dsack && gained == 0) duplicate_ = range;
  if (autotune_) autotune_->on_out_of_order(reassembly_->span_bytes(next_));
}

// In-order data reached the data held.
void Receiver::fill() {
  // Data that was held arrived again with what was missing (RFC 2883 section 4.1.1).
  if (config_->dsack && duplicate_.end == 0) {
    const Interval twice = held_below(*reassembly_, next_);
    if (twice.start < twice.end) duplicate_ = twice;
  }
  const Reassembly::Taken taken = reassembly_->take(next_);
  next_ = taken.next;
  counters_.duplicate_bytes += taken.duplicate_bytes;
  if (reassembly_->empty()) reassembly_.reset();
}

void Receiver::deliver(std::uint64_t now_ns) {
  if (paused_) return;
  const std::uint64_t end = std::min(next_, fin_);
  counters_.bytes_received += end - read_;
  read_ = end;
  if (autotune_) autotune_->on_read(read_, now_ns);
}

void Receiver::acknowledge(bool at_once, std::uint64_t now_ns, Output& out) {
  const std::uint64_t waiting = next_ - acked_;
  const std::uint64_t hold_back =
      std::uint64_t{pst_sub_floor(config_->delayed_ack_segments, 1)} * segment_bytes_;
  if (at_once || waiting > hold_back) {
    send_ack(now_ns, out);
  } else if (timer_ns_ == kNever) {
    timer_ns_ = now_ns + config_->delayed_ack_ns;
  }
}

// Sends a window update if it is large enough.
void Receiver::resume_reading(std::uint64_t now_ns, Output& out) {
  paused_ = false;
  if (!established_) return;
  const std::uint64_t edge = edge_;
  deliver(now_ns);
  open_window();
  if (edge_ != edge) send_ack(now_ns, out);
}

}  // namespace penstock::tcp
