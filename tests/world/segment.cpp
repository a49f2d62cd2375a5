// SPDX-License-Identifier: GPL-2.0-only
#include "tests/world/segment.h"

#include <algorithm>
#include <array>

namespace penstock::world {

namespace {

constexpr u32 kEthernetBytes = 14, kIpv4Bytes = 20, kIpv6Bytes = 40;
constexpr u32 kFragmentHeaderBytes = 8;
constexpr u8 kTcp = 6, kFragmentHeader = 44;

class Bytes {
 public:
  void put8(u32 v) { bytes_.push_back(static_cast<u8>(v)); }
  void put16(u32 v) {
    put8(v >> 8);
    put8(v);
  }
  void put32(u32 v) {
    put16(v >> 16);
    put16(v);
  }
  void put(std::span<const u8> more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
  void zero(u32 count) { bytes_.resize(bytes_.size() + count); }
  void set16(std::size_t at, u32 v) {
    bytes_[at] = static_cast<u8>(v >> 8);
    bytes_[at + 1] = static_cast<u8>(v);
  }
  std::vector<u8>& bytes() { return bytes_; }

 private:
  std::vector<u8> bytes_;
};

u16 fold(u64 sum) {
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<u16>(sum);
}

u64 sum_of(std::span<const u8> bytes) {
  u64 sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    sum += static_cast<u64>(bytes[i]) << (i % 2 ? 0 : 8);
  return sum;
}

u32 ipv4_of(const Segment& s, bool near) {
  return near ? 10U << 24 | s.flow >> 8 : 192U << 24 | 168U << 16 | (s.flow & 0xff);
}

u32 port_of(const Segment& s, bool near) { return near ? 1024 + (s.flow & 0x7fff) : 443; }

std::vector<u8> address_of(const Segment& s, bool near) {
  Bytes b;
  if (s.ipv6) {
    b.put32(0xfd000000);
    b.put32(0);
    b.put32(near);
  }
  b.put32(ipv4_of(s, near));
  return b.bytes();
}

u64 pseudo_sum(const Segment& s, std::size_t tcp_bytes) {
  return sum_of(address_of(s, true)) + sum_of(address_of(s, false)) + kTcp + tcp_bytes;
}

std::vector<u8> options_of(const Segment& s) {
  Bytes b;
  if (s.mss) {
    b.put16(0x0204);
    b.put16(s.mss);
  }
  if (s.scale != kNoScale && s.flags & kSyn) {
    b.put32(0x01030300U | s.scale);
  }
  return b.bytes();
}

std::vector<u8> tcp_of(const Segment& s) {
  const std::vector<u8> options = options_of(s);
  Bytes b;
  b.put16(port_of(s, s.from_near));
  b.put16(port_of(s, !s.from_near));
  b.put32(s.seq);
  b.put32(s.ack);
  b.put16(static_cast<u32>(5 + options.size() / 4) << 12 | s.flags);
  b.put16(s.window);
  b.put32(0);
  b.put(options);
  const u64 sum = pseudo_sum(s, b.bytes().size() + s.payload_bytes) + sum_of(b.bytes());
  b.set16(16, static_cast<u16>(~fold(sum)));
  b.zero(s.payload_bytes);
  return b.bytes();
}

void put_ipv4(Bytes& b, const Segment& s, u32 bytes, u32 fragment, u64 id) {
  const std::size_t at = b.bytes().size();
  b.put16(0x4500);
  b.put16(kIpv4Bytes + bytes);
  b.put16(static_cast<u32>(id) & 0xffff);
  b.put16(fragment);
  b.put16(64U << 8 | kTcp);
  b.put16(0);
  b.put(address_of(s, s.from_near));
  b.put(address_of(s, !s.from_near));
  b.set16(at + 10, static_cast<u16>(~fold(sum_of(std::span(b.bytes()).subspan(at)))));
}

void put_ipv6(Bytes& b, const Segment& s, u32 bytes, u32 fragment, bool whole, u64 id) {
  b.put32(6U << 28);
  b.put16(bytes + (whole ? 0 : kFragmentHeaderBytes));
  b.put16((whole ? kTcp : u32{kFragmentHeader}) << 8 | 64);
  b.put(address_of(s, s.from_near));
  b.put(address_of(s, !s.from_near));
  if (whole) return;
  b.put16(u32{kTcp} << 8);
  b.put16((fragment & 0x1fff) << 3 | fragment >> 13);
  b.put32(static_cast<u32>(id));
}

}  // namespace

u32 tcp_offset(const Segment& s) { return kEthernetBytes + (s.ipv6 ? kIpv6Bytes : kIpv4Bytes); }

std::vector<u8> frame_of(const Segment& s, Part part, u64 id) {
  const std::vector<u8> tcp = tcp_of(s);
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
  b.put(std::array<u8, 12>{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2});
  b.put16(s.ipv6 ? 0x86dd : 0x0800);
  const auto bytes = static_cast<u32>(carried.size());
  if (s.ipv6)
    put_ipv6(b, s, bytes, fragment, part == Part::kWhole, id);
  else
    put_ipv4(b, s, bytes, fragment, id);
  b.put(carried);
  return b.bytes();
}

u16 checksum_left(std::span<const u8> frame, const Segment& s) {
  const std::span<const u8> tcp = frame.subspan(tcp_offset(s));
  return static_cast<u16>(~fold(pseudo_sum(s, tcp.size()) + sum_of(tcp)));
}

}  // namespace penstock::world
