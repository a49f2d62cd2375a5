// SPDX-License-Identifier: GPL-2.0-only
// The command lines of penstock-load.
#pragma once

#include "gateway/load/plan.h"
#include "gateway/load/watch.h"

namespace penstock::load {

struct Command {
  enum class Kind { kHelp, kPlay, kWatch };
  Kind kind = Kind::kHelp;
  Plan plan{};
  Watch watch{};
  bool as_json = false;
};

Command parse_command(int count, const char* const* arguments);  // throws UsageError
void print_help();

}  // namespace penstock::load
