// SPDX-License-Identifier: GPL-2.0-only
// Judges a world by the same world without the gateway, and cuts one that fails to what it needs.
#pragma once

#include <functional>
#include <string>

#include "tests/world/script.h"

namespace penstock::world {

struct Verdict {
  std::string broken;  // what does not hold; empty
  u64 simulated_ns = 0;  // of the world with the gateway
  u64 packets = 0;       // that reached it
  u64 judged = 0;        // connections that end without it
};

Verdict judge(const Script& script);

// The script without the connections, events and values that its failure does not need.
Script shrunk(const Script& script, const std::function<bool(const Script&)>& fails);
Script shrunk(const Script& script);

}  // namespace penstock::world
