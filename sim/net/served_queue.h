// SPDX-License-Identifier: GPL-2.0-only
// A queue that is served: it holds its packets until the link asks for one, so that
// the decision about each may fall as it leaves, and the link's rate may change.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/pool.h"
#include "sim/net/queue.h"

namespace penstock::net {

// Held records in their order, linked by the pool's own `next`.
class Fifo {
 public:
  bool empty() const { return first_ == engine::kNone; }
  std::uint32_t first() const { return first_; }

  void push(engine::Pool<Record>& pool, std::uint32_t index) {
    pool[index].next = engine::kNone;
    if (empty()) {
      first_ = index;
    } else {
      pool[last_].next = index;
    }
    last_ = index;
  }

  std::uint32_t pop(engine::Pool<Record>& pool) {
    const std::uint32_t index = first_;
    first_ = pool[index].next;
    return index;
  }

 private:
  std::uint32_t first_ = engine::kNone;
  std::uint32_t last_ = engine::kNone;
};

class ServedQueue final : public Queue {
 public:
  ServedQueue(const QueueLimits& limits, const PlainLink& link, const pst_gateway_config& config,
              std::size_t flows, engine::Stream random, engine::Pool<Record>& pool)
      : Queue(limits, link, config, flows, random), pool_(pool) {}

  // Packet `index` arrives. False: dropped, and still the caller's.
  bool hold(std::uint32_t index, std::uint64_t now_ns);

  // The packet that goes on the wire at `now_ns`, or kNone.
  std::uint32_t take(std::uint64_t now_ns);

  void begin_counting(std::uint64_t now_ns) override {
    Queue::begin_counting(now_ns);
    wire_ns_ = 0;
  }

  bool empty() const { return fifo_.empty(); }
  std::vector<std::uint32_t> held() const;

  // Time that the wire was busy with packets that were taken.
  void count_wire(std::uint64_t ns) { wire_ns_ += ns; }
  std::uint64_t wire_ns() const { return wire_ns_; }

  bool armed = false;  // an event of this queue is pending

 private:
  engine::Pool<Record>& pool_;  // a held record's time_ns is when it was queued
  Fifo fifo_;
  std::uint64_t wire_ns_ = 0;
};

}  // namespace penstock::net
