// SPDX-License-Identifier: GPL-2.0-only
// What the sender may send, and when: RFC 9293 section 3.8.6 (windows, silly
// window, probes) and 3.7.4 (Nagle), RFC 6675 section 4 (NextSeg), RFC 3042
// (limited transmit), RFC 5681 section 4.1 (idle), RFC 6298 section 5 (timer).
#include "sim/tcp/sender.h"

namespace penstock::tcp {

std::uint64_t Sender::pipe_bytes() const {
  return losses_.pipe_bytes(buffer_, rate_ ? rate_->duplicate_bytes() : 0);
}

// NextSeg() tries its rules in turn until none applies. A rule that failed cannot apply again
// before the next ACK, so each is exhausted before the next.
void Sender::send(std::uint64_t now_ns, Output& out) {
  pacer_.begin();
  WindowUse& use = congestion_.use();
  use.begin();
  const std::uint64_t max_before = buffer_.max();
  if (buffer_.max() == buffer_.una()) restart_after_idle(now_ns);
  std::uint64_t pipe = pipe_bytes();
  const bool fast = losses_.state() == LossRecovery::State::kFast;
  const bool by_holes = !losses_.rack() && (fast ? losses_.sack() : losses_.active());
  if (losses_.rack()) send_lost(&pipe, now_ns, out);
  if (by_holes) send_holes(losses_.lost_edge(), &pipe, now_ns, out);  // rule 1
  send_new(&pipe, now_ns, out);                                       // rule 2
  if (by_holes && fast) {
    send_holes(losses_.board().highest_sacked(), &pipe, now_ns, out);  // rule 3
    send_rescue(pipe, now_ns, out);                                    // rule 4
  }
  if (buffer_.max() != max_before || use.full())
    use.note(buffer_.una(), buffer_.max(),
             use.full() || pipe_bytes() + handshake_.mss_bytes() > congestion_.bytes());
}

// In recovery RFC 6675 requires space for a whole segment. A FIN needs none.
bool Sender::may_send(std::uint64_t pipe, std::uint64_t bytes, std::uint64_t now_ns) {
  if (losses_.active() || bytes > handshake_.mss_bytes()) bytes = handshake_.mss_bytes();
  if (pipe + bytes > congestion_.bytes()) {
    congestion_.use().find_full();
    return false;
  }
  return !paces() || pacer_.allows(now_ns);
}

// Unreported ranges below `below` that were not retransmitted yet. Data that the peer's window no
// longer covers is withheld (RFC 9293 section 3.8.6 allows both; Linux withholds): if it is lost,
// the timer of the first segment covers it.
void Sender::send_holes(std::uint64_t below, std::uint64_t* pipe, std::uint64_t now_ns,
                        Output& out) {
  const std::uint64_t limit = std::min(below, std::max(right_edge(), buffer_.una()));
  Scoreboard& board = losses_.board();
  while (true) {
    const Interval hole = board.next_hole(std::max(board.high_rxt(), buffer_.una()));
    const std::uint64_t end =
        buffer_.segment_end(hole.start, std::min(hole.end, limit), handshake_.mss_bytes());
    if (hole.start >= limit || !may_send(*pipe, end - hole.start, now_ns)) return;
    board.retransmitted(hole.start, end);
    *pipe += end - hole.start;
    transmit(hole.start, end, now_ns, out);
  }
}

void Sender::send_new(std::uint64_t* pipe, std::uint64_t now_ns, Output& out) {
  while (buffer_.max() <= buffer_.data_end()) {
    const std::uint64_t end = new_segment_end();
    const std::uint64_t bytes = end - buffer_.max();
    // A FIN alone carries no data that a window of congestion could hold back.
    if (bytes == 0 || (!may_send(*pipe, bytes, now_ns) && buffer_.max() < buffer_.data_end()))
      return;
    *pipe += bytes;
    transmit(buffer_.max(), end, now_ns, out);
  }
}

void Sender::send_rescue(std::uint64_t pipe, std::uint64_t now_ns, Output& out) {
  const Interval last = losses_.rescue(buffer_, std::max(right_edge(), buffer_.una()));
  if (last.end == 0 || !may_send(pipe, handshake_.mss_bytes(), now_ns)) return;
  losses_.on_rescue();
  transmit(last.start, last.end, now_ns, out);
}

// End of the next new segment; the end of what was sent if window, SWS avoidance or Nagle forbid
// one. Less than a whole segment is sent if it is the last data, or half of the largest window ever
// seen (RFC 9293 section 3.8.6.2.1); otherwise the persist timer runs. Nagle's algorithm holds
// data, not a FIN.
std::uint64_t Sender::new_segment_end() const {
  const std::uint64_t edge = right_edge();
  if (edge <= buffer_.max()) return buffer_.max();
  const std::uint64_t end = buffer_.segment_end(buffer_.max(), edge, handshake_.mss_bytes());
  if (end - buffer_.max() >= handshake_.mss_bytes()) return end;
  if (end < buffer_.data_end() && 2 * (end - buffer_.max()) < window_.most_bytes())
    return buffer_.max();
  if (config_->nagle && buffer_.max() > buffer_.una() && buffer_.max() < buffer_.data_end())
    return buffer_.max();
  return end;
}

void Sender::restart_after_idle(std::uint64_t now_ns) {
  if (rate_) return restart_at_rate(now_ns);
  if (now_ns - last_sent_ns_ <= timer_.rto_ns() || new_segment_end() == buffer_.max()) return;
  if (!config_->restart_after_idle) return;
  congestion_.restart_after_idle(handshake_.mss_bytes());
  if (member_) member_->push(shared(now_ns), Membership::Event::kIdle);
}

// One timer: retransmission while data is outstanding, otherwise persist while the window blocks
// the remaining data. `restart` after an ACK of new data.
void Sender::set_timer(std::uint64_t now_ns, bool restart) {
  if (buffer_.una() < buffer_.max()) {
    timer_.guard(restart, now_ns);
    if (losses_.rack()) schedule_probe(now_ns);
    return;
  }
  if (Rack* rack = losses_.rack()) {
    rack->probe.stop();
    rack->reorder_at_ns = kNever;
  }
  timer_.persist(!buffer_.all_sent() && !pacer_.blocked(), now_ns);
}

// RFC 9293 section 3.8.6.1. As in Linux, a zero window is probed by an empty segment below the
// window, which the peer must answer; a window too small for SWS avoidance gets the bytes that
// fit (the override timer).
void Sender::probe(std::uint64_t now_ns, Output& out) {
  if (right_edge() > buffer_.max()) {
    transmit(buffer_.max(),
             buffer_.segment_end(buffer_.max(), right_edge(), handshake_.mss_bytes()), now_ns, out);
    set_timer(now_ns, true);
    return;
  }
  ++counters_.window_probes;
  transmit_control(buffer_.una() - 1, now_ns, out);
  timer_.probe_again(now_ns);
}

}  // namespace penstock::tcp
