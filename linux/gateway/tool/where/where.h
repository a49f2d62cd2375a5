// SPDX-License-Identifier: GPL-2.0-only
// penstock-gw where DEVICE: in which half of the path data waits, by watching alone.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "linux/gateway/tool/attach/device.h"
#include "linux/gateway/tool/where/capture.h"
#include "linux/gateway/tool/where/finding.h"

namespace penstock::gw {

struct WhereOptions {
  std::uint64_t total_ns;
  bool json;
};

// Watches the device, and looks at its queue and at what is attached to it meanwhile.
class Watch {
 public:
  explicit Watch(const Device& device);
  // For so long, or until a signal.
  Reading read(std::uint64_t ns);
  // Hands each packet over as well, from now on.
  void also(std::function<void(const Packet&)> see) { also_ = std::move(see); }
  // Of the last read().
  const Beside& beside() const { return beside_; }
  std::uint64_t missed() const { return missed_; }
  std::uint64_t packets() const { return packets_; }

 private:
  void look_beside(double up_bps);

  Device device_;
  Capture capture_;
  Meter meter_;
  Beside beside_;
  std::uint64_t missed_ = 0, packets_ = 0;
  std::uint64_t looks_ = 0, backlog_bytes_ = 0;
  std::function<void(const Packet&)> also_;
};

int run_where(const Device& device, const WhereOptions& options);

}  // namespace penstock::gw
