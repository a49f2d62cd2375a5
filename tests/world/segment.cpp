// SPDX-License-Identifier: GPL-2.0-only
#include "tests/world/segment.h"

#include <algorithm>
#include <span>

#include "tests/gateway/packet.h"

namespace penstock::world {

namespace {

using namespace penstock::test;

constexpr u32 kEthernetBytes = 14, kIpv4Bytes = 20, kIpv6Bytes = 40;
constexpr u32 kFragmentHeaderBytes = 8;
constexpr u8 kTcp = 6, kFragmentHeader = 44;

void set16(Bytes& b, std::size_t at, u32 v) {
  b[at] = static_cast<u8>(v >> 8);
  b[at + 1] = static_cast<u8>(v);
}

u32 ipv4_of(const Segment& s, bool near) {
  return near ? 10U << 24 | s.flow >> 8 : 192U << 24 | 168U << 16 | (s.flow & 0xff);
}

u32 port_of(const Segment& s, bool near) { return near ? 1024 + (s.flow & 0x7fff) : 443; }

Bytes address_of(const Segment& s, bool near) {
  Bytes b;
  if (s.ipv6) {
    put32(b, 0xfd000000);
    put32(b, 0);
    put32(b, near);
  }
  put32(b, ipv4_of(s, near));
  return b;
}

u32 pseudo_sum(const Segment& s, std::size_t tcp_bytes) {
  return sum16(address_of(s, true)) + sum16(address_of(s, false)) + kTcp +
         static_cast<u32>(tcp_bytes);
}

Bytes options_of(const Segment& s) {
  Bytes b;
  if (s.mss) {
    put16(b, 0x0204);
    put16(b, s.mss);
  }
  if (s.scale != kNoScale && s.flags & kSyn) {
    put32(b, 0x01030300U | s.scale);
  }
  if (s.may_sack) put32(b, 0x01010402U);
  if (!s.sacks) return b;
  put32(b, 0x01010500U | (2U + 8U * s.sacks));
  for (u8 i = 0; i < s.sacks; ++i) {
    put32(b, s.sack[i].first);
    put32(b, s.sack[i].second);
  }
  return b;
}

Bytes tcp_of(const Segment& s) {
  const Bytes options = options_of(s);
  Bytes b;
  put16(b, port_of(s, s.from_near));
  put16(b, port_of(s, !s.from_near));
  put32(b, s.seq);
  put32(b, s.ack);
  put16(b, static_cast<u32>(5 + options.size() / 4) << 12 | s.flags);
  put16(b, s.window);
  put32(b, 0);
  append(b, options);
  const u32 sum = pseudo_sum(s, b.size() + s.payload_bytes) + sum16(b);
  set16(b, 16, static_cast<u16>(~fold(sum)));
  b.resize(b.size() + s.payload_bytes);
  return b;
}

void put_ipv4(Bytes& b, const Segment& s, u32 bytes, u32 fragment, u64 id) {
  const std::size_t at = b.size();
  put16(b, 0x4500U | s.ecn);
  put16(b, kIpv4Bytes + bytes);
  put16(b, static_cast<u32>(id) & 0xffff);
  put16(b, fragment);
  put16(b, 64U << 8 | kTcp);
  put16(b, 0);
  append(b, address_of(s, s.from_near));
  append(b, address_of(s, !s.from_near));
  set16(b, at + 10, static_cast<u16>(~fold(sum16(b, at))));
}

void put_ipv6(Bytes& b, const Segment& s, u32 bytes, u32 fragment, bool whole, u64 id) {
  put32(b, 6U << 28 | u32{s.ecn} << 20);
  put16(b, bytes + (whole ? 0 : kFragmentHeaderBytes));
  put16(b, (whole ? kTcp : u32{kFragmentHeader}) << 8 | 64);
  append(b, address_of(s, s.from_near));
  append(b, address_of(s, !s.from_near));
  if (whole) return;
  put16(b, u32{kTcp} << 8);
  put16(b, (fragment & 0x1fff) << 3 | fragment >> 13);
  put32(b, static_cast<u32>(id));
}

}  // namespace

u32 tcp_offset(const Segment& s) { return kEthernetBytes + (s.ipv6 ? kIpv6Bytes : kIpv4Bytes); }

Bytes frame_of(const Segment& s, Part part, u64 id) {
  const Bytes tcp = tcp_of(s);
  // Cut at half, in units of eight bytes; 0x2000: more of them follow.
  const std::size_t cut = std::min((tcp.size() + 8) / 2 / 8 * 8, tcp.size());
  std::span<const u8> carried(tcp);
  u32 fragment = 0;
  if (part == Part::kFirst) {
    carried = carried.first(cut);
    fragment = 0x2000;
  } else if (part == Part::kSecond) {
    carried = carried.subspan(cut);
    fragment = static_cast<u32>(cut / 8);
  }
  Bytes b;
  append(b, {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2});
  put16(b, s.ipv6 ? 0x86dd : 0x0800);
  const auto bytes = static_cast<u32>(carried.size());
  if (s.ipv6)
    put_ipv6(b, s, bytes, fragment, part == Part::kWhole, id);
  else
    put_ipv4(b, s, bytes, fragment, id);
  b.insert(b.end(), carried.begin(), carried.end());
  return b;
}

u16 checksum_left(const Bytes& frame, const Segment& s) {
  const std::size_t tcp = tcp_offset(s);
  return static_cast<u16>(~fold(pseudo_sum(s, frame.size() - tcp) + sum16(frame, tcp)));
}

}  // namespace penstock::world
