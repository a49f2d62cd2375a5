// SPDX-License-Identifier: GPL-2.0-only
// The rate that the discipline divides among the flows of the device's own queue.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "linux/gateway/tool/snapshot.h"

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

}  // namespace penstock::gw
