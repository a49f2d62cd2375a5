// SPDX-License-Identifier: GPL-2.0-only
// What core/packet/ reads of a packet, for packets of every length and all bytes: the reads are
// claims by themselves (memory.h).
#include "integers.h"

#include "packet/checksum.h"
#include "packet/ends.h"
#include "packet/identity.h"
#include "packet/options.h"
#include "packet/parse.h"
#include "packet/scone.h"

#include "proof.h"

using namespace prove;

namespace {

constexpr unsigned MOST_LINK_BYTES = PST_ETHERNET_BYTES + 4 * PST_MAX_VLANS + 8;
constexpr unsigned MOST_EXTENSION_BYTES = PST_MAX_EXTENSIONS * 256 * 8;

// Any available bytes of any packet, and the parser at any point of it.
struct AnyPacket {
  u32 available = u32::any("available");
  u32 wire_bytes = u32::any("wire_bytes");
  Packet packet{available};
  pst_segment s = {};

  AnyPacket() { assume(available <= wire_bytes); }

  pst_cursor start() { return {packet.begin(), packet.end(), 0, wire_bytes, 0, 0, 0}; }
  pst_cursor behind_link() {
    pst_cursor c = start();
    c.at = u32::any("at");
    assume(c.at <= available && c.at <= MOST_LINK_BYTES);
    return c;
  }
  pst_cursor behind_ip() {
    pst_cursor c = start();
    c.at = u32::any("at");
    c.limit = u32::any("limit");
    c.protocol = u8::any("protocol");
    assume(is_behind_ip(c));
    return c;
  }
  Bool is_behind_ip(const pst_cursor& c) {
    return c.at <= MOST_LINK_BYTES + PST_IPV6_BYTES + MOST_EXTENSION_BYTES && c.limit <= wire_bytes;
  }
};

}  // namespace

// pst_parse() calls the link's part, then one of IP's, then TCP's: each is proved for every state
// in which the one before it can end.
PROOF(headers_of_links_are_read_inside_the_packet) {
  AnyPacket any;
  pst_cursor c = any.start();
  if (pst_parse_link(&c, Bool::any("ethernet"), &any.s) == PST_PARSED_TCP) {
    holds(c.at <= any.available && c.at <= MOST_LINK_BYTES,
          "the IP header begins inside the packet");
    holds(any.s.tags < 1U << 24, "two tags");
  }
}

PROOF(a_header_of_IPv4_is_read_inside_the_packet) {
  AnyPacket any;
  pst_cursor c = any.behind_link();
  if (pst_parse_ipv4(&c, &any.s) == PST_PARSED_TCP) {
    holds(any.is_behind_ip(c) && c.at <= c.limit,
          "it ends inside the IP packet, and that inside the frame");
  }
}

PROOF(headers_of_IPv6_are_read_inside_the_packet) {
  AnyPacket any;
  pst_cursor c = any.behind_link();
  if (pst_parse_ipv6(&c, &any.s) == PST_PARSED_TCP) {
    holds(any.is_behind_ip(c), "the IP packet ends inside the frame");
  }
}

PROOF(a_header_of_TCP_is_read_inside_the_packet) {
  AnyPacket any;
  pst_cursor c = any.behind_ip();
  pst_segment& s = any.s;
  if (pst_parse_tcp(&c, &s) != PST_PARSED_TCP) {
    return;
  }
  holds(s.header_bytes >= PST_TCP_BYTES && s.header_bytes <= PST_TCP_BYTES + PST_OPTION_BYTES,
        "a header of 20 to 60 bytes");
  holds(u64(s.tcp_offset) + PST_TCP_BYTES <= any.available,
        "the fields that are written are available");
  holds(u64(s.tcp_offset) + s.header_bytes + s.payload_bytes <= any.wire_bytes,
        "header and payload end inside the packet");
  holds(s.flags <= PST_TCP_FLAGS, "nine flags");
}

LONG_PROOF(a_packet_without_link_header_is_parsed_as_a_whole) {
  AnyPacket any;
  const pst_parsed result =
      pst_parse(any.packet.begin(), any.packet.end(), any.wire_bytes, false, &any.s);
  holds(result < PST_PARSED_COUNT, "a reason that has a name");
}

