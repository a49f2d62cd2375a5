// SPDX-License-Identifier: GPL-2.0-only
// Packets for the tests, with right checksums, and a look at what came out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace penstock::test {

using Bytes = std::vector<std::uint8_t>;

// One connection: the sender's data goes out of the device, the receiver's ACKs come in.
struct Ends {
  bool ipv6 = false;
  std::uint16_t sender_port = 40000;
  std::uint16_t receiver_port = 80;
  std::uint8_t host = 1;  // last byte of the sender's address
};

enum class Link { kEthernet, kVlan, kQinq, kPppoe, kNone };

struct Tcp {
  bool from_sender = true;
  std::uint32_t seq = 0;
  std::uint32_t ack = 0;
  std::uint16_t flags = 0x10;    // nine bits, with AE
  std::uint8_t ecn = 0;          // of the IP header
  std::uint16_t window = 0;
  Bytes options = {};
  std::uint16_t payload_bytes = 0;
  Link link = Link::kEthernet;
  std::uint8_t tenant = 0;       // added to the outermost VLAN id or the PPPoE session
  Bytes ip_options = {};         // IPv4
  Bytes extensions = {};         // IPv6, with the next-header bytes in place
  std::uint8_t following = 6;  // IPv6 next header before the extensions
};

inline void put16(Bytes& b, std::uint32_t v) {
  b.push_back(static_cast<std::uint8_t>(v >> 8));
  b.push_back(static_cast<std::uint8_t>(v));
}
inline void put32(Bytes& b, std::uint32_t v) {
  put16(b, v >> 16);
  put16(b, v & 0xffff);
}
inline void append(Bytes& b, const Bytes& more) {
  for (const std::uint8_t byte : more) b.push_back(byte);
}

inline std::uint32_t sum16(const Bytes& b, std::size_t from = 0) {
  std::uint32_t sum = 0;
  for (std::size_t i = from; i < b.size(); ++i)
    sum += static_cast<std::uint32_t>(b[i]) << ((i - from) % 2 ? 0 : 8);
  return sum;
}
inline std::uint16_t fold(std::uint32_t sum) {
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

inline Bytes address(const Ends& e, bool sender) {
  const auto last = static_cast<std::uint8_t>(sender ? e.host : 200);
  if (!e.ipv6) return {10, 0, 0, last};
  Bytes a(16, 0);
  a[0] = 0xfd;
  a[15] = last;
  return a;
}

inline Bytes link_header(Link link, bool ipv6, std::uint8_t tenant = 0) {
  Bytes b;
  if (link == Link::kNone) return b;
  b = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2};
  const std::uint32_t type = ipv6 ? 0x86dd : 0x0800;
  const auto plus = [tenant](int id) { return static_cast<std::uint8_t>(id + tenant); };
  if (link == Link::kQinq) append(b, {0x88, 0xa8, 0, plus(7)});
  if (link == Link::kVlan) append(b, {0x81, 0x00, 0, plus(5)});
  if (link == Link::kQinq) append(b, {0x81, 0x00, 0, 5});
  if (link == Link::kPppoe) {
    append(b, {0x88, 0x64, 0x11, 0, 0, plus(1), 0, 0});
    put16(b, ipv6 ? 0x0057 : 0x0021);
  } else {
    put16(b, type);
  }
  return b;
}

inline Bytes tcp_segment(const Ends& e, const Tcp& t) {
  Bytes options = t.options;
  while (options.size() % 4) options.push_back(0);
  Bytes b;
  put16(b, t.from_sender ? e.sender_port : e.receiver_port);
  put16(b, t.from_sender ? e.receiver_port : e.sender_port);
  put32(b, t.seq);
  put32(b, t.ack);
  put16(b, static_cast<std::uint32_t>((5 + options.size() / 4) << 12 | t.flags));
  put16(b, t.window);
  put32(b, 0);
  append(b, options);
  b.resize(b.size() + t.payload_bytes, 0xa5);
  const std::uint32_t pseudo =
      sum16(address(e, true)) + sum16(address(e, false)) + 6 + static_cast<std::uint32_t>(b.size());
  const auto check = static_cast<std::uint16_t>(~fold(pseudo + sum16(b)));
  b[16] = static_cast<std::uint8_t>(check >> 8);
  b[17] = static_cast<std::uint8_t>(check);
  return b;
}

