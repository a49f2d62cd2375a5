// SPDX-License-Identifier: GPL-2.0-only
// The command lines of the live page and of other views of an attachment over time.
#pragma once

#include "linux/common/command_line.h"

namespace penstock::gw {

struct Options;

void add_views(CLI::App& app, Options& o);

}  // namespace penstock::gw
