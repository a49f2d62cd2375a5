// SPDX-License-Identifier: GPL-2.0-only
// What an `auto` that runs did today and why: a file in /run, for `auto status`.
#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "linux/common/descriptor.h"
#include "linux/gateway/tool/auto/machine.h"

namespace penstock::gw {

class Day {
 public:
  // Throws Error if another one runs on the interface.
  explicit Day(const std::string& interface);
  ~Day();
  Day(const Day&) = delete;
  Day& operator=(const Day&) = delete;

  // That it makes, and removes at its end.
  std::vector<std::string> files() const { return {path_, path_ + ".lock"}; }
  void add(const AutoDecision& decision);
  // As of now; with what was seen in the last second.
  void write(const AutoMachine& machine, const Reading& seen) const;

 private:
  std::string interface_, path_;
  Descriptor lock_;
  std::uint64_t since_ns_;
  std::deque<AutoDecision> decisions_;
};

nlohmann::ordered_json decision_json(const AutoDecision& decision);
// "07:31:02 down  observing -> trying: why"
std::string decision_text(const AutoDecision& decision);

// What an `auto` on the interface has written; null if none runs.
nlohmann::ordered_json day_json(const std::string& interface);
// Of each interface of this network namespace on which one runs.
std::vector<std::string> auto_interfaces();
std::string day_text(const nlohmann::ordered_json& day);

}  // namespace penstock::gw
