// SPDX-License-Identifier: GPL-2.0-only
// Packets as a capture has them: RFC 9000 sections 17.2, 17.3.1 and 19.
#include <cstring>

#include "sim/quic/packet.h"

namespace penstock::quic {
namespace {

enum FrameType : std::uint8_t {
  kPing = 0x01,
  kAckType = 0x02,
  kAckWithCounts = 0x03,
  kStream = 0x08
};
constexpr std::uint8_t kLongHeader = 0x80, kNumberOf4Bytes = 3;
constexpr std::uint8_t kStreamFin = 0x01, kStreamOffset = 0x04;
constexpr std::size_t kConnectionIdBytes = 8;

void put_number(std::vector<std::uint8_t>& to, std::uint64_t value, std::uint32_t bytes) {
  for (std::uint32_t i = bytes; i-- > 0;) to.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}

void put_varint(std::vector<std::uint8_t>& to, std::uint64_t value) {
  const std::uint32_t bytes = varint_bytes(value);
  const std::uint64_t prefix = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
  put_number(to, value | prefix << (8 * bytes - 2), bytes);
}

void put_ack(std::vector<std::uint8_t>& to, const tcp::Segment& s) {
  const AckFrame frame = ack_frame(s, s.ack);
  const std::uint64_t delay_us = frame.delay_ns / 1000;
  to.push_back(frame.has_counts ? kAckWithCounts : kAckType);
  put_varint(to, frame.largest);
  put_varint(to, delay_us >> kAckDelayExponent);
  put_varint(to, frame.count - 1);
  put_varint(to, frame.ranges[0].end - 1 - frame.ranges[0].start);
  for (unsigned i = 1; i < frame.count; ++i) {
    put_varint(to, frame.ranges[i - 1].start - frame.ranges[i].end - 1);
    put_varint(to, frame.ranges[i].end - 1 - frame.ranges[i].start);
  }
  if (!frame.has_counts) return;
  for (const std::uint64_t n : {frame.counts.ect0, frame.counts.ect1, frame.counts.ce})
    put_varint(to, n);
}

void put_stream(std::vector<std::uint8_t>& to, const tcp::Segment& s) {
  const std::uint64_t offset = stream_offset(s);
  const bool fin = s.flags & kFin;
  to.push_back(
      static_cast<std::uint8_t>(kStream | (offset ? kStreamOffset : 0) | (fin ? kStreamFin : 0)));
  put_varint(to, 0);
  if (offset) put_varint(to, offset);
}

}  // namespace

std::vector<std::uint8_t> image(const tcp::Segment& s) {
  if (!(s.flags & kFixed)) return {};
  if (s.flags & kInitial) return {kLongHeader | kFixed | kNumberOf4Bytes};
  std::vector<std::uint8_t> bytes{
      static_cast<std::uint8_t>((s.flags & (kFixed | kSpin)) | kNumberOf4Bytes)};
  bytes.resize(1 + kConnectionIdBytes);
  put_number(bytes, s.seq, 4);
  if (s.flags & kAck)
    put_ack(bytes, s);
  else if (stream_bytes(s) || (s.flags & kFin))
    put_stream(bytes, s);
  else
    bytes.push_back(kPing);
  return bytes;
}

}  // namespace penstock::quic