PROOF(who_sends_IPv4_is_read_inside_the_packet) {
  AnyPacket any;
  pst_cursor c = any.behind_link();
  pst_identity i = {};
  pst_identify_ipv4(&c, &i);
  holds(c.at <= MOST_LINK_BYTES + 60, "the header ends where its length says");
}

PROOF(who_sends_IPv6_is_read_inside_the_packet) {
  AnyPacket any;
  pst_cursor c = any.behind_link();
  pst_identity i = {};
  pst_identify_ipv6(&c, &i);
  holds(c.at <= MOST_LINK_BYTES + PST_IPV6_BYTES + MOST_EXTENSION_BYTES,
        "the headers end where their lengths say");
}

PROOF(who_sends_a_packet_without_link_header_is_read_inside_it) {
  AnyPacket any;
  pst_identity i = {};
  pst_identify(any.packet.begin(), any.packet.end(), false, &i);
  holds(implies(i.fragment, i.ends.source_port == 0), "no ports of a fragment");
}

PROOF(a_head_of_SCONE_is_read_inside_its_bytes) {
  Packet packet(PST_SCONE_HEAD_BYTES);
  pst_segment ends = {};
  const u32 room_bytes = u32::any("room_bytes");
  pst_scone_ports(packet.begin(), &ends);
  assume(pst_scone_begins(packet.begin(), room_bytes));
  const u32 source_id_bytes = u8::any("source_id_bytes");
  assume(pst_scone_is_whole(packet.begin(), source_id_bytes));
  holds(pst_scone_source_at(packet.begin()) + 1 + source_id_bytes < room_bytes,
        "the IDs end inside the datagram");
}

// pst_options_parse() takes a step at each byte until one ends the scan. By induction over the
// bytes: this holds before the first step, and after each that goes on, of the byte behind it.
static Bool scan_reaches(const u32& i, const pst_options& o) {
  return i <= o.next && o.next <= o.end && o.end <= PST_OPTION_BYTES &&
         (o.scale <= PST_MAX_SCALE || o.scale == PST_NO_SCALE);
}

PROOF(the_scan_of_options_begins_at_the_first) {
  const u32 length = u32::any("length");
  assume(length <= PST_OPTION_BYTES);
  pst_options o = {};
  pst_options_begin(length, &o);
  holds(scan_reaches(0, o) && o.end == length, "the scan is at byte 0");
}

PROOF(a_step_of_the_scan_stays_inside_the_options_and_ends) {
  const u32 i = u32::any("i");
  assume(i < PST_OPTION_BYTES);
  pst_options o = {};
  o.mss_bytes = u16::any("mss_bytes");
  o.scale = u8::any("scale");
  o.next = u8::any("next");
  o.end = u8::any("end");
  assume(scan_reaches(i, o));
  const u8 next = o.next;
  const u8 end = o.end;
  Packet room(u32(end) + 1);
  if (pst_options_step(room.begin(), i, &o)) {
    holds(scan_reaches(i + 1, o), "the scan goes on behind this byte");
  }
  holds(o.end == end && o.next >= next, "the end stays, and no option is read again");
  holds(o.scale <= PST_MAX_SCALE || o.scale == PST_NO_SCALE, "a scale that counts");
}

PROOF(a_SYN_says_a_segment_of_a_byte_at_least) {
  pst_options o = {};
  o.mss_bytes = u16::any("mss_bytes");
  o.timestamps = Bool::any("timestamps");
  holds(pst_options_payload(&o) > 0, "segments have a payload");
}

// The whole scan of few options.
PROOF(the_scan_of_options_ends_and_stays_inside_the_room) {
  const u32 length = u32::any("length");
  assume(length <= 4);
  Packet room(PST_OPTION_ROOM);
  pst_options o = {};
  pst_options_parse(room.begin(), length, &o);
  holds(o.scale <= PST_MAX_SCALE || o.scale == PST_NO_SCALE, "a scale that counts");
}
