// SPDX-License-Identifier: GPL-2.0-only
// A TCP segment on the network: the header fields that matter, and the length of the payload
// instead of the payload. 48 bytes, so that an event record with a segment fills one cache line.
#pragma once

#include <cstdint>

#include "core/base.h"
#include "core/packet/feedback.h"
#include "core/sizes.h"

namespace penstock::tcp {

enum Flag : std::uint8_t {  // bits of the header's flag octet, RFC 9293, RFC 3168
  kFin = 0x01,
  kSyn = 0x02,
  kRst = 0x04,
  kPsh = 0x08,
  kAck = 0x10,
  kEce = 0x40,
  kCwr = 0x80,
};

enum Option : std::uint8_t {
  kTimestamps = 0x04,     // RFC 7323 section 3; the low two bits count SACK blocks
  kSackPermitted = 0x08,  // SYN only, RFC 2018
  kMss = 0x10,            // SYN only
  kWindowScale = 0x20,    // SYN only, RFC 7323 section 2
  kExtension = 0x40,      // a header for routers: Segment::extension
  kDatagram = 0x80,       // no TCP: a UDP datagram, with eight bytes of header
};
inline constexpr std::uint8_t kSackCountMask = 0x03;

enum Ecn : std::uint8_t { kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3 };  // RFC 3168

struct SackBlock {
  std::uint32_t start;
  std::uint32_t end;  // first sequence number after the block
};

struct SynOptions {
  std::uint16_t mss_bytes;
  std::uint8_t scale;
};

// A header that routers read and write, core/packet/feedback.h, and that ACKs return. It is
// stored beside the options of a SYN; of an ACK's header only the last two words, in place of
// the third SACK block.
inline constexpr unsigned kLabelBits = 24;
struct Extension {
  std::uint32_t syn_options;  // not of this header
  std::uint32_t silent_hops;  // queues on the way that do not know its kind
  std::uint32_t cwnd_bytes;
  std::uint32_t rtt_us;
  std::int32_t delta_bytes;
  std::uint32_t label : kLabelBits;
  std::uint32_t kind : 7;     // enum pst_feedback_kind
  std::uint32_t counted : 1;  // its bytes take time on links and room in queues
};
static_assert(sizeof(Extension) == 3 * sizeof(SackBlock));
inline constexpr unsigned kSackBlocksBesideExtension = 2;

struct Segment {
  std::uint32_t seq;
  std::uint32_t ack;
  std::uint32_t ts_val;  // microseconds
  std::uint32_t ts_ecr;
  union {
    SackBlock sack[3];
    SynOptions syn;  // valid if flags & kSyn
    Extension extension;  // valid if options & kExtension
  };
  std::uint16_t window;         // the field; shifted by the scale unless kSyn
  std::uint16_t payload_bytes;
  std::uint8_t flags;    // Flag
  std::uint8_t options;  // Option | number of SACK blocks
  std::uint8_t ecn;      // Ecn, the IP header's codepoint
  std::uint8_t hop;      // the network's: next hop on the route
};
static_assert(sizeof(Segment) == 48);

inline constexpr std::uint32_t kIpHeaderBytes = 20;

// TCP header with its options, padded to 32-bit words as Linux lays them out: timestamps take 12
// bytes, SACK 4 + 8 a block, MSS 4, window scale 4, and SACK-permitted uses the timestamps'
// padding or takes 4. A SYN has no blocks.
constexpr std::uint8_t tcp_header_bytes(std::uint32_t options) {
  std::uint32_t n = 20;
  const std::uint32_t blocks = options & kSackCountMask;
  if (options & kTimestamps) n += PST_TIMESTAMPS_BYTES;
  if (options & kMss) n += 4;
  if (options & kWindowScale) n += 4;
  if ((options & kSackPermitted) && !(options & kTimestamps)) n += 4;
  if (blocks) n += 4 + 8 * blocks;
  return static_cast<std::uint8_t>(n);
}

constexpr std::uint32_t tcp_header_bytes(const Segment& s) {
  PST_REQUIRE(!(s.flags & kSyn) || !(s.options & kSackCountMask));
  return tcp_header_bytes(s.options);
}

constexpr bool has_window_header(const Segment& s) {
  return (s.options & kExtension) && s.extension.kind == PST_FEEDBACK_WINDOW;
}

// As a TCP option (RFC 6994: kind, length and an identifier, 4 bytes): window, RTT and change
// with data and SYNs, only the change with ACKs.
constexpr std::uint32_t extension_bytes(const Segment& s) {
  return s.payload_bytes || (s.flags & kSyn) ? 16 : 8;
}

constexpr std::uint32_t counted_extension_bytes(const Segment& s) {
  return (s.options & kExtension) && s.extension.counted ? extension_bytes(s) : 0;
}

constexpr std::uint32_t ip_bytes(const Segment& s) {
  return kIpHeaderBytes + tcp_header_bytes(s) + s.payload_bytes + counted_extension_bytes(s);
}

}  // namespace penstock::tcp
