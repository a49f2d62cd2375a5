// SPDX-License-Identifier: GPL-2.0-only
// `penstock-gw shape`.
#pragma once

#include "linux/common/command_line.h"

namespace penstock::gw {

struct Options;

void add_shapes(CLI::App& app, Options& options);

}  // namespace penstock::gw
