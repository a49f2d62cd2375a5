// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/pcap.h"

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "core/packet/protocol.h"
#include "core/sender/feedback.h"
#include "sim/tcp/extension.h"

namespace penstock::net {
namespace {

constexpr std::uint32_t kMagicNs = 0xa1b23c4d;
constexpr std::uint32_t kLinkTypeRaw = 101;
constexpr std::uint32_t kSnapBytes = 65535;
constexpr std::uint32_t kMaxIpBytes = 65535;
constexpr std::uint64_t kNsPerS = 1'000'000'000;
constexpr std::uint8_t kTimeToLive = 64;
constexpr std::uint32_t kQuickStartBytes = 8;  // of either option

constexpr std::array<std::uint8_t, kMaxIpBytes> kZeros{};

// Bytes in the order of the wire; or of the file, which is little-endian.
class Bytes {
 public:
  void u8(std::uint32_t v) { bytes_[size_++] = static_cast<std::uint8_t>(v); }
  void u16(std::uint32_t v) {
    u8(v >> 8);
    u8(v);
  }
  void u32(std::uint32_t v) {
    u16(v >> 16);
    u16(v);
  }
  void le16(std::uint32_t v) {
    u8(v);
    u8(v >> 8);
  }
  void le32(std::uint32_t v) {
    le16(v);
    le16(v >> 16);
  }
  void set_u16(std::size_t at, std::uint32_t v) {
    bytes_[at] = static_cast<std::uint8_t>(v >> 8);
    bytes_[at + 1] = static_cast<std::uint8_t>(v);
  }
  std::span<const std::uint8_t> view(std::size_t from = 0) const {
    return std::span(bytes_).subspan(from, size_ - from);
  }

 private:
  // IPv4 20 with an option of 8, TCP at most 60; or IPv4, UDP 8, QUIC's header 13 and ACK at
  // most 55.
  std::array<std::uint8_t, 96> bytes_{};
  std::size_t size_ = 0;
};

// RFC 1071, on a sum that starts at `sum`.
std::uint32_t checksum(std::span<const std::uint8_t> bytes, std::uint32_t sum) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    sum += static_cast<std::uint32_t>(bytes[i]) << (i % 2 ? 0 : 8);
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

// The pseudo header of RFC 9293 section 3.1. A payload of zeros adds nothing.
std::uint32_t pseudo_header_sum(const Endpoints& e, std::uint32_t protocol, std::uint32_t bytes) {
  return (e.src_ip >> 16) + (e.src_ip & 0xffff) + (e.dst_ip >> 16) + (e.dst_ip & 0xffff) +
         protocol + bytes;
}

// Its header has options of its own, those of Quick-Start.
bool has_own_options(const tcp::Segment& s) {
  return (s.options & tcp::kExtension) && !pst_feedback_option(s.extension.kind);
}

bool has_request(const tcp::Segment& s) { return has_own_options(s) && !(s.flags & tcp::kAck); }

// RFC 4782 sections 3.1 and 4: the rate's step; the request's TTL, which differs from the IP
// header's by the routers that took no part, or that difference; 30 bits of nonce.
void put_quick_start(Bytes& b, const tcp::Segment& s) {
  constexpr std::uint32_t kIpOption = 25;
  constexpr std::uint32_t kTcpOption = 27;
  const bool request = has_request(s);
  b.u8(request ? kIpOption : kTcpOption);
  b.u8(kQuickStartBytes);
  b.u8(s.extension.label);
  b.u8(request ? kTimeToLive + s.extension.silent_hops : 0);
  b.u32(static_cast<std::uint32_t>(s.extension.delta_bytes) << 2);
}

// `request`: the segment whose request for Quick-Start is to be an option; null for none.
void put_ip(Bytes& b, const Endpoints& e, std::uint32_t payload_bytes, std::uint8_t protocol,
            std::uint8_t ecn, std::uint16_t id, const tcp::Segment* request = nullptr) {
  const std::uint32_t header = tcp::kIpHeaderBytes + (request ? kQuickStartBytes : 0U);
  const std::uint32_t total = header + payload_bytes;
  if (total > kMaxIpBytes) {
    throw std::length_error("a packet of " + std::to_string(total) +
                            " bytes does not fit IPv4's 65535");
  }
  b.u8(0x40 | header / 4);  // version 4, length in words
  b.u8(ecn);
  b.u16(total);
  b.u16(id);
  b.u16(0x4000);  // do not fragment
  b.u8(kTimeToLive);
  b.u8(protocol);
  b.u16(0);
  b.u32(e.src_ip);
  b.u32(e.dst_ip);
  if (request) put_quick_start(b, *request);
  b.set_u16(10, checksum(b.view(), 0));
}

void put_syn_options(Bytes& b, const tcp::Segment& s) {
  if (s.options & tcp::kMss) {
    b.u16(PST_OPTION_MSS << 8 | 4);
    b.u16(s.syn.mss_bytes);
  }
  if (s.options & tcp::kSackPermitted) {
    if (!(s.options & tcp::kTimestamps)) b.u16(0x0101);  // two no-operations
    b.u16(0x0402);
  }
}

// An option for experiments, RFC 6994: window, round trip and answer, or only the answer.
void put_extension(Bytes& b, const tcp::Segment& s) {
  constexpr std::uint32_t kExperiment = 253;
  const std::uint32_t bytes = tcp::extension_bytes(s);
  b.u16(kExperiment << 8 | bytes);
  b.u16(pst_feedback_option(s.extension.kind));
  const pst_feedback header = tcp::feedback_of(s);
  if (bytes > 8) {
    b.u32(header.cwnd_bytes);
    b.u32(header.rtt_us);
  }
  b.u32(pst_feedback_answer(s.extension.kind, &header));
}

// RFC 9768 section 3.2.3, padded at its end.
void put_accecn_option(Bytes& b, tcp::Segment s) {
  const std::uint32_t bytes = 2 + 3 * s.accecn.counters;
  const auto put = [&b](std::uint32_t counter) {
    b.u8(counter >> 16 & 0xff);
    b.u16(counter & 0xffff);
  };
  b.u16(tcp::kAccEcnKinds[s.accecn.order1] << 8 | bytes);
  put(s.accecn.first);
  put(s.accecn.second);
  if (s.accecn.counters == tcp::kAccEcnCounters) put(tcp::third_counter(s));
  for (std::uint32_t n = bytes; n < tcp::accecn_bytes(s.accecn.counters); ++n) b.u8(1);
}

void put_options(Bytes& b, const tcp::Segment& s) {
  const bool syn = s.flags & tcp::kSyn;
  if (syn) put_syn_options(b, s);
  if (s.options & tcp::kTimestamps) {
    if (!syn || !(s.options & tcp::kSackPermitted)) b.u16(0x0101);
    b.u16(0x080a);
    b.u32(s.ts_val);
    b.u32(s.ts_ecr);
  }
  if (syn && (s.options & tcp::kWindowScale)) b.u32(0x01030300U | s.syn.scale);
  if (has_own_options(s) && !has_request(s)) put_quick_start(b, s);
  if ((s.options & tcp::kExtension) && !has_own_options(s)) put_extension(b, s);
  if (has_accecn(s)) put_accecn_option(b, s);
  const std::uint32_t blocks = syn ? 0U : s.options & tcp::kSackCountMask;
  if (blocks == 0) return;
  b.u32(0x01010500U | (2 + 8 * blocks));
  for (std::uint32_t i = 0; i < blocks; ++i) {
    b.u32(s.sack[i].start);
    b.u32(s.sack[i].end);
  }
}

}  // namespace

PcapWriter::PcapWriter(const std::string& path)
    : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) {
    throw std::invalid_argument("cannot write " + path + ": " +
                                std::generic_category().message(errno));
  }
  Bytes b;
  b.le32(kMagicNs);
  b.le16(2);  // version 2.4
  b.le16(4);
  b.le32(0);
  b.le32(0);
  b.le32(kSnapBytes);
  b.le32(kLinkTypeRaw);
  put(b.view());
}

