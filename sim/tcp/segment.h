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
  kAe = 0x20,  // RFC 9768; in place of URG, which no segment has
  kEce = 0x40,
  kCwr = 0x80,
};

enum Option : std::uint8_t {
  kTimestamps = 0x04,     // RFC 7323 section 3; the low two bits count SACK blocks
  kSackPermitted = 0x08,  // SYN only, RFC 2018
  kAccEcn = 0x08,  // RFC 9768 section 3.2.3; of a SYN the low two bits, as it has no blocks
  kMss = 0x10,  // SYN only
  kWindowScale = 0x20,  // SYN only, RFC 7323 section 2
  kExtension = 0x40,  // a header for routers: Segment::extension
  kDatagram = 0x80,  // no TCP: a UDP datagram, with eight bytes of header
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
  std::uint32_t kind : 7;  // enum pst_feedback_kind
  std::uint32_t counted : 1;  // its bytes take time on links and room in queues
};
static_assert(sizeof(Extension) == 3 * sizeof(SackBlock));
inline constexpr unsigned kSackBlocksBesideExtension = 2;

// Of accurate ECN, at most three byte counters of 24 bits: those of ECT(0), CE and ECT(1), or of
// ECT(1) first (`order1`). It is stored beside the options of a SYN, or beside two SACK blocks;
// then the third counter is in place of timestamps, or there is none.
inline constexpr unsigned kAccEcnCounters = 3;
inline constexpr std::uint8_t kAccEcnKinds[] = {172, 174};  // on the wire, by `order1`
struct AccEcnOption {
  std::uint32_t other_options[4];  // not of this option
  std::uint32_t first;
  std::uint32_t second : 24;
  std::uint32_t counters : 7;
  std::uint32_t order1 : 1;
};
static_assert(sizeof(AccEcnOption) == 3 * sizeof(SackBlock));

struct Segment {
  std::uint32_t seq;
  std::uint32_t ack;
  std::uint32_t ts_val;  // microseconds
  std::uint32_t ts_ecr;
  union {
    SackBlock sack[3];
    SynOptions syn;  // valid if flags & kSyn
    Extension extension;  // valid if options & kExtension
    AccEcnOption accecn;  // valid if has_accecn()
  };
  std::uint16_t window;  // the field; shifted by the scale unless kSyn
  std::uint16_t payload_bytes;
  std::uint8_t flags;  // Flag
  std::uint8_t options;  // Option | number of SACK blocks
  std::uint8_t ecn;  // Ecn, the IP header's codepoint
  std::uint8_t hop;  // the network's: next hop on the route
};
static_assert(sizeof(Segment) == 48);

inline constexpr std::uint32_t kIpHeaderBytes = 20;

constexpr bool has_accecn(const Segment& s) {
  return s.flags & kSyn ? (s.options & kSackCountMask) != 0 : (s.options & kAccEcn) != 0;
}

constexpr bool lacks_third_counter(std::uint32_t options) {
  return (options & kTimestamps) && (options & kSackCountMask) > 1;
}
// The third counter: beside a SYN's options or one SACK block, or in place of timestamps.
constexpr std::uint32_t& third_counter(Segment& s) {
  PST_REQUIRE(has_accecn(s));
  return s.options & kTimestamps ? s.sack[1].end : s.ts_ecr;
}

// The counters of ECT(1), CE and ECT(0), of which the first ones are sent.
constexpr void put_accecn(Segment& s, std::uint32_t ect1_bytes, std::uint32_t ce_bytes,
                          std::uint32_t ect0_bytes) {
  PST_REQUIRE(!has_accecn(s));
  const bool two = !(s.flags & kSyn) && lacks_third_counter(s.options);
  if (s.flags & kSyn)
    s.options |= kSackCountMask;
  else
    s.options |= kAccEcn;
  s.accecn.counters = two ? 2 : 3;
  s.accecn.first = ect1_bytes;
  s.accecn.second = ce_bytes & 0xffffff;
  if (!two) third_counter(s) = ect0_bytes;
  s.accecn.order1 = 1;
}

// Of the option with its padding, RFC 9768 section 3.2.3.
constexpr std::uint32_t accecn_bytes(unsigned counters) { return (2 + 3 * counters + 3) / 4 * 4; }

// TCP header with its options, padded to 32-bit words as Linux lays them out: timestamps take 12
// bytes, SACK 4 + 8 a block, MSS 4, window scale 4, and SACK-permitted uses the timestamps'
// padding or takes 4. A SYN has no blocks.
constexpr std::uint8_t tcp_header_bytes(std::uint32_t options, bool syn) {
  std::uint32_t n = 20;
  const std::uint32_t blocks = syn ? 0 : options & kSackCountMask;
  const bool accecn = syn ? (options & kSackCountMask) != 0 : (options & kAccEcn) != 0;
  if (options & kTimestamps) n += PST_TIMESTAMPS_BYTES;
  if (options & kMss) n += 4;
  if (options & kWindowScale) n += 4;
  if (syn && (options & kSackPermitted) && !(options & kTimestamps)) n += 4;
  if (blocks) n += 4 + 8 * blocks;
  if (accecn) n += accecn_bytes(!syn && lacks_third_counter(options) ? 2 : 3);
  return static_cast<std::uint8_t>(n);
}

constexpr std::uint32_t tcp_header_bytes(const Segment& s) {
  return tcp_header_bytes(s.options, s.flags & kSyn);
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
