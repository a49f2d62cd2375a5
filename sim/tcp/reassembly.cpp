// SPDX-License-Identifier: GPL-2.0-only
#include "sim/tcp/reassembly.h"

namespace penstock::tcp {

std::uint64_t Reassembly::add(Interval range) {
  PST_REQUIRE(range.start > 0);  // 0 is the SYN's, and marks a place that is unused
  const std::uint64_t gained = ranges_.add(range);
  const Interval joined = ranges_[ranges_.find(range.start)];
  PST_ENSURE(joined.start <= range.start && range.end <= joined.end);
  const auto old = recent_;
  recent_ = {range.start};
  std::size_t n = 1;
  for (const std::uint64_t byte : old) {
    const bool same = byte >= joined.start && byte < joined.end;
    if (byte != 0 && !same && n < recent_.size()) recent_[n++] = byte;
  }
  PST_ENSURE(gained <= range.end - range.start && ranges_.bytes() >= gained);
  return gained;
}

Reassembly::Taken Reassembly::take(std::uint64_t next) {
  [[maybe_unused]] const std::uint64_t from = next;
  [[maybe_unused]] const std::uint64_t held = ranges_.bytes();
  const std::uint64_t duplicate_bytes = ranges_.remove_below(next);
  if (!ranges_.empty() && ranges_[0].start == next) {
    next = ranges_[0].end;
    ranges_.remove_below(next);
  }
  PST_ENSURE(ranges_.empty() || ranges_[0].start > next);
  PST_ENSURE(held == duplicate_bytes + (next - from) + ranges_.bytes());
  return {next, duplicate_bytes};
}

unsigned Reassembly::report(std::array<Interval, 3>& blocks) const {
  unsigned n = 0;
  for (const std::uint64_t byte : recent_) {
    const std::size_t i = ranges_.find(byte);
    if (byte == 0 || i == ranges_.size() || ranges_[i].start > byte) continue;
    blocks[n++] = ranges_[i];
    if (n == blocks.size()) break;
  }
  PST_ENSURE(n <= blocks.size());
  PST_ENSURE(!ranges_.empty() || n == 0);
  return n;
}

}  // namespace penstock::tcp