inline Bytes packet(const Ends& e, const Tcp& t) {
  const Bytes segment = tcp_segment(e, t);
  Bytes b = link_header(t.link, e.ipv6, t.tenant);
  if (e.ipv6) {
    put32(b, 6U << 28 | static_cast<std::uint32_t>(t.ecn) << 20);
    put16(b, static_cast<std::uint32_t>(t.extensions.size() + segment.size()));
    b.push_back(t.following);
    b.push_back(64);
    append(b, address(e, t.from_sender));
    append(b, address(e, !t.from_sender));
    append(b, t.extensions);
  } else {
    Bytes ip = {static_cast<std::uint8_t>(0x45 + t.ip_options.size() / 4), t.ecn};
    put16(ip, static_cast<std::uint32_t>(20 + t.ip_options.size() + segment.size()));
    append(ip, {0, 1, 0x40, 0, 64, 6, 0, 0});
    append(ip, address(e, t.from_sender));
    append(ip, address(e, !t.from_sender));
    append(ip, t.ip_options);
    const auto check = static_cast<std::uint16_t>(~fold(sum16(ip)));
    ip[10] = static_cast<std::uint8_t>(check >> 8);
    ip[11] = static_cast<std::uint8_t>(check);
    append(b, ip);
  }
  append(b, segment);
  return b;
}

// A frame whose IPv4 packet of `protocol` has this in it, between two ends of a tunnel.
inline Bytes tunnelled(std::uint8_t protocol, const Bytes& inner) {
  Bytes b = link_header(Link::kEthernet, false);
  Bytes ip = {0x45, 0};
  put16(ip, static_cast<std::uint32_t>(20 + inner.size()));
  append(ip, {0, 1, 0x40, 0, 64, protocol, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2});
  const auto check = static_cast<std::uint16_t>(~fold(sum16(ip)));
  ip[10] = static_cast<std::uint8_t>(check >> 8);
  ip[11] = static_cast<std::uint8_t>(check);
  append(b, ip);
  append(b, inner);
  return b;
}

inline Bytes in_gre(const Ends& e, const Tcp& t) {
  Tcp inner = t;
  inner.link = Link::kNone;
  Bytes gre = {0, 0};
  put16(gre, e.ipv6 ? 0x86dd : 0x0800);
  append(gre, packet(e, inner));
  return tunnelled(47, gre);
}

inline Bytes in_vxlan(const Ends& e, const Tcp& t) {
  const Bytes inner = packet(e, t);
  Bytes udp;
  put16(udp, 50'000);
  put16(udp, 4789);
  put16(udp, static_cast<std::uint32_t>(16 + inner.size()));
  append(udp, {0, 0, 8, 0, 0, 0, 0, 0, 7, 0});
  append(udp, inner);
  return tunnelled(17, udp);
}

// As this host or GRO leaves it: only the pseudo-header is summed.
inline Bytes partly_summed(const Ends& e, const Tcp& t) {
  Bytes bytes = packet(e, t);
  const std::size_t segment_bytes = tcp_segment(e, t).size();
  const std::size_t tcp = bytes.size() - segment_bytes;
  const std::uint16_t pseudo = fold(sum16(address(e, true)) + sum16(address(e, false)) + 6 +
                                    static_cast<std::uint32_t>(segment_bytes));
  bytes[tcp + 16] = static_cast<std::uint8_t>(pseudo >> 8);
  bytes[tcp + 17] = static_cast<std::uint8_t>(pseudo);
  return bytes;
}

// The window field of `t` as it stands in `bytes`, and whether the TCP checksum holds.
struct Seen {
  std::uint16_t window;
  bool checksum_right;
};
inline Seen look(const Ends& e, const Tcp& t, const Bytes& bytes) {
  const std::size_t tcp = bytes.size() - tcp_segment(e, t).size();
  const std::uint32_t pseudo = sum16(address(e, true)) + sum16(address(e, false)) + 6 +
                               static_cast<std::uint32_t>(bytes.size() - tcp);
  return {static_cast<std::uint16_t>(bytes[tcp + 14] << 8 | bytes[tcp + 15]),
          fold(pseudo + sum16(bytes, tcp)) == 0xffff};
}

inline Bytes mss_and_scale(std::uint16_t mss, int scale) {
  Bytes o = {2, 4, static_cast<std::uint8_t>(mss >> 8), static_cast<std::uint8_t>(mss)};
  if (scale >= 0) append(o, {1, 3, 3, static_cast<std::uint8_t>(scale)});
  return o;
}

}  // namespace penstock::test
