// SPDX-License-Identifier: GPL-2.0-only
// Moves packets over links, hop by hop. Owns the losses and the captures of links; is told which
// packet is at its next node, and hands it to its destination, or to the queue that holds it.
// Counts for each flow what was sent and what was dropped.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/net/capture.h"
#include "sim/net/events.h"
#include "sim/net/flows.h"
#include "sim/net/goal.h"
#include "sim/net/loss.h"
#include "sim/net/queues.h"
#include "sim/net/topology.h"

namespace penstock::net {

// Takes a packet at the end of its way, and returns its record to the pool.
class Destination {
 public:
  virtual void deliver(std::uint32_t index, Record& r) = 0;

 protected:
  ~Destination() = default;
};

// Takes a packet at a served queue, until the link is free for it.
class Holder {
 public:
  virtual void hold(std::uint32_t index, std::uint32_t queue) = 0;

 protected:
  ~Holder() = default;
};

class Forwarder {
 public:
  Forwarder(const Plan& plan, Topology& topology, Events& events, Queues& queues, Flows& flows,
            Holder& holder, Destination& destination);

  // A segment leaves for endpoint `target`.
  void send(const tcp::Segment& segment, std::uint32_t target);
  // Moves what is due, up to `until_ns` or until `goal` is reached. Returns an event on the way
  // that is no packet, for the caller, or nullptr at the end.
  Record* run(std::uint64_t until_ns, const Goal& goal);
  // A packet that a served queue held occupies `link` until it is transmitted. It may be lost
  // there, or continues at the far end.
  void leave(std::uint32_t index, const Link& link);
  void lose(std::uint32_t index);      // on the wire
  void lose_from(ServedQueue& queue);  // what its discipline has dropped

  void set_loss_ratio(std::uint32_t link, double ratio);
  void close();  // the captures

 private:
  // These have the record of `index` as well, which takes two lookups in the pool.
  void arrive(std::uint32_t index, Record& r);
  void let_go(std::uint32_t index, Record& r);
  void go_on(std::uint32_t index, Record& r, const Hop& hop);
  // Over the link of `hop`, at which it is at `at_ns`.
  void forward(std::uint32_t index, Record& r, const Hop& hop, std::uint64_t at_ns);
  void carry(std::uint32_t index, Record& r, const Hop* hop, std::uint64_t at_ns);
  std::uint64_t cross(std::uint32_t index, Record& r, Link& link, std::uint32_t bytes,
                      std::uint64_t at_ns);
  bool loses(const LinkExtras& extras, const Record& r);
  void drop(std::uint32_t index, std::uint64_t& cause);

  Topology& topology_;
  Events& events_;
  Queues& queues_;
  Flows& flows_;
  Holder& holder_;
  Destination& destination_;
  std::vector<Loss> losses_;
  std::vector<Capture> captures_;
};

}  // namespace penstock::net
