// SPDX-License-Identifier: GPL-2.0-only
// Reports of a run's flows, for people and as JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "linux/lab/load/task.h"

namespace penstock::load {

struct Sample {
  std::uint64_t time_ns = 0;  // after the epoch
  std::uint64_t flow = 0;
  TcpState state{};
};

struct Outcome {
  std::uint64_t epoch_ns = 0;
  std::uint64_t end_ns = 0;  // after the epoch
  const std::vector<std::unique_ptr<Task>>& tasks;
  const std::vector<Sample>& samples;
};

bool has_failed(const Outcome& outcome);
// Without the newline at the end; docs/live-programs.md describes the fields.
std::string report_json(const Outcome& outcome);
std::string report_text(const Outcome& outcome);

}  // namespace penstock::load
