// SPDX-License-Identifier: GPL-2.0-only
// A served queue: it holds its packets until the link dequeues one, so that a discipline can
// decide at dequeue, and the link's rate can change.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/net/fifo.h"
#include "sim/net/queue.h"
#include "sim/net/scheduler.h"

namespace penstock::net {

class ServedQueue final : public Queue {
 public:
  ServedQueue(const QueueLimits& limits, const PlainLink& link, const pst_gateway_config& config,
              std::size_t flows, engine::Stream random, engine::Pool<Record>& pool);

  // True if `config` does not permit replayed departures.
  static bool needed(const pst_gateway_config& config) {
    return pst_discipline_decides_at_departure(config.discipline) ||
           pst_discipline_schedules(config.discipline);
  }

  // The hosts of a flow whose packets may come.
  void meet(std::uint32_t flow, std::uint32_t src, std::uint32_t dst) {
    if (scheduler_) scheduler_->meet(flow, src, dst);
  }

  // Packet `index` arrives. It is held, unless it is among the dropped.
  void hold(std::uint32_t index, std::uint64_t now_ns);

  // The packet to transmit at `now_ns`, or kNone. Others may be dropped at that time.
  std::uint32_t take(std::uint64_t now_ns);

  void begin_counting(std::uint64_t now_ns, const Link& link) override {
    Queue::begin_counting(now_ns, link);
    if (scheduler_) scheduler_->begin_counting();
    wire_ns_ = wire_rest_q64_ = 0;
  }

  // Dropped packets, for the caller to release and clear.
  std::vector<std::uint32_t>& lost() { return lost_; }

  bool empty() const { return count_ == 0; }
  std::vector<std::uint32_t> held() const;

  // A dequeued packet of so many bytes on the wire of `link`, which has it up to `until_ns`. Its
  // time is exact, whether it follows another at once or not.
  void count_wire(std::uint64_t wire_bytes, const Link& link, std::uint64_t until_ns) {
    PST_REQUIRE(until_ns >= sent_until_ns_);
    wire_ns_ += link.add_time(wire_bytes, wire_rest_q64_);
    sent_until_ns_ = until_ns;
  }
  std::uint64_t sent_until_ns(const Link&) const override { return sent_until_ns_; }
  double wire_ns() const {
    return static_cast<double>(wire_ns_) + static_cast<double>(wire_rest_q64_) * 0x1.0p-64;
  }
  // Of the low-latency queue, if there is one.
  const Sample* low_delay_ns() const { return scheduler_ ? scheduler_->low_delay_ns() : nullptr; }

  bool armed = false;  // an event of this queue is pending

 private:
  std::uint32_t next(std::uint64_t now_ns);
  pst_packet packet(std::uint32_t index) const;
  bool leaves(const pst_packet& packet, tcp::Segment& s, std::uint64_t now_ns);
  void make_room(std::uint64_t now_ns);

  engine::Pool<Record>& pool_;  // a held record's time_ns is when it was queued
  Fifo fifo_;
  std::unique_ptr<Scheduler> scheduler_;  // in place of the FIFO, if any
  engine::Stream departures_;  // random numbers, for a scheduler that needs them
  std::size_t count_ = 0;
  std::vector<std::uint32_t> lost_;
  std::uint64_t wire_ns_ = 0;  // of all packets dequeued
  std::uint64_t wire_rest_q64_ = 0;  // and the part of a nanosecond beyond it
  std::uint64_t sent_until_ns_ = 0;
};

}  // namespace penstock::net
