// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/where/adopt.h"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>

#include "core/gateway/flow_events.h"
#include "core/packet/flow.h"
#include "linux/common/clock.h"
#include "linux/common/descriptor.h"
#include "linux/gateway/tool/attach/pins.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"
#include "linux/gateway/tool/where/capture.h"

namespace penstock::gw {

namespace {

constexpr std::uint32_t kHeaderBytes = 52;  // of IPv4 and TCP with timestamps
constexpr std::uint64_t kAdoptNs = 2 * kNsPerS;
constexpr std::uint64_t kAdoptStepNs = 100'000'000;

std::uint32_t mtu_bytes(const Device& device) {
  const Descriptor any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  device.interface.copy(request.ifr_name, IFNAMSIZ - 1);
  return any && !ioctl(any.fd(), SIOCGIFMTU, &request) ? static_cast<std::uint32_t>(request.ifr_mtu)
                                                       : 0;
}

}  // namespace

// The device may see a connection as it was before NAT or after, and either end may be inside. Of
// the four ways to say it those that are wrong meet no packet.
Adopter::Adopter(const std::vector<TrackedFlow>& tracked, std::uint32_t mtu_bytes)
    : segment_bytes_(std::max(mtu_bytes, kHeaderBytes + PST_LEAST_MSS_BYTES) - kHeaderBytes) {
  for (const TrackedFlow& flow : tracked) {
    offer(flow.original, flow.scales[0], flow.scales[1]);
    offer(flow.reply, flow.scales[1], flow.scales[0]);
  }
}

void Adopter::offer(const TrackedEnds& ends, std::uint8_t source_scale, std::uint8_t target_scale) {
  Offered one;
  one.scales[kDown] = source_scale;
  one.scales[kUp] = target_scale;
  offered_[{ends.source, ends.target, ends.source_port, ends.target_port}] = one;
  std::swap(one.scales[kDown], one.scales[kUp]);
  offered_[{ends.target, ends.source, ends.target_port, ends.source_port}] = one;
}

void Adopter::see(const Packet& packet) {
  if (!packet.segment || offered_.empty()) return;
  const pst_segment& s = *packet.segment;
  const bool in = packet.way == kDown;
  Key key;
  std::copy_n(in ? s.source : s.target, 4, key.outside.begin());
  std::copy_n(in ? s.target : s.source, 4, key.inside.begin());
  key.outside_port = in ? s.source_port : s.target_port;
  key.inside_port = in ? s.target_port : s.source_port;
  const auto found = offered_.find(key);
  if (found == offered_.end()) return;
  Offered& offered = found->second;
  // Another connection of the same ends begins, whose handshake the programs see; or this one ends.
  if (s.flags & (PST_TCP_SYN | PST_TCP_RST | PST_TCP_FIN)) {
    offered_.erase(found);
    return;
  }
  Side& data = offered.sides[packet.way];
  if (s.payload_bytes && data.has_ack && !data.done) {
    const std::uint32_t end = s.seq + s.payload_bytes;
    if (pst_seq_after(end, data.edge + 1)) {
      offered_.erase(found);
      return;
    }
    if (!pst_seq_before(s.seq, data.ack)) {
      data.done = true;
      believe(packet.way, s, offered);
    }
  }
  if (s.flags & PST_TCP_ACK) {
    const Way answered = other_way(packet.way);
    Side& side = offered.sides[answered];
    side.ack = s.ack;
    side.edge = s.ack + (std::uint32_t{s.window} << offered.scales[answered]);
    side.has_ack = true;
  }
  if (offered.sides[kDown].done && offered.sides[kUp].done) offered_.erase(found);
}

void Adopter::believe(Way way, const pst_segment& s, const Offered& offered) {
  gw_key key{};
  std::copy_n(s.source, 4, key.sender);
  std::copy_n(s.target, 4, key.receiver);
  key.sender_port = s.source_port;
  key.receiver_port = s.target_port;
  key.tags = s.tags;
  key.session = s.session;
  key.ipv6 = s.ipv6;
  gw_flow known{};
  pst_gateway_flow& flow = known.gateway;
  pst_flow_on_syn(&flow.flow, true, offered.scales[other_way(way)]);
  pst_flow_on_syn(&flow.flow, false, offered.scales[way]);
  const std::uint32_t bytes = std::min(s.payload_bytes, segment_bytes_);
  pst_flow_on_mss(&flow.flow, true, std::max(bytes, PST_LEAST_MSS_BYTES));
  pst_flow_on_data(&flow.flow, s.seq + s.payload_bytes - bytes, bytes);
  // The round trip falls to what it is once windows limit.
  flow.rtt.near_ns = PST_NEAR_MORE_NS;
  flow.rtt.established = true;
  known.seen_ns = clock_ns();
  believed_[way].emplace_back(key, known);
}

Adopter adopter_on(const Device& device) { return {tracked_flows(), mtu_bytes(device)}; }

void adopt_running(const Device& device) {
  if (device.acks_ifindex) return;
  try {
    Adopter adopter = adopter_on(device);
    if (!adopter.waits()) return;
    const Way way = device.down ? kDown : kUp;
    Capture capture(device);
    const std::uint64_t end_ns = clock_ns() + kAdoptNs;
    while (!is_stopped() && clock_ns() < end_ns) {
      capture.until(std::min(clock_ns() + kAdoptStepNs, end_ns),
                    [&](const Packet& packet) { adopter.see(packet); });
      Pins(device).adopt(adopter.take()[way]);
    }
  } catch (const Error&) {
    // They pass unchanged, as without connection tracking.
  }
}

}  // namespace penstock::gw
