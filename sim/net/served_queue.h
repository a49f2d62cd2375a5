// SPDX-License-Identifier: GPL-2.0-only
// A queue that is served: it holds its packets until the link asks for one, so that
// the decision about each may fall as it leaves, and the link's rate may change.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/net/fifo.h"
#include "sim/net/flow_queues.h"
#include "sim/net/queue.h"

namespace penstock::net {

class ServedQueue final : public Queue {
 public:
  ServedQueue(const QueueLimits& limits, const PlainLink& link, const pst_gateway_config& config,
              std::size_t flows, engine::Stream random, engine::Pool<Record>& pool);

  // True if `config` cannot do with departures that are replayed.
  static bool needed(const pst_gateway_config& config) {
    return pst_discipline_decides_at_departure(config.discipline) ||
           pst_discipline_schedules(config.discipline);
  }

  // Packet `index` arrives. It is held, unless it is among the lost.
  void hold(std::uint32_t index, std::uint64_t now_ns);

  // The packet that goes on the wire at `now_ns`, or kNone. More may be lost by then.
  std::uint32_t take(std::uint64_t now_ns);

  void begin_counting(std::uint64_t now_ns) override {
    Queue::begin_counting(now_ns);
    wire_ns_ = 0;
  }

  // Packets that were dropped, for the caller to end and to clear.
  std::vector<std::uint32_t>& lost() { return lost_; }

  bool empty() const { return count_ == 0; }
  std::vector<std::uint32_t> held() const;

  // Time that the wire was busy with packets that were taken.
  void count_wire(std::uint64_t ns) { wire_ns_ += ns; }
  std::uint64_t wire_ns() const { return wire_ns_; }

  bool armed = false;  // an event of this queue is pending

 private:
  std::uint32_t next();
  pst_packet packet(std::uint32_t index) const;
  bool leaves(const pst_packet& packet, tcp::Segment& s, std::uint64_t now_ns);
  void make_room(std::uint64_t now_ns);

  engine::Pool<Record>& pool_;  // a held record's time_ns is when it was queued
  Fifo fifo_;
  std::unique_ptr<FlowQueues> flow_queues_;  // in place of the FIFO, if any
  std::size_t count_ = 0;
  std::vector<std::uint32_t> lost_;
  std::uint64_t wire_ns_ = 0;
};

}  // namespace penstock::net
