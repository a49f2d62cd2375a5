// SPDX-License-Identifier: GPL-2.0-only
// Capabilities of kernel and device, missing features, and what works without them.
#pragma once

#include <string>
#include <vector>

#include "linux/gateway/tool/attach/device.h"

namespace penstock::gw {

struct Finding {
  enum Level { kGood, kNote, kProblem } level;
  std::string what;
  std::string advice;  // empty where there is nothing to do
};

std::vector<Finding> examine(const Device& device);

}  // namespace penstock::gw
