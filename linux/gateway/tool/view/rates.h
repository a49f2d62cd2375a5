// SPDX-License-Identifier: GPL-2.0-only
// Rates that status shows: what the discipline divides, what SCONE advises, and that of a
// bottleneck further down.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

struct DividedRate {
  std::uint64_t bytes_per_s = 0;
  bool measured = false;  // from what leaves the queue; else as told, or assumed
};

// Nothing if the discipline divides no rate, or none is known.
std::optional<DividedRate> divided_rate(const Snapshot& s);

// Adds the rate to the answer of status or explain, if there is one.
void put_divided(const Snapshot& s, nlohmann::ordered_json& j);

// "19.8 Mbit/s, measured from what leaves the queue"; empty if there is none.
std::string divided_text(const Snapshot& s);

// The signal in force; PST_SCONE_UNKNOWN before a whole period has been seen.
std::uint32_t scone_signal(const Snapshot& s);

// The rate that a signal stands for, in bit/s; 0 of PST_SCONE_UNKNOWN.
double scone_rate_bps(std::uint32_t signal);

// "5.01 Mbit/s (signal 34), in 12 of 40 SCONE packets".
std::string scone_text(const Snapshot& s);

// True if the rate elsewhere is to be measured and is not known.
bool lacks_rate(const Snapshot& s);

// The wait of a new packet at the queue; nothing where its rate is not known.
std::optional<double> queue_wait_s(const Snapshot& s);

// "known" and why not, rate and queue.
nlohmann::ordered_json passive_json(const Snapshot& s);

// The same in words.
std::string passive_rate_text(const Snapshot& s);
std::string passive_queue_text(const Snapshot& s);

}  // namespace penstock::gw
