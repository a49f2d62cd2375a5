// SPDX-License-Identifier: GPL-2.0-only
// What the kernel and the device can do, what is missing, and what still works.
#pragma once

#include <string>
#include <vector>

#include "gateway/tool/device.h"

namespace penstock::gw {

struct Finding {
  enum Level { kGood, kNote, kProblem } level;
  std::string what;
  std::string advice;  // empty where there is nothing to do
};

std::vector<Finding> examine(const Device& device);

}  // namespace penstock::gw
