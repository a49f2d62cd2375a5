// SPDX-License-Identifier: GPL-2.0-only
// A segment as hosts see it, and as bytes on the wire.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/world/script.h"

namespace penstock::world {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;

inline constexpr u16 kFin = 0x01, kSyn = 0x02, kRst = 0x04, kAck = 0x10;
inline constexpr u16 kEce = 0x40, kCwr = 0x80;
inline constexpr u8 kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3;
inline constexpr std::size_t kMostSacks = 3;
inline constexpr u32 kNoScale = 255;

inline bool before(u32 a, u32 b) { return static_cast<std::int32_t>(a - b) < 0; }
inline bool after(u32 a, u32 b) { return before(b, a); }

struct Segment {
  u32 flow = 0;          // addresses and ports
  bool ipv6 = false;
  bool from_near = false;  // the end behind the gateway, whose data it controls
  u32 seq = 0;
  u32 ack = 0;
  u16 flags = 0;
  u16 window = 0;
  u32 payload_bytes = 0;
  u32 mss = 0;           // of a SYN; 0 without the option
  u32 scale = kNoScale;  // likewise
  u8 ecn = kNotEct;
  bool may_sack = false;  // the option of a SYN
  u8 sacks = 0;           // blocks of `sack`
  std::array<std::pair<u32, u32>, kMostSacks> sack{};
};

// Which fragment of it a packet carries.
enum class Part : u8 { kWhole, kFirst, kSecond };

// An Ethernet frame with a right checksum; the payload is zero.
std::vector<u8> frame_of(const Segment& s, Part part, u64 id);

// The offset of the TCP header in the frame of a whole segment.
u32 tcp_offset(const Segment& s);

// The checksum of a whole segment's frame; 0 if it is right.
u16 checksum_left(const std::vector<u8>& frame, const Segment& s);

}  // namespace penstock::world
