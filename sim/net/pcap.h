// SPDX-License-Identifier: GPL-2.0-only
// Writes pcap files for Wireshark and tshark: IPv4 with TCP or UDP, valid options and checksums,
// a payload of zeros.
//
// File format: draft-ietf-opsawg-pcap; nanosecond magic 0xa1b23c4d, LINKTYPE_RAW.
// Little-endian on every machine, so that the same run gives the same bytes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "sim/tcp/segment.h"

namespace penstock::net {

struct Endpoints {  // host byte order
  std::uint32_t src_ip;
  std::uint32_t dst_ip;
  std::uint16_t src_port;
  std::uint16_t dst_port;
};

class PcapWriter {
 public:
  // Throws std::invalid_argument, with path and reason, if it cannot be written.
  explicit PcapWriter(const std::string& path);

  // Writes one complete packet. Both throw std::runtime_error, with path and reason, if writing
  // fails, and std::length_error beyond IPv4's 65,535 bytes.
  void write(std::uint64_t time_ns, const tcp::Segment& segment, const Endpoints& ends,
             std::uint16_t ip_id);
  // The payload of a datagram is zeros after its beginning.
  void write_udp(std::uint64_t time_ns, std::uint32_t payload_bytes,
                 std::span<const std::uint8_t> begin, std::uint8_t ecn, const Endpoints& ends,
                 std::uint16_t ip_id);

  // Ends the file; throws as write() does. Without it, the destructor closes the
  // file and a full disk goes unnoticed.
  void close();

 private:
  struct Closer {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };

  void put(std::span<const std::uint8_t> bytes);
  void put_packet(std::uint64_t time_ns, std::span<const std::uint8_t> headers,
                  std::uint32_t payload_bytes);
  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
};

}  // namespace penstock::net
