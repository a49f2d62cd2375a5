// SPDX-License-Identifier: GPL-2.0-only
// The headers of what passes a device, from a packet socket (packet(7)): the kernel takes it away
// with the process, however that ends, and no attachment notices it.
#pragma once

#include <cstdint>
#include <functional>

#include "linux/common/descriptor.h"
#include "linux/gateway/tool/attach/device.h"
#include "linux/gateway/tool/where/meter.h"

namespace penstock::gw {

class Capture {
 public:
  // Throws Error, with kPermission where CAP_NET_RAW is missing.
  explicit Capture(const Device& device);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // Hands over all packets until `end_ns` of CLOCK_MONOTONIC, or a signal. Throws Error if the
  // device goes down or away.
  void until(std::uint64_t end_ns, const std::function<void(const Packet&)>& see);
  // Since the last call: packets that passed while this program had no time.
  std::uint64_t take_missed();

 private:
  void read_block(std::uint8_t* block, const std::function<void(const Packet&)>& see) const;

  Device device_;
  Descriptor socket_;
  std::uint8_t* ring_ = nullptr;
  unsigned next_ = 0;
};

// Now, on the clock of Packet::time_ns.
std::uint64_t capture_clock_ns();

}  // namespace penstock::gw
