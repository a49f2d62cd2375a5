// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/datagrams.h"

#include "core/math/interval.h"

namespace penstock::net {

Datagrams::Datagrams(const Plan& plan, Events& events, Flows& flows, Forwarder& forwarder)
    : plan_(plan), events_(events), flows_(flows), forwarder_(forwarder) {
  for (const UdpSpec& spec : plan.udp_flows) {
    const auto index = static_cast<std::uint32_t>(sources_.size());
    if (!UdpPattern::is_constant(spec))
      patterns_.emplace(index, UdpPattern(spec, plan.seed, index));
    PST_REQUIRE(spec.rate_bps > 0 && spec.rate_bps <= PST_INTERVAL_MOST_BPS);
    sources_.push_back({.interval_q20_ns = pst_interval_q20_ns(spec.payload_bytes, spec.rate_bps)});
  }
}

void Datagrams::begin(std::uint32_t flow) {
  PST_REQUIRE(flows_[flow].is_udp && flows_[flow].index < sources_.size());
  events_.schedule(kSend, flow, plan_.udp_flows[flows_[flow].index].start_ns);
}

void Datagrams::send(std::uint32_t flow) {
  const std::uint32_t index = flows_[flow].index;
  const UdpSpec& spec = plan_.udp_flows[index];
  if (spec.stop_ns && events_.now_ns() >= spec.stop_ns) return;
  Source& d = sources_[index];
  PST_REQUIRE(d.interval_q20_ns > 0);
  PST_REQUIRE(events_.now_ns() == spec.start_ns + d.next_ns);
  PST_REQUIRE(spec.payload_bytes > 0 && spec.payload_bytes <= UINT16_MAX);
  tcp::Segment s{};
  s.seq = static_cast<std::uint32_t>(d.packets++);
  s.payload_bytes = static_cast<std::uint16_t>(spec.payload_bytes);
  s.options = kDatagram;
  forwarder_.send(s, 2 * flow + kReceiverSide);
  if (const auto pattern = patterns_.find(index); pattern != patterns_.end()) {
    d.next_ns = pattern->second.next_ns(d.next_ns);
  } else {
    d.next_rest_q20_ns += d.interval_q20_ns;
    d.next_ns += d.next_rest_q20_ns >> 20;
    d.next_rest_q20_ns &= (1ULL << 20) - 1;
  }
  events_.schedule(kSend, flow, spec.start_ns + d.next_ns);
}

}  // namespace penstock::net
