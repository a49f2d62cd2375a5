// SPDX-License-Identifier: GPL-2.0-only
// Application traffic: one source per user. A source is independent of connections and the
// network; it returns the start and size of the next transfer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/tables/traffic_keys.h"
#include "sim/traffic/distribution.h"

namespace penstock::traffic {

struct Transfer {
  std::uint64_t at_ns;
  std::uint64_t size_bytes;
};

#define PENSTOCK_KEY(type, name, ...) PST_TYPE_##type name;

// Sessions of pages, each page as large as `objects` of `object_bytes` (nis-2004 eq. 10.4). A
// page is read when it has arrived; a session begins after the last page of the previous one.
struct Web {
  PST_WEB_KEYS(PENSTOCK_KEY)
};

// The application writes `write_bytes` every `interval_ns` while it is on, regardless of earlier
// writes.
struct OnOff {
  PST_ON_OFF_KEYS(PENSTOCK_KEY)
};

#undef PENSTOCK_KEY

// Transfers at given times, relative to the user's start, in their order.
struct Trace {
  std::shared_ptr<const std::vector<Transfer>> transfers;
};

// Each key as core/tables/traffic_keys.h explains it; no `transfers`: no end. The other keys are
// for those who carry the transfers.
#define PENSTOCK_KEY(type, name, initial, ...) PST_TYPE_##type name = initial;
struct SourceSpec {
  std::variant<Web, OnOff, Trace> model;
  PST_USER_KEYS(PENSTOCK_KEY)
#undef PENSTOCK_KEY

  bool ends() const { return transfers || std::holds_alternative<Trace>(model); }
  // Whether a transfer begins only after the previous one has arrived.
  bool waits() const { return std::holds_alternative<Web>(model); }
};

class Source {
 public:
  // `spec` must outlive the source.
  Source(const SourceSpec& spec, std::uint64_t seed, std::uint64_t user, std::uint64_t start_ns)
      : spec_(&spec), seed_(seed), user_(user), at_ns_(start_ns), start_ns_(start_ns) {}

  bool waits() const { return spec_->waits(); }

  // The transfer after the one that ended at `done_ns`, initially the user's start. Empty if
  // there are no more.
  std::optional<Transfer> next(std::uint64_t done_ns);

 private:
  engine::Draws draws() const { return {seed_, engine::Purpose::kTraffic, user_, turn_}; }
  Transfer page(const Web& web, std::uint64_t done_ns);
  Transfer write(const OnOff& on_off);

  const SourceSpec* spec_;
  std::uint64_t seed_;
  std::uint64_t user_;
  std::uint64_t turn_ = 0;       // transfers so far
  std::uint64_t pages_left_ = 0;  // of this session
  std::uint64_t at_ns_;          // the next write
  std::uint64_t off_at_ns_ = 0;
  std::uint64_t start_ns_;
};

}  // namespace penstock::traffic
