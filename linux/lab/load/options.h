// SPDX-License-Identifier: GPL-2.0-only
// The command lines of penstock-load.
#pragma once

#include "linux/common/command_line.h"
#include "linux/lab/load/plan.h"
#include "linux/lab/load/watch.h"

namespace penstock::load {

// Flows that are alike, as the options of `send` and `receive` describe them.
struct Alike {
  Flow first{};
  std::uint64_t count = 1;
  std::uint64_t stagger_ns = 0;
};

struct Options {
  std::string target{};  // address, plan or device
  Alike alike{};
  Plan plan{};
  Watch watch{};
  bool as_json = false;
  enum class Verb { kSend, kReceive, kRun, kWatch } verb{};
};

void add_options(CLI::App& app, Options& options);

// The flows that the options describe, or those of the plan's file. Throws Error(kUsage).
Plan plan_of(const Options& options);

}  // namespace penstock::load
