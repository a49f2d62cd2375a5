// SPDX-License-Identifier: GPL-2.0-only
// Datagrams for the tests: packets of packet.h as those of another protocol.
#pragma once

#include "core/packet/protocol.h"
#include "tests/gateway/packet.h"

namespace penstock::test {

inline constexpr std::uint16_t kDatagramBytes = 1000;
inline constexpr std::size_t kProtocolAt = 14 + 9, kTosAt = 14 + 1;

inline void sum_ip(Bytes& b) {
  b[24] = b[25] = 0;
  const Bytes ip(b.begin() + 14, b.begin() + 34);
  const auto check = static_cast<std::uint16_t>(~fold(sum16(ip)));
  b[24] = static_cast<std::uint8_t>(check >> 8);
  b[25] = static_cast<std::uint8_t>(check);
}

// A datagram, or a packet of another protocol, by IPv4.
inline Bytes datagram(const Ends& e, bool from_sender = true, std::uint8_t protocol = PST_IP_UDP,
                      std::uint8_t tos = 0) {
  Bytes b = packet(e, {.from_sender = from_sender, .payload_bytes = kDatagramBytes});
  b[kProtocolAt] = protocol;
  b[kTosAt] = tos;
  sum_ip(b);
  return b;
}

}  // namespace penstock::test