void PcapWriter::write(std::uint64_t time_ns, const tcp::Segment& s, const Endpoints& e,
                       std::uint16_t ip_id) {
  const bool request = has_request(s);
  std::uint32_t header_bytes = tcp::tcp_header_bytes(s);
  if (has_own_options(s)) {
    header_bytes += request ? 0 : kQuickStartBytes;
  } else if (s.options & tcp::kExtension) {
    header_bytes += tcp::extension_bytes(s);
  }
  const std::uint32_t tcp_bytes = header_bytes + s.payload_bytes;
  Bytes b;
  put_ip(b, e, tcp_bytes, PST_IP_TCP, s.ecn, ip_id, request ? &s : nullptr);
  const std::size_t tcp_at = b.view().size();
  b.u16(e.src_port);
  b.u16(e.dst_port);
  b.u32(s.seq);
  b.u32(s.flags & tcp::kAck ? s.ack : 0);
  b.u8(header_bytes / 4 << 4 | (s.flags & tcp::kAe ? 1U : 0U));
  b.u8(s.flags & ~std::uint32_t{tcp::kAe});
  b.u16(s.window);
  b.u32(0);  // checksum, urgent pointer
  put_options(b, s);
  b.set_u16(tcp_at + PST_TCP_CHECKSUM_AT,
            checksum(b.view(tcp_at), pseudo_header_sum(e, PST_IP_TCP, tcp_bytes)));
  put_packet(time_ns, b.view(), s.payload_bytes);
}

void PcapWriter::write_udp(std::uint64_t time_ns, std::uint32_t payload_bytes,
                           std::span<const std::uint8_t> begin, std::uint8_t ecn,
                           const Endpoints& e, std::uint16_t ip_id) {
  const std::uint32_t udp_bytes = 8 + payload_bytes;
  Bytes b;
  put_ip(b, e, udp_bytes, PST_IP_UDP, ecn, ip_id);
  b.u16(e.src_port);
  b.u16(e.dst_port);
  b.u16(udp_bytes);
  b.u16(0);
  for (const std::uint8_t byte : begin) b.u8(byte);
  const std::uint32_t sum =
      checksum(b.view(tcp::kIpHeaderBytes), pseudo_header_sum(e, PST_IP_UDP, udp_bytes));
  b.set_u16(tcp::kIpHeaderBytes + 6, sum ? sum : 0xffff);  // 0 means none, RFC 768
  put_packet(time_ns, b.view(), payload_bytes - static_cast<std::uint32_t>(begin.size()));
}

void PcapWriter::put_packet(std::uint64_t time_ns, std::span<const std::uint8_t> headers,
                            std::uint32_t payload_bytes) {
  const auto bytes = static_cast<std::uint32_t>(headers.size()) + payload_bytes;
  Bytes b;
  b.le32(static_cast<std::uint32_t>(time_ns / kNsPerS));
  b.le32(static_cast<std::uint32_t>(time_ns % kNsPerS));
  b.le32(bytes);
  b.le32(bytes);
  put(b.view());
  put(headers);
  put(std::span(kZeros).first(payload_bytes));
}

void PcapWriter::put(std::span<const std::uint8_t> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail();
}

void PcapWriter::close() {
  if (std::FILE* f = file_.release(); f && std::fclose(f) != 0) fail();
}

void PcapWriter::fail() const {
  throw std::runtime_error("cannot write " + path_ + ": " + std::generic_category().message(errno));
}

}  // namespace penstock::net
