// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/served_queue.h"

namespace penstock::net {

bool ServedQueue::hold(std::uint32_t index, std::uint64_t now_ns) {
  Record& r = pool_[index];
  const std::uint32_t bytes = packet_bytes(r.segment);
  if (!enqueue(r, bytes, nullptr, now_ns, nullptr)) return false;
  r.time_ns = now_ns;
  fifo_.push(pool_, index);
  return true;
}

std::uint32_t ServedQueue::take(std::uint64_t now_ns) {
  if (fifo_.empty()) return engine::kNone;
  const std::uint32_t index = fifo_.pop(pool_);
  const Record& r = pool_[index];
  leave(packet_view(packet_bytes(r.segment), r.segment.ecn, r.time_ns), now_ns);
  count_delay(now_ns - r.time_ns);
  return index;
}

std::vector<std::uint32_t> ServedQueue::held() const {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = fifo_.first(); i != engine::kNone; i = pool_[i].next) all.push_back(i);
  return all;
}

}  // namespace penstock::net
