// SPDX-License-Identifier: GPL-2.0-only
// Configuration of the two ends of a connection; shared read-only by many flows.
#pragma once

#include <cstdint>
#include <limits>

#include "core/sender/control.h"
#include "core/sender/hystart.h"
#include "core/sender/prr.h"
#include "core/sharing/registry.h"
#include "core/tables/counters.h"
#include "core/tables/tcp_options.h"
#include "sim/tcp/segment.h"
#include "sim/tcp/seq.h"

namespace penstock::tcp {

inline constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

#define PENSTOCK_OPTION(type, name, initial) PST_TYPE_##type name = initial;
#define PENSTOCK_SENDER_OPTION(ends, type, name, initial, ...) \
  PST_SENDER_HAS_##ends(PENSTOCK_OPTION(type, name, initial))
#define PENSTOCK_RECEIVER_OPTION(ends, type, name, initial, ...) \
  PST_RECEIVER_HAS_##ends(PENSTOCK_OPTION(type, name, initial))

// Each option as core/tables/tcp_options.h explains it, and what is of core/'s registries.
struct SenderConfig {
  std::uint32_t method = PST_SENDER_NEWRENO;  // enum pst_sender_method
  union pst_sender_params params{};
  PST_TCP_OPTIONS(PENSTOCK_SENDER_OPTION)
  bool ect1 = false;  // data is ECT(1), as the method has it: RFC 9331
  std::uint32_t sharing = PST_SHARING_COUNT;  // enum pst_sharing; with whom: Sender::share()
  union pst_sharing_params sharing_params{};
};

struct ReceiverConfig {
  PST_TCP_OPTIONS(PENSTOCK_RECEIVER_OPTION)
  PST_FREEZE_OPTIONS(PENSTOCK_RECEIVER_OPTION)
};

template <class Config>
TimestampClock clock_of(const Config& config) {
  return {config.timestamp_tick_ns, config.clock_skew_ppm};
}

#undef PENSTOCK_OPTION
#undef PENSTOCK_SENDER_OPTION
#undef PENSTOCK_RECEIVER_OPTION

// The network below an endpoint. transmit() copies the segment, so the caller may reuse it at
// once.
class Output {
 public:
  virtual void transmit(const Segment& segment) = 0;

 protected:
  ~Output() = default;
};

#define PENSTOCK_FIELD(name, ...) std::uint64_t name = 0;
struct SenderCounters {
  PST_SENDER_COUNTERS(PENSTOCK_FIELD)
};

struct ReceiverCounters {
  PST_RECEIVER_COUNTERS(PENSTOCK_FIELD)
};
#undef PENSTOCK_FIELD

}  // namespace penstock::tcp
