// SPDX-License-Identifier: GPL-2.0-only
// What a reading says of the queue of a direction: where it is, and what would hold it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "linux/gateway/tool/where/meter.h"

namespace penstock::gw {

// Methods aim at 5 ms: what is live leaves up to twice that.
inline constexpr double kHeldS = 0.010;

enum class Queue {
  kUnknown,    // there was nothing to go by
  kNone,       // no queue stands
  kHere,       // in the device itself
  kBefore,     // before it, where data comes from
  kBehind,     // behind it
  kOfOneFlow,  // before it, as one flow alone says: it may be its server's
};

// What is known beside the reading.
struct Beside {
  std::string device;
  std::string root_kind{};            // of the device's root qdisc
  double here_s = 0;                  // how long what leaves waits in it
  std::array<bool, kWays> live{};     // what is attached to what comes in, to what leaves
};

struct Whereabouts {
  Queue queue = Queue::kUnknown;
  std::string held_by{};  // the attachment that would hold it; empty: none would
  std::string text{};     // one sentence or two, for people
};

Whereabouts whereabouts(const Passed& passed, Way way, const Beside& beside);

// Whether the wait is that of a queue: of more than a law leaves, where one is `live`.
bool stands(const Wait& wait, bool live);

const char* queue_name(Queue queue);
const char* way_name(Way way);
const char* half_key(Half half);
// "before wan0, at the provider's side", ...
std::string place_text(Way way, Half half, const std::string& device);

nlohmann::ordered_json passed_json(const Passed& passed);
nlohmann::ordered_json wait_json(const Wait& wait);
std::string wait_text(const Wait& wait);

}  // namespace penstock::gw
