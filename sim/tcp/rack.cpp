// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/rack.h"

#include <algorithm>

#include "core/base.h"
#include "sim/tcp/seq.h"

namespace penstock::tcp {

Rack::Rack(bool notes_losses) : notes_losses_(notes_losses) { pst_rack_init(&state); }

std::size_t Rack::find(std::uint64_t start) const {
  const auto at = std::upper_bound(sent_.begin(), sent_.end(), start,
                                   [](std::uint64_t x, const SentSegment& s) { return x < s.end; });
  return static_cast<std::size_t>(at - sent_.begin());
}

void Rack::on_send(std::uint64_t start, std::uint64_t end, std::uint64_t now_ns) {
  PST_REQUIRE(start < end && is_sound());
  if (sent_.empty() || start >= sent_.back().end) {
    PST_REQUIRE(sent_.empty() || start == sent_.back().end);  // no hole
    sent_.push_back({start, end, now_ns, false, false, false});
    probe.ask();
    return;
  }
  const std::size_t i = find(start);
  if (end < sent_[i].end) {  // cut at the right edge of the window
    SentSegment rest = sent_[i];
    rest.start = sent_[i].end = end;
    sent_.insert(sent_.begin() + static_cast<std::ptrdiff_t>(i) + 1, rest);
  }
  SentSegment& s = sent_[i];
  PST_REQUIRE(s.start == start && now_ns >= s.xmit_ns);
  if (s.lost) lost_bytes_ -= s.bytes();
  s.lost = false;
  s.retransmitted = true;
  s.xmit_ns = now_ns;
  resent_.push_back({start, now_ns});
  PST_ENSURE(s.undecided() || s.sacked);
  PST_ENSURE(s.end == end && is_sound());
}

void Rack::deliver(SentSegment& s, const struct pst_rack_ack& a, Echo echo) {
  const bool older = echo.valid && !not_older(echo.ts_val, echo.clock.at(s.xmit_ns));
  const struct pst_rack_segment view = s.view();
  PST_REQUIRE(!s.sacked);
  PST_REQUIRE(!s.lost || s.bytes() <= lost_bytes_);
  pst_rack_delivered(&state, &view, &a, older);
  if (s.lost) lost_bytes_ -= s.bytes();
  s.lost = false;
}

void Rack::on_sack(Interval block, const struct pst_rack_ack& a) {
  for (std::size_t i = find(block.start); i < sent_.size() && sent_[i].end <= block.end; ++i) {
    SentSegment& s = sent_[i];
    if (s.sacked || s.start < block.start) continue;
    deliver(s, a, {});
    s.sacked = true;
    sacked_bytes_ += s.bytes();
    ++sacked_segments_;
  }
  PST_ENSURE(is_sound());
}

void Rack::on_ack(std::uint64_t una, const struct pst_rack_ack& a, Echo echo) {
  PST_REQUIRE(is_sound());
  probe.ask();
  while (!sent_.empty() && sent_.front().end <= una) {
    SentSegment& s = sent_.front();
    if (s.sacked) {
      PST_REQUIRE(s.bytes() <= sacked_bytes_ && sacked_segments_ > 0);
      sacked_bytes_ -= s.bytes();
      --sacked_segments_;
    } else {
      deliver(s, a, echo);
    }
    sent_.pop_front();
  }
  PST_ENSURE(is_sound());
  if (sent_.empty() || sent_.front().start >= una) return;
  SentSegment& s = sent_.front();  // the peer took a part of it
  if (s.lost) lost_bytes_ -= una - s.start;
  if (s.sacked) sacked_bytes_ -= una - s.start;
  s.start = una;
  PST_ENSURE(s.start < s.end);
  PST_ENSURE(is_sound());
}

std::uint64_t Rack::pipe_bytes() const {
  if (sent_.empty()) return 0;
  PST_REQUIRE(sacked_bytes_ + lost_bytes_ <= sent_.back().end - sent_.front().start);
  return sent_.back().end - sent_.front().start - sacked_bytes_ - lost_bytes_;
}

void Rack::mark_lost(SentSegment& s) {
  PST_REQUIRE(s.undecided());
  s.lost = true;
  lost_bytes_ += s.bytes();
  marked_bytes_ += s.bytes();
  if (notes_losses_) newly_lost_.push_back({s.start, s.end});
  first_lost_ = std::min(first_lost_, s.start);
  PST_ENSURE(lost_bytes_ <= marked_bytes_);
}

const SentSegment* Rack::next_lost() {
  if (lost_bytes_ == 0) {
    first_lost_ = kNever;
    return nullptr;
  }
  std::size_t i = find(first_lost_);
  PST_REQUIRE(i < sent_.size());  // none that is lost starts below
  while (!sent_[i].lost) ++i;
  PST_ENSURE(i < sent_.size() && !sent_[i].sacked);
  first_lost_ = sent_[i].start;
  return &sent_[i];
}

// False if `s` was sent after RACK.segment, as is all that was sent after `s`.
bool Rack::judge(SentSegment& s, std::uint64_t window_ns, std::uint64_t now_ns,
                 std::uint64_t* wait_ns) {
  const struct pst_rack_segment view = s.view();
  if (!pst_rack_overtaken(&state, &view)) return false;
  const std::uint64_t left_ns = pst_rack_remaining_ns(&state, &view, window_ns, now_ns);
  PST_REQUIRE(now_ns >= s.xmit_ns);
  if (left_ns == 0) mark_lost(s);
  *wait_ns = std::max(*wait_ns, left_ns);
  return true;
}

void Rack::judge_first_transmissions(std::uint64_t window_ns, std::uint64_t now_ns,
                                     std::uint64_t* wait_ns) {
  bool waiting = false;
  for (std::size_t i = find(first_undecided_); i < sent_.size(); ++i) {
    SentSegment& s = sent_[i];
    if (s.undecided() && !s.retransmitted) {
      if (!judge(s, window_ns, now_ns, wait_ns)) return;
      waiting = waiting || s.undecided();
    }
    if (!waiting) first_undecided_ = s.end;
  }
}

void Rack::judge_retransmissions(std::uint64_t window_ns, std::uint64_t now_ns,
                                 std::uint64_t* wait_ns) {
  std::size_t waiting = 0;
  while (waiting < resent_.size()) {
    const Resent r = resent_[waiting];
    const std::size_t i = find(r.start);
    const bool current = i < sent_.size() && sent_[i].start == r.start &&
                         sent_[i].xmit_ns == r.xmit_ns && sent_[i].undecided();
    if (current && !judge(sent_[i], window_ns, now_ns, wait_ns)) return;
    if (current && sent_[i].undecided()) {
      ++waiting;
    } else {
      resent_.erase(resent_.begin() + static_cast<std::ptrdiff_t>(waiting));
    }
  }
}

std::uint64_t Rack::detect(const struct pst_rack_ack& a) {
  const std::uint64_t window_ns = pst_rack_window_ns(&state, &a);
  std::uint64_t wait_ns = 0;
  judge_first_transmissions(window_ns, a.now_ns, &wait_ns);
  judge_retransmissions(window_ns, a.now_ns, &wait_ns);
  PST_ENSURE(is_sound());
  return wait_ns ? a.now_ns + wait_ns : kNever;
}

void Rack::on_timeout(const struct pst_rack_ack& a) {
  const std::uint64_t window_ns = pst_rack_window_ns(&state, &a);
  reorder_at_ns = kNever;
  probe.forget();
  for (SentSegment& s : sent_) {
    const struct pst_rack_segment view = s.view();
    if (!s.undecided()) continue;
    if (&s == &sent_.front() || !pst_rack_remaining_ns(&state, &view, window_ns, a.now_ns))
      mark_lost(s);
  }
  PST_ENSURE(sent_.empty() || !sent_.front().undecided());
  PST_ENSURE(is_sound());
}

void Rack::forget_sacks() {
  for (SentSegment& s : sent_) s.sacked = false;
  sacked_bytes_ = 0;
  sacked_segments_ = 0;
  first_undecided_ = 0;
  PST_ENSURE(is_sound());
}

}  // namespace penstock::tcp
