// SPDX-License-Identifier: GPL-2.0-only
// Flows by what they send between two looks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "linux/gateway/tool/attach/device.h"
#include "linux/gateway/tool/attach/pins.h"

namespace penstock::gw {

struct Sender {
  gw_key key;
  gw_flow flow;
  std::uint64_t new_bytes;  // since the look before
};

class Senders {
 public:
  // All flows that are known, those first that have sent most.
  std::vector<Sender> look(const Device& device);

 private:
  std::map<std::string, std::uint64_t> sent_bytes_;  // at the look before, by key
};

}  // namespace penstock::gw
