// SPDX-License-Identifier: GPL-2.0-only
#include "sim/quic/sent_packets.h"

#include <algorithm>

#include "core/base.h"

namespace penstock::quic {

void SentPackets::add(tcp::Interval stream, std::uint32_t bytes, std::uint64_t now_ns, bool ect) {
  PST_REQUIRE(now_ns >= last_sent_ns_);
  PST_REQUIRE(bytes > 0);
  packets_.push_back({next(), now_ns, position_, stream, bytes, ect, SentPacket::kOutstanding});
  position_ += bytes;
  in_flight_bytes_ += bytes;
  last_sent_ns_ = now_ns;
  PST_ENSURE(any() && is_sound());
}

void SentPackets::discard() {
  first_ = next();
  packets_.clear();
  in_flight_bytes_ = 0;
}

void SentPackets::acknowledge(tcp::Interval range, std::vector<SentPacket>& newly) {
  const std::uint64_t end = std::min(range.end, next());
  for (std::uint64_t number = std::max(range.start, first_); number < end; ++number) {
    SentPacket& p = packets_[number - first_];
    if (p.state != SentPacket::kOutstanding) continue;
    PST_REQUIRE(p.number == number);
    PST_REQUIRE(p.bytes <= in_flight_bytes_);
    p.state = SentPacket::kAcked;
    in_flight_bytes_ -= p.bytes;
    newly.push_back(p);
  }
  PST_ENSURE(is_sound());
}

std::uint64_t SentPackets::detect(std::uint64_t largest_acked, std::uint64_t loss_delay_ns,
                                  std::uint64_t now_ns, std::vector<SentPacket>& lost) {
  std::uint64_t again_ns = tcp::kNever;
  for (SentPacket& p : packets_) {
    if (p.number > largest_acked) break;
    if (p.state != SentPacket::kOutstanding) continue;
    if (largest_acked < p.number + kPacketThreshold && now_ns < p.sent_ns + loss_delay_ns) {
      again_ns = std::min(again_ns, p.sent_ns + loss_delay_ns);
      continue;
    }
    PST_REQUIRE(p.bytes <= in_flight_bytes_);
    PST_REQUIRE(now_ns >= p.sent_ns);
    p.state = SentPacket::kLost;
    in_flight_bytes_ -= p.bytes;
    lost.push_back(p);
  }
  PST_ENSURE(again_ns > now_ns && is_sound());
  return again_ns;
}

std::uint64_t SentPackets::lost_period_ns(const std::vector<SentPacket>& lost,
                                          std::uint64_t from_ns) const {
  std::uint64_t longest_ns = 0;
  const SentPacket* begin = nullptr;
  std::uint64_t before = 0;
  for (const SentPacket& p : lost) {
    if (p.sent_ns <= from_ns) continue;
    for (std::uint64_t n = before + 1; begin && n < p.number; ++n)
      if (packets_[n - first_].state == SentPacket::kAcked) begin = nullptr;
    if (!begin) begin = &p;
    before = p.number;
    PST_ENSURE(p.sent_ns >= begin->sent_ns);
    longest_ns = std::max(longest_ns, p.sent_ns - begin->sent_ns);
  }
  return longest_ns;
}

void SentPackets::settle() {
  while (!packets_.empty() && packets_.front().state != SentPacket::kOutstanding) {
    packets_.pop_front();
    ++first_;
  }
  PST_ENSURE(is_sound());
  PST_ENSURE(packets_.empty() == !any());
}

}  // namespace penstock::quic
