// SPDX-License-Identifier: GPL-2.0-only
#include "sim/quic/packet.h"

#include <algorithm>
#include <cstring>

#include "core/base.h"
#include "sim/tcp/seq.h"

namespace penstock::quic {
namespace {

constexpr std::size_t kRoomBytes = sizeof(tcp::Segment::sack);  // of the ranges after the first

// Variable-length integers of section 16, in the room that a segment has for options.
class Room {
 public:
  bool put(std::uint64_t value) {
    const std::uint32_t bytes = varint_bytes(value);
    if (used_ + bytes > kRoomBytes) return false;
    PST_REQUIRE(value >> 62 == 0);  // RFC 9000 section 16
    const std::uint64_t prefix = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    value |= prefix << (8 * bytes - 2);
    for (std::uint32_t i = bytes; i-- > 0;)
      at_[used_++] = static_cast<std::uint8_t>(value >> 8 * i);
    return true;
  }
  std::uint64_t get() {
    PST_REQUIRE(used_ < kRoomBytes);
    const unsigned bytes = 1U << (at_[used_] >> 6);
    PST_REQUIRE(used_ + bytes <= kRoomBytes);
    std::uint64_t value = at_[used_++] & 0x3f;
    for (unsigned i = 1; i < bytes; ++i) value = value << 8 | at_[used_++];
    return value;
  }
  std::size_t used() const { return used_; }
  void back_to(std::size_t used) { used_ = used; }

  void write(tcp::Segment& s) const { std::memcpy(s.sack, at_.data(), kRoomBytes); }
  void read(const tcp::Segment& s) { std::memcpy(at_.data(), s.sack, kRoomBytes); }

 private:
  std::array<std::uint8_t, kRoomBytes> at_{};
  std::size_t used_ = 0;
};

tcp::Segment packet(std::uint64_t number, std::uint8_t flags, std::uint64_t bytes) {
  tcp::Segment s{};
  s.options = tcp::kDatagram;
  s.seq = static_cast<std::uint32_t>(number);
  s.flags = flags | kFixed;
  s.payload_bytes = static_cast<std::uint16_t>(bytes);
  return s;
}

}  // namespace

tcp::Segment data_packet(std::uint64_t number, tcp::Interval stream, bool fin) {
  PST_REQUIRE(stream.start <= stream.end);
  const std::uint64_t bytes = stream.end - stream.start;
  const std::uint32_t frame = bytes || fin ? stream_frame_bytes(stream.start) : kPingBytes;
  tcp::Segment s = packet(number, fin ? kFin : 0, kProtectionBytes + frame + bytes);
  s.ts_val = static_cast<std::uint32_t>(stream.start);
  s.ts_ecr = static_cast<std::uint32_t>(stream.start >> 32);
  s.window = static_cast<std::uint16_t>(bytes);
  return s;
}

std::uint32_t stream_bytes(const tcp::Segment& s) { return s.window; }

tcp::Segment initial_packet(std::uint64_t number) {
  return packet(number, kInitial, kInitialBytes);
}

tcp::Segment initial_answer(std::uint64_t number, std::uint64_t answered,
                            std::uint64_t max_ack_delay_ns) {
  tcp::Segment s = packet(number, kInitial | kAck, kInitialBytes);
  s.ack = static_cast<std::uint32_t>(answered);
  s.ts_val = static_cast<std::uint32_t>(max_ack_delay_ns / 1000);
  return s;
}

AckFrame ack_of_initial(const tcp::Segment& answer) {
  AckFrame frame{};
  frame.largest = answer.ack;
  frame.ranges[frame.count++] = {answer.ack, std::uint64_t{answer.ack} + 1};
  return frame;
}

// Sections 19.3.1 and 19.3.2; the counts, last on the wire, come first in the room here.
tcp::Segment ack_packet(std::uint64_t number, const tcp::IntervalSet& received,
                        std::uint64_t delay_ns, const EcnCounts* counts) {
  PST_REQUIRE(!received.empty());
  const tcp::Interval first = received.back();
  const std::uint64_t first_length = first.end - 1 - first.start;
  Room room;
  if (counts)
    for (const std::uint64_t n : {counts->ect0, counts->ect1, counts->ce}) room.put(n);
  std::uint64_t count = 0;
  for (std::size_t i = received.size() - 1; i-- > 0 && count + 1 < kMostRanges; ++count) {
    const std::size_t before = room.used();
    const std::uint64_t gap = received[i + 1].start - received[i].end - 1;
    if (room.put(gap) && room.put(received[i].end - 1 - received[i].start)) continue;
    room.back_to(before);
    break;
  }
  const std::uint64_t delay_us = delay_ns / 1000;
  const std::uint64_t frame = 1 + varint_bytes(first.end - 1) +
                              varint_bytes(delay_us >> kAckDelayExponent) + varint_bytes(count) +
                              varint_bytes(first_length) + room.used();
  tcp::Segment s = packet(number, counts ? kAck | kCounts : kAck, kProtectionBytes + frame);
  s.ack = static_cast<std::uint32_t>(first.end - 1);
  s.ts_val = static_cast<std::uint32_t>(delay_us >> kAckDelayExponent << kAckDelayExponent);
  s.ts_ecr = static_cast<std::uint32_t>(std::min<std::uint64_t>(first_length, UINT32_MAX));
  s.window = static_cast<std::uint16_t>(count);
  room.write(s);
  return s;
}

AckFrame ack_frame(const tcp::Segment& s, std::uint64_t near) {
  AckFrame frame{};
  frame.largest = tcp::unwrap(s.ack, 0, near);
  frame.delay_ns = std::uint64_t{s.ts_val} * 1000;
  std::uint64_t smallest = frame.largest - s.ts_ecr;
  frame.ranges[frame.count++] = {smallest, frame.largest + 1};
  Room room;
  room.read(s);
  if (s.flags & kCounts) {
    frame.has_counts = true;
    for (std::uint64_t* n : {&frame.counts.ect0, &frame.counts.ect1, &frame.counts.ce})
      *n = room.get();
  }
  for (unsigned i = 0; i < s.window; ++i) {
    const std::uint64_t largest = smallest - room.get() - 2;
    smallest = largest - room.get();
    PST_ENSURE(smallest <= largest && largest < frame.ranges[frame.count - 1].start);
    frame.ranges[frame.count++] = {smallest, largest + 1};
  }
  return frame;
}

}  // namespace penstock::quic
