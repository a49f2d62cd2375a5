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
  if (range.start >= range.end) return Arrival::kNothing;  // a lone FIN waits in fin_
  if (!reassembly_) reassembly_ = std::make_unique<Reassembly>();
  const std::uint64_t gained = reassembly_->add(range);
  counters.duplicate_bytes += range.end - range.start - gained;
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
  next_ = taken.next;
  counters.duplicate_bytes += taken.duplicate_bytes;
  if (reassembly_->empty()) reassembly_.reset();
}

unsigned ReceiveBuffer::report(std::array<Interval, 3>& blocks, unsigned most) {
  std::array<Interval, 3> held;
  const unsigned n = reassembly_ ? reassembly_->report(held) : 0;
  unsigned written = 0;
  if (duplicate_.end) blocks[written++] = duplicate_;
  for (unsigned i = 0; i < n && written < most; ++i) blocks[written++] = held[i];
  duplicate_ = {};
  return written;
}

}  // namespace penstock::tcp
