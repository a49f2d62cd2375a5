// SPDX-License-Identifier: GPL-2.0-only
// Sender and receiver at the two ends of a delay line that a test may make lose,
// hold back or change segments.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "core/describe.h"
#include "sim/tcp/receiver.h"
#include "sim/tcp/sender.h"

namespace penstock::tcp {

// A sender of `method` with the method's default parameters.
inline SenderConfig sender_of(std::uint32_t method) {
  SenderConfig c;
  c.method = method;
  pst_sender_defaults(method, &c.params);
  return c;
}

class MiniLink {
  const SenderConfig sender_config_;
  const ReceiverConfig receiver_config_;

 public:
  // What becomes of a segment; by default it arrives after `delay_ns`.
  struct Fate {
    bool lost = false;
    std::uint64_t extra_ns = 0;
  };
  using Script = std::function<Fate(Segment& s, bool to_receiver)>;

  MiniLink(const SenderConfig& sc, const ReceiverConfig& rc, std::uint64_t size_bytes,
           std::uint32_t sender_isn = 1000, std::uint32_t receiver_isn = 77)
      : sender_config_(sc),
        receiver_config_(rc),
        sender(sender_config_, sender_isn, size_bytes),
        receiver(receiver_config_, receiver_isn) {}

  std::uint64_t delay_ns = 20'000'000;
  std::uint64_t gap_ns = 0;  // serialisation of a data segment; 0: infinitely fast
  std::uint64_t queue_segments = UINT64_MAX;
  Script script = [](Segment&, bool) { return Fate{}; };
  std::function<void()> after_step = [] {};

  void open() {
    if (receiver.opens())
      receiver.open(now_ns, to_sender_);
    else
      sender.open(now_ns, to_receiver_);
  }

  void resume() { receiver.resume_reading(now_ns, to_sender_); }

  // Plays until the transfer is done, nothing is left to happen, or `until_ns`.
  // Returns false if the event count runs away.
  bool run(std::uint64_t until_ns, std::uint64_t max_events = 20'000'000) {
    for (std::uint64_t n = 0; n < max_events; ++n) {
      std::uint64_t next = std::min(sender.next_timer_ns(), receiver.next_timer_ns());
      if (!wire_.empty()) next = std::min(next, wire_.begin()->first.first);
      if (next == kNever || next > until_ns) {
        now_ns = next == kNever ? now_ns : until_ns;
        return true;
      }
      now_ns = std::max(now_ns, next);
      step();
      after_step();
    }
    return false;
  }

  Sender sender;
  Receiver receiver;
  std::uint64_t now_ns = 0;
  std::uint64_t segments_to_receiver = 0;
  std::uint64_t lost = 0;

 private:
  struct End final : Output {
    End(MiniLink& l, bool r) : link(l), to_receiver(r) {}
    void transmit(const Segment& s) override { link.put(s, to_receiver); }
    MiniLink& link;
    bool to_receiver;
  };

  void put(Segment s, bool to_receiver) {
    const Fate fate = script(s, to_receiver);
    std::uint64_t at = now_ns + delay_ns + fate.extra_ns;
    if (to_receiver && gap_ns) {
      const std::uint64_t wait = free_at_ns_ > now_ns ? free_at_ns_ - now_ns : 0;
      if (wait / gap_ns >= queue_segments) {
        ++lost;
        return;
      }
      free_at_ns_ = now_ns + wait + gap_ns;
      at += wait + gap_ns;
    }
    if (fate.lost) {
      ++lost;
      return;
    }
    wire_.emplace(std::make_pair(at, order_++), std::make_pair(s, to_receiver));
  }

  void step() {
    if (!wire_.empty() && wire_.begin()->first.first <= now_ns) {
      const auto [s, to_receiver] = wire_.begin()->second;
      wire_.erase(wire_.begin());
      if (to_receiver) {
        ++segments_to_receiver;
        receiver.on_segment(s, now_ns, to_sender_);
      } else {
        sender.on_segment(s, now_ns, to_receiver_);
      }
    }
    if (sender.next_timer_ns() <= now_ns) sender.on_timer(now_ns, to_receiver_);
    if (receiver.next_timer_ns() <= now_ns) receiver.on_timer(now_ns, to_sender_);
  }

  End to_receiver_{*this, true};
  End to_sender_{*this, false};
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<Segment, bool>> wire_;
  std::uint64_t order_ = 0;
  std::uint64_t free_at_ns_ = 0;
};

}  // namespace penstock::tcp
