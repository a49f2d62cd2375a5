// SPDX-License-Identifier: GPL-2.0-only
// Drops that control avoids, measured by comparing live periods with adjacent observing
// periods.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

class Avoided {
 public:
  void look(State state, std::uint64_t drops, std::uint64_t time_ns);
  // "known" and, if so, drops per second avoided with the pairs they come from; else "reason".
  nlohmann::ordered_json json() const;

 private:
  struct Period {
    State state = State::kOff;
    std::uint64_t begin_ns = 0;  // measured from here on
    std::uint64_t end_ns = 0;
    std::uint64_t drops_before = 0;
    std::uint64_t drops = 0;
    bool counts() const;
    double drops_per_s() const;
  };
  std::vector<std::pair<double, double>> pairs() const;  // observing, live

  std::vector<Period> done_;  // that count, the oldest first
  Period now_;
};

}  // namespace penstock::gw
