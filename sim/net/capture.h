// SPDX-License-Identifier: GPL-2.0-only
// Packets that leave on a link, as a pcap file. A node has the address 10.0.0.0 plus its number
// and one; a flow's sender port is 10000 and its number, modulo 2^15.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/net/packet.h"
#include "sim/net/pcap.h"
#include "sim/net/specs.h"

namespace penstock::net {

class Capture {
 public:
  // `ends` by flow.
  Capture(const std::string& path, const std::vector<Ends>& ends) : writer_(path), ends_(&ends) {}
  void write(std::uint64_t time_ns, const Record& r);
  void close() { writer_.close(); }

 private:
  Endpoints endpoints(const Record& r) const;

  PcapWriter writer_;
  const std::vector<Ends>* ends_;
  std::uint16_t ip_id_ = 0;
};

}  // namespace penstock::net
