// SPDX-License-Identifier: GPL-2.0-only
// The forward queue of a link: a FIFO with limits, a method, and counters.
//
// The start of a packet's transmission is known when it arrives, so departures are not events:
// they are replayed, each at its own time, before the queue is read. The packet in transmission
// is not part of the queue. If departures are not known in advance, use a ServedQueue.
#pragma once

#include <cstdint>
#include <memory>

#include "core/tables/counters.h"
#include "sim/engine/random.h"
#include "sim/engine/ring.h"
#include "sim/gateway/gateway.h"
#include "sim/net/delays.h"
#include "sim/net/histogram.h"
#include "sim/net/link.h"
#include "sim/net/packet.h"

namespace penstock::net {

struct QueueCounters {
#define PENSTOCK_FIELD(name, ...) std::uint64_t name = 0;
  PST_QUEUE_COUNTERS(PENSTOCK_FIELD)
#undef PENSTOCK_FIELD
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
  std::uint64_t carried_ns = 0;  // transmission left at first_ns of an earlier packet
  // Packets that waited, each times how long of first_ns .. last_ns. Before the queue is finished
  // the last time of those that wait is missing, modulo 2^64.
  std::uint64_t packets_ns = 0;

  std::uint64_t drops() const { return drops_overflow + drops_method; }
};

class Queue {
 public:
  Queue(const QueueLimits& limits, const PlainLink& link, const pst_gateway_config& spec,
        std::size_t flows, engine::Stream random);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  virtual ~Queue() = default;

  // A packet arrives. False: dropped. True: it may have been marked, and its transmission on
  // `link` starts at `*start_ns`. Without a link it stays in the queue until it is removed.
  bool enqueue(Record& packet, std::uint32_t packet_bytes, Link* link, std::uint64_t now_ns,
               std::uint64_t* start_ns);

  // An ACK of `flow` passes this gateway. Returns when it goes on.
  std::uint64_t on_ack(std::uint32_t flow, tcp::Segment& s, std::uint64_t now_ns);

  std::uint64_t tick(std::uint64_t now_ns);  // ns to the next one, 0 for none
  // Resets the counters: the warm-up is over.
  virtual void begin_counting(std::uint64_t now_ns, const Link& link);
  void finish(std::uint64_t now_ns);  // closes the books

  // When the last packet that began its transmission on `link` is through.
  virtual std::uint64_t sent_until_ns(const Link& link) const {
    if (!waiting_.empty()) return waiting_.front().start_ns;
    return limits_.phantom ? drain_.busy_until_ns : link.busy_until_ns;
  }

  // Bytes waiting; replays departures up to `now_ns`.
  std::uint64_t bytes(std::uint64_t now_ns);
  // Packets waiting, at the time of the last call of bytes().
  std::uint64_t packets() const { return view_.packets; }

  gateway::Gateway& gateway() { return gateway_; }
  const gateway::Gateway& gateway() const { return gateway_; }
  const QueueCounters& counters() const { return counters_; }
  const Histogram& occupancy_bytes() const { return occupancy_bytes_; }
  Delays& delays() { return delays_; }

 protected:
  void remove(std::uint32_t packet_bytes, std::uint64_t now_ns);
  bool overfull() const;
  void count_sent(std::uint32_t bytes, std::uint64_t delay_ns, std::uint16_t group) {
    PST_REQUIRE(bytes > 0);
    ++counters_.sent_packets;
    counters_.sent_bytes += bytes;
    delays_.add(delay_ns, group);
  }
  void count_drop(const tcp::Segment& s, std::uint64_t& cause);
  bool apply(pst_verdict verdict, tcp::Segment& s);  // false: the packet is dropped
  pst_queue& view(std::uint64_t now_ns) {
    view_.now_ns = now_ns;
    return pst_gateway_is_elsewhere(&gateway_.config()) ? hidden_view() : view_;
  }
  [[gnu::noinline]] pst_queue& hidden_view();

  QueueCounters& books() { return counters_; }
  bool makes_room_ = false;  // an arrival that does not fit is accepted, and others dropped

 private:
  struct Waiting {
    std::uint64_t start_ns;
    std::uint64_t queued_ns;
    std::uint32_t bytes;
    std::uint8_t kind;
    std::uint8_t ecn;
    std::uint16_t group;
  };

  void replay(std::uint64_t now_ns) {
    while (!waiting_.empty() && waiting_.front().start_ns <= now_ns) depart();
  }
  void depart();
  std::uint8_t see(Record& packet, std::uint32_t packet_bytes, std::uint64_t now_ns);
  pst_verdict judge(Record& packet, pst_packet& arrival, pst_feedback& feedback,
                    std::uint64_t now_ns);
  void enter(std::uint32_t packet_bytes, std::uint64_t now_ns);
  bool admit(Record& packet, pst_packet& arrival, std::uint64_t now_ns);
  void change_bytes(std::uint64_t bytes, std::uint64_t now_ns);
  bool fits(std::uint32_t packet_bytes) const;

  QueueLimits limits_;
  pst_queue view_{};
  pst_queue hidden_view_{};  // with passive, of the queue that the gateway measures
  gateway::Gateway gateway_;
  bool judges_;  // false: the method takes every packet as it is
  engine::Stream random_;
  engine::Ring<Waiting> waiting_;
  Link drain_;  // of a phantom queue: on which what passed would still be
  bool counting_ = false;  // from the first arrival on
  std::uint64_t changed_ns_ = 0;
  QueueCounters counters_;
  Histogram occupancy_bytes_;
  Delays delays_;
};

}  // namespace penstock::net
