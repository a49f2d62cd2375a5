// SPDX-License-Identifier: GPL-2.0-only
// Both ends of a QUIC connection on a delay line that may lose and mark packets.
#pragma once

#include <algorithm>
#include <functional>
#include <map>

#include "core/describe.h"
#include "sim/quic/receiver.h"
#include "sim/quic/sender.h"
#include "tests/sim/times.h"

namespace penstock::quic {

inline constexpr std::uint32_t kDatagramBytes = 1'200;

inline tcp::SenderConfig sender_config() {
  tcp::SenderConfig c;
  c.quic = true;
  c.mss_bytes = kDatagramBytes;
  pst_sender_defaults(c.method, &c.params);
  return c;
}

inline tcp::ReceiverConfig receiver_config() {
  tcp::ReceiverConfig c;
  c.delayed_ack_ns = 25 * kMs;
  return c;
}

class Line {
 public:
  explicit Line(std::uint64_t size_bytes, const tcp::SenderConfig& config = sender_config())
      : sender_config_(config), sender(sender_config_, size_bytes, true) {
    receiver_config_.ecn = config.ecn;
  }

  void run(std::uint64_t until_ns) {
    for (;;) {
      std::uint64_t next = std::min(sender.next_timer_ns(), receiver.next_timer_ns());
      if (!wire_.empty()) next = std::min(next, wire_.begin()->first.first);
      if (next > until_ns) return;
      now_ns = std::max(now_ns, next);
      step();
    }
  }

  const tcp::SenderConfig sender_config_;
  tcp::ReceiverConfig receiver_config_ = receiver_config();
  Sender sender;
  Receiver receiver{receiver_config_};
  std::uint64_t now_ns = 0;
  std::uint64_t delay_ns = 20 * kMs;
  std::uint64_t gap_ns = 0;  // between packets to the receiver
  // Whether a packet is lost.
  std::function<bool(const tcp::Segment&, bool to_receiver)> loses = [](const tcp::Segment&, bool) {
    return false;
  };
  // What routers on the way to the receiver make of a packet's codepoint.
  std::function<std::uint8_t(const tcp::Segment&)> marks = [](const tcp::Segment& s) {
    return s.ecn;
  };

  struct End final : tcp::Output {
    End(Line& l, bool r) : line(l), to_receiver(r) {}
    void transmit(const tcp::Segment& s) override { line.put(s, to_receiver); }
    Line& line;
    bool to_receiver;
  };
  End to_receiver{*this, true};
  End to_sender{*this, false};

 private:
  void put(const tcp::Segment& s, bool to_receiver_) {
    if (loses(s, to_receiver_)) return;
    std::uint64_t at_ns = now_ns;
    tcp::Segment carried = s;
    if (to_receiver_) {
      at_ns = free_ns_ = std::max(free_ns_, now_ns) + gap_ns;
      carried.ecn = marks(s);
    }
    wire_.emplace(std::make_pair(at_ns + delay_ns, order_++),
                  std::make_pair(carried, to_receiver_));
  }
  void step() {
    if (!wire_.empty() && wire_.begin()->first.first <= now_ns) {
      const auto [s, forward] = wire_.begin()->second;
      wire_.erase(wire_.begin());
      if (forward)
        receiver.on_segment(s, now_ns, to_sender);
      else
        sender.on_segment(s, now_ns, to_receiver);
    }
    if (sender.next_timer_ns() <= now_ns) sender.on_timer(now_ns, to_receiver);
    if (receiver.next_timer_ns() <= now_ns) receiver.on_timer(now_ns, to_sender);
  }

  std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<tcp::Segment, bool>> wire_;
  std::uint64_t order_ = 0;
  std::uint64_t free_ns_ = 0;
};

inline bool is_data(const tcp::Segment& s) { return !(s.flags & kInitial); }

}  // namespace penstock::quic
