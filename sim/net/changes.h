// SPDX-License-Identifier: GPL-2.0-only
// Owns the changes of links during a run. Is told when one is due; sets the link's rate and delay
// and its losses. Packets in flight keep the delay with which they departed, so that with a
// shorter delay later packets overtake them. Gateways keep the configured rate.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/net/forwarder.h"

namespace penstock::net {

class Changes {
 public:
  Changes(const Plan& plan, Topology& topology, Events& events, Forwarder& forwarder);
  void apply(std::uint32_t number);

 private:
  struct Change {
    std::uint32_t link;
    LinkChange to;
  };

  Topology& topology_;
  Forwarder& forwarder_;
  std::vector<Change> changes_;
};

}  // namespace penstock::net
