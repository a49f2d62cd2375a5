// SPDX-License-Identifier: GPL-2.0-only
// `penstock-gw run`: a program whose downloads or uploads windows hold to a rate.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace penstock::gw {

struct RunOptions {
  std::string device;                   // towards the line; empty: that of the default route
  std::optional<std::string> down, up;  // rates, such as "20mbit"; down also "idle"
  std::vector<std::string> command;
};

// Runs the command in a control group of its own, and returns its exit code. What it leaves
// running is held until it ends. Throws Error.
int run_held(const RunOptions& options);

}  // namespace penstock::gw
