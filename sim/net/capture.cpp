// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/capture.h"

#include <utility>

#include "sim/quic/packet.h"

namespace penstock::net {

namespace {

constexpr std::uint32_t kFirstAddress = 0x0a000001;  // 10.0.0.1
constexpr std::uint32_t kFirstPort = 10'000;
constexpr std::uint32_t kPorts = 1U << 15;
constexpr std::uint16_t kReceiverPort = 5001;

}  // namespace

Endpoints Capture::endpoints(const Record& r) const {
  const std::uint32_t flow = r.target() / 2;
  const Ends nodes = (*ends_)[flow];
  Endpoints ends{kFirstAddress + nodes.src, kFirstAddress + nodes.dst,
                 static_cast<std::uint16_t>(kFirstPort + flow % kPorts), kReceiverPort};
  if ((r.target() & 1) == kSenderSide) {
    std::swap(ends.src_ip, ends.dst_ip);
    std::swap(ends.src_port, ends.dst_port);
  }
  return ends;
}

void Capture::write(std::uint64_t time_ns, const Record& r) {
  const tcp::Segment& s = r.segment;
  if (s.options & kDatagram) {
    writer_.write_udp(time_ns, s.payload_bytes, quic::image(s), s.ecn, endpoints(r), ip_id_++);
  } else {
    writer_.write(time_ns, s, endpoints(r), ip_id_++);
  }
}

}  // namespace penstock::net
