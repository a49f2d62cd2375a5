// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/receive_buffer.h"

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

ReceiveBuffer::Arrival ReceiveBuffer::hold(Interval range, ReceiverCounters& counters) {
  PST_REQUIRE(range.start > next_);
  if (range.start >= range.end) return Arrival::kNothing;  // a lone FIN waits in fin_
  if (!reassembly_) reassembly_ = std::make_unique<Reassembly>();
  const std::uint64_t gained = reassembly_->add(range);
  PST_ENSURE(gained <= range.end - range.start && !reassembly_->empty());
  PST_ENSURE(is_sound());
  counters.duplicate_bytes += range.end - range.start - gained;
  counters.received_bytes += gained;
  if (config_->dsack && gained == 0) duplicate_ = range;
  return Arrival::kHeld;
}

// In-order data reached the data held.
void ReceiveBuffer::fill(ReceiverCounters& counters) {
  // Data that was held arrived again with what was missing (RFC 2883 section 4.1.1).
  if (config_->dsack && duplicate_.end == 0) {
    const Interval twice = held_below(*reassembly_, next_);
    if (twice.start < twice.end) duplicate_ = twice;
  }
  const Reassembly::Taken taken = reassembly_->take(next_);
  PST_ENSURE(taken.next >= next_);
  next_ = taken.next;
  counters.duplicate_bytes += taken.duplicate_bytes;
  counters.received_bytes -= taken.duplicate_bytes;
  if (reassembly_->empty()) reassembly_.reset();
}

unsigned ReceiveBuffer::report(std::array<Interval, 3>& blocks, unsigned most) {
  std::array<Interval, 3> held;
  const unsigned n = reassembly_ ? reassembly_->report(held) : 0;
  PST_REQUIRE(most > 0 && most <= blocks.size());
  unsigned written = 0;
  if (duplicate_.end) blocks[written++] = duplicate_;
  // A FIN that came with data occupies the number behind it (RFC 9293 section 3.4).
  for (unsigned i = 0; i < n && written < most; ++i)
    blocks[written++] = {held[i].start, held[i].end + (held[i].end == fin_)};
  duplicate_ = {};
  PST_ENSURE(written <= most);
  return written;
}

}  // namespace penstock::tcp
