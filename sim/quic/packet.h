// SPDX-License-Identifier: GPL-2.0-only
// QUIC's packets on the network: RFC 9000 sections 12, 17 and 19. A packet travels as a segment
// that is a datagram; here is what its fields mean, and how many bytes its frames take. The
// handshake is one datagram each way, RFC 9000 section 14.1. After it data travels one way, in
// packets of one STREAM frame, and ACK frames the other.
#pragma once

#include <array>
#include <cstdint>

#include "sim/tcp/intervals.h"
#include "sim/tcp/segment.h"

namespace penstock::quic {

enum Flag : std::uint8_t {  // in place of TCP's
  kFin = 0x01,              // the stream ends with this frame
  kInitial = 0x02,
  kAck = 0x10,   // has an ACK frame
  kSpin = 0x20,  // the spin bit, section 17.4
  kFixed = 0x40,  // of every packet, section 17.2
};

inline constexpr std::uint32_t kInitialBytes = 1200;
// A short header with a connection ID of 8 bytes and a packet number of 4, and the tag of the AEAD.
inline constexpr std::uint32_t kProtectionBytes = 1 + 8 + 4 + 16;
inline constexpr std::uint32_t kPingBytes = 1;
inline constexpr std::uint32_t kAckDelayExponent = 3;
inline constexpr unsigned kMostRanges = 13;  // of a frame here: the first, and 24 bytes of others

// Section 16.
constexpr std::uint32_t varint_bytes(std::uint64_t value) {
  if (value < 1U << 6) return 1;
  if (value < 1U << 14) return 2;
  return value < 1U << 30 ? 4 : 8;
}

// A STREAM frame at the end of its packet: type, stream and offset, without a length.
constexpr std::uint32_t stream_frame_bytes(std::uint64_t offset) {
  return 1 + 1 + (offset ? varint_bytes(offset) : 0);
}

struct AckFrame {
  std::uint64_t largest;
  std::uint64_t delay_ns;
  std::array<tcp::Interval, kMostRanges> ranges;  // of packet numbers, from the highest down
  unsigned count;
};

// `stream` is what the packet carries of it; empty: a PING frame.
tcp::Segment data_packet(std::uint64_t number, tcp::Interval stream, bool fin);
// Up to `most_bytes` long, so many bytes of the stream from `offset` on fit.
constexpr std::uint64_t stream_room(std::uint32_t most_bytes, std::uint64_t offset) {
  return most_bytes - kProtectionBytes - stream_frame_bytes(offset);
}
constexpr std::uint64_t stream_offset(const tcp::Segment& s) {
  return std::uint64_t{s.ts_ecr} << 32 | s.ts_val;
}
std::uint32_t stream_bytes(const tcp::Segment& s);

tcp::Segment initial_packet(std::uint64_t number);
// The answer to packet `answered`, with the transport parameter max_ack_delay.
tcp::Segment initial_answer(std::uint64_t number, std::uint64_t answered,
                            std::uint64_t max_ack_delay_ns);
// The packet that it answers, as a frame.
AckFrame ack_of_initial(const tcp::Segment& answer);
// Of the packet as it is on the wire: sections 17.2 and 17.3.1. 0 if it is not QUIC's.
constexpr std::uint8_t first_byte(const tcp::Segment& s) {
  constexpr std::uint8_t kLongHeader = 0x80, kNumberOf4Bytes = 3;
  if (!(s.flags & kFixed)) return 0;
  return s.flags & kInitial ? kLongHeader | kFixed | kNumberOf4Bytes
                            : (s.flags & (kFixed | kSpin)) | kNumberOf4Bytes;
}

constexpr std::uint64_t max_ack_delay_ns(const tcp::Segment& answer) {
  return std::uint64_t{answer.ts_val} * 1000;
}

// An ACK of `received`, packet numbers that are not empty: its highest ranges, as many as fit.
tcp::Segment ack_packet(std::uint64_t number, const tcp::IntervalSet& received,
                        std::uint64_t delay_ns);
AckFrame ack_frame(const tcp::Segment& s, std::uint64_t near);

}  // namespace penstock::quic
