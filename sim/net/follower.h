// SPDX-License-Identifier: GPL-2.0-only
// A link that follows a trace: a packet departs when opportunities have covered all of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/base.h"
#include "sim/engine/pool.h"
#include "sim/net/opportunities.h"
#include "sim/net/packet.h"

namespace penstock::net {

class Follower {
 public:
  explicit Follower(TraceMs trace_ms) : opportunities_(std::move(trace_ms)) {}

  std::uint32_t packet() const { return packet_; }  // being sent, or kNone
  std::uint64_t next_ns() const { return opportunities_.next_ns(); }
  bool counting() const { return counting_; }

  void begin(std::uint32_t packet, std::uint64_t bytes) {
    PST_REQUIRE(packet_ == engine::kNone && left_bytes_ == 0);
    PST_REQUIRE(packet != engine::kNone && bytes > 0);
    packet_ = packet;
    left_bytes_ = bytes;
  }

  // Sends of the packet what `room_bytes` cover, and subtracts it. True: that was all of it.
  bool send(std::uint64_t& room_bytes) {
    PST_REQUIRE(packet_ != engine::kNone && left_bytes_ > 0);
    const std::uint64_t taken = std::min(room_bytes, left_bytes_);
    room_bytes -= taken;
    left_bytes_ -= taken;
    used_bytes_ += taken;
    if (left_bytes_ > 0) return false;
    packet_ = engine::kNone;
    return true;
  }

  void pass() { opportunities_.pass(); }
  void pass_until(std::uint64_t now_ns) { opportunities_.pass_until(now_ns); }

  void begin_counting(std::uint64_t now_ns) {
    counting_ = true;
    pass_until(now_ns);
    passed_before_ = opportunities_.passed();
    used_bytes_ = 0;
  }

  // The used fraction of the opportunities' bytes.
  double utilisation(std::uint64_t now_ns) {
    if (!counting_) return 0.0;
    pass_until(now_ns);
    const std::uint64_t passed = opportunities_.passed() - passed_before_;
    PST_ENSURE(opportunities_.passed() >= passed_before_);
    const double offered_bytes = static_cast<double>(passed * Opportunities::kBytes);
    return passed ? static_cast<double>(used_bytes_) / offered_bytes : 0.0;
  }

 private:
  Opportunities opportunities_;
  std::uint32_t packet_ = engine::kNone;
  std::uint64_t left_bytes_ = 0;  // of the packet
  std::uint64_t used_bytes_ = 0;
  std::uint64_t passed_before_ = 0;  // opportunities, when counting began
  bool counting_ = false;
};

}  // namespace penstock::net
