// SPDX-License-Identifier: GPL-2.0-only
// Files of shapes, with a line of column names at their head: our own, or LibreQoS's
// ShapedDevices.csv, whose devices of one circuit are one shape.
#pragma once

#include <string>
#include <vector>

#include "linux/gateway/tool/shapes/shape.h"

namespace penstock::gw {

// Which of LibreQoS's two rates counts.
enum class Direction { kDown, kUp };

// Throws Error(kConfig) with "file:line: ".
std::vector<ShapeText> read_shapes(const std::string& path, Direction direction);

}  // namespace penstock::gw
