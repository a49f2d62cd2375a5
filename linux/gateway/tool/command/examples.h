// SPDX-License-Identifier: GPL-2.0-only
// Examples at the end of each --help.
#pragma once

#include "linux/common/command_line.h"

namespace penstock::gw {

// To be called once all commands are there. Throws CLI::OptionNotFound for a command that is not.
void add_examples(CLI::App& app);

}  // namespace penstock::gw
