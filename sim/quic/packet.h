// SPDX-License-Identifier: GPL-2.0-only
// QUIC's packets on the network: RFC 9000 sections 12, 17 and 19. A packet travels as a segment
// that is a datagram; here is what its fields mean, and how many bytes its frames take. The
// handshake is one datagram each way, RFC 9000 section 14.1, and a third where the receiver opens.
// After it data travels one way, in packets of one STREAM frame, and ACK frames the other.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/tcp/intervals.h"
#include "sim/tcp/segment.h"

namespace penstock::quic {

enum Flag : std::uint8_t {  // in place of TCP's
  kFin = 0x01,              // the stream ends with this frame
  kInitial = 0x02,
  kCounts = 0x08,  // its ACK frame has ECN counts
  kAck = 0x10,   // has an ACK frame
  kSpin = 0x20,  // the spin bit, section 17.4
  kFixed = 0x40,  // of every packet, section 17.2
};

inline constexpr std::uint32_t kInitialBytes = 1200;
// A short header with a connection ID of 8 bytes and a packet number of 4, and the tag of the AEAD.
inline constexpr std::uint32_t kProtectionBytes = 1 + 8 + 4 + 16;
inline constexpr std::uint32_t kPingBytes = 1;
inline constexpr std::uint32_t kAckDelayExponent = 3;
inline constexpr unsigned kMostRanges =
    13;  // of a frame here: the first, and 24 bytes of others and counts

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

// How many packets arrived with each codepoint, section 19.3.2.
struct EcnCounts {
  std::uint64_t ect0;
  std::uint64_t ect1;
  std::uint64_t ce;
};

struct AckFrame {
  std::uint64_t largest;
  std::uint64_t delay_ns;
  std::array<tcp::Interval, kMostRanges> ranges;  // of packet numbers, from the highest down
  unsigned count;
  bool has_counts;
  EcnCounts counts;
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

constexpr std::uint64_t max_ack_delay_ns(const tcp::Segment& answer) {
  return std::uint64_t{answer.ts_val} * 1000;
}

// An ACK of `received`, packet numbers that are not empty: its highest ranges, as many as fit
// beside `counts`; null for none.
tcp::Segment ack_packet(std::uint64_t number, const tcp::IntervalSet& received,
                        std::uint64_t delay_ns, const EcnCounts* counts = nullptr);
AckFrame ack_frame(const tcp::Segment& s, std::uint64_t near);

// The packet before its protection, up to what is zeros: header and frames of a short one, with a
// connection ID of zeros; of an Initial the first byte. Empty if it is not QUIC's.
std::vector<std::uint8_t> image(const tcp::Segment& s);

}  // namespace penstock::quic
