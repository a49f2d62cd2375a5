// SPDX-License-Identifier: GPL-2.0-only
// Options of `penstock-gw shape`.
#pragma once

#include <string>
#include <vector>

#include "linux/gateway/tool/shape.h"

namespace penstock::gw {

struct ShapeOptions {
  ShapeText text;
  std::vector<std::string> names;  // to remove
  std::string file;
  std::string direction = "down";
  bool replace = false;
};

}  // namespace penstock::gw
