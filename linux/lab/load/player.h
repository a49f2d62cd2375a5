// SPDX-License-Identifier: GPL-2.0-only
// Runs a plan and prints the results of its flows.
#pragma once

#include "linux/lab/load/plan.h"

namespace penstock::load {

// Prints "ready" when all receivers listen; at the end (all flows done, the plan's limit,
// SIGINT or SIGTERM) the report as one line of JSON, or as text. Returns the exit code: 1 if
// a flow failed or arrived changed.
int play(const Plan& plan, bool as_json);

}  // namespace penstock::load
