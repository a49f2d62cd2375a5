// SPDX-License-Identifier: GPL-2.0-only
// A run in steps, for those who look and act in between: what one link's queue and the network's
// own TCP flows have come to, and what another than gateway and sender decides.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/net/network.h"
#include "sim/net/simulation.h"

namespace penstock::net {

// Of the link: whether the traffic goes on, what waits, packets and bytes that the queue has had,
// and the payload of all TCP that arrived for the first time. Counters are from the start.
#define PENSTOCK_LINK_LOOKS(C) \
  C(now_ns) C(goes_on) C(queue_bytes) C(arrivals) C(drops) C(sent_bytes) C(received_bytes)
#define PENSTOCK_FLOW_LOOKS(C) C(received_bytes) C(srtt_ns) C(cwnd_bytes) C(send_window_bytes)

class Stepped {
 public:
  // The network must outlive this. Throws std::invalid_argument if the link has no queue.
  Stepped(const Network& network, std::uint32_t link);

  // Goes on to that time, or to the end of the traffic.
  void play(std::uint64_t until_ns) { simulation_.play(until_ns); }
  std::uint64_t now_ns() const { return simulation_.now_ns(); }

  // The factor of the law `integral` at the link's gateway; the law keeps it within its limits.
  void set_factor(std::uint64_t factor_q32);
  bool has_factor() const;
  // The congestion windows of the first flows, where their connections are established; NaN
  // leaves one as it is.
  void set_cwnds(const double* bytes, std::size_t flows);

  // Flows of the network that are TCP, and not QUIC.
  std::size_t flows() const { return flows_.size(); }
  // Writes kLinkLooks values, and kFlowLooks for each of the first flows.
  void look(double* out, std::size_t flows);

#define PENSTOCK_COUNT(name) +1
  static constexpr std::size_t kLinkLooks = 0 PENSTOCK_LINK_LOOKS(PENSTOCK_COUNT);
  static constexpr std::size_t kFlowLooks = 0 PENSTOCK_FLOW_LOOKS(PENSTOCK_COUNT);
#undef PENSTOCK_COUNT

 private:
  std::uint64_t received_bytes() const;

  const Plan& plan_;
  std::uint32_t link_;
  std::vector<std::uint32_t> flows_;
  Simulation simulation_;
};

}  // namespace penstock::net
