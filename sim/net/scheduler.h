// SPDX-License-Identifier: GPL-2.0-only
// The queues of a discipline that has several. Owns their packets; is told of arrivals and of the
// fate of the packet that it has chosen; answers which is next.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/discipline/discipline.h"
#include "sim/net/fifo.h"
#include "sim/net/histogram.h"

namespace penstock::net {

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // A flow whose packets travel between these two hosts.
  virtual void meet(std::uint32_t flow, std::uint32_t src, std::uint32_t dst) {
    (void)flow, (void)src, (void)dst;
  }

  // `all` describes all queues together, here and below.
  virtual void push(std::uint32_t index, const pst_queue& all) = 0;
  // Removes the next packet to serve from its queue; kNone if all are empty.
  virtual std::uint32_t pop(const pst_queue& all) = 0;
  // The verdict on the packet that pop() returned.
  virtual pst_verdict leaves(const pst_queue& all, const pst_packet& packet) = 0;
  // It is sent.
  virtual void sent(const pst_packet& packet, std::uint64_t now_ns) = 0;

  // True if it accepts an arrival that does not fit, and then removes others by overflow().
  virtual bool makes_room() const { return false; }
  virtual std::vector<std::uint32_t> overflow(const pst_queue& all) {
    (void)all;
    return {};
  }

  // True if each leaving packet needs a random number of its own.
  virtual bool draws() const { return false; }

  virtual std::span<const Fifo> fifos() const = 0;
  // Of the low-latency queue, if there is one.
  virtual const Sample* low_delay_ns() const { return nullptr; }
  virtual void begin_counting() {}
};

}  // namespace penstock::net
