// SPDX-License-Identifier: GPL-2.0-only
// The state of an attachment at one time.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linux/gateway/tool/attach/device.h"
#include "linux/gateway/tool/attach/pins.h"

namespace penstock::gw {

enum class State { kOff, kObserve, kLive, kDegraded };

struct Snapshot {
  Device device;
  State state = State::kOff;
  std::string reason;  // why it is degraded or off
  gw_attachment attachment{};
  gw_shared shared{};
  gw_counts counters{};
  std::vector<pst_spared> spared;  // of each rule; none without rules
  std::vector<std::pair<gw_held_key, gw_spared>> spared_flows;
  std::uint64_t taken_ns = 0;  // as bpf_ktime_get_ns()
  std::uint64_t flows_active = 0;
  std::uint64_t drops = 0;          // of the root qdisc since it is there
  std::uint64_t backlog_bytes = 0;  // of the queue in use
  std::string root_kind;
  std::string queue_fault;  // why the queue is not the one to go by; empty if it is
  pst_floor floor = PST_FLOOR_NONE;  // of a live gateway's law

  std::uint64_t count(int id) const { return counters.value[id]; }
  // C of full packets, and as the line counts them.
  std::uint64_t rate_bytes_per_s() const { return gw_rate(&attachment.config, &shared.port.state); }
  std::uint64_t line_bytes_per_s() const {
    return is_measured() ? rate_bytes_per_s() : attachment.config.line_bytes_per_s;
  }
  bool is_measured() const { return attachment.config.gateway.auto_rate; }
  bool is_modelled() const { return attachment.config.queue_source == GW_QUEUE_VIRTUAL; }
  // A model drops nothing while it observes.
  bool would_drop() const { return attachment.config.gateway.observe && is_modelled(); }
  // The share of outgoing bytes that belongs to controllable flows.
  double controllable_ratio() const;
  // Whether data passes, and nothing of what answers it.
  bool is_one_way() const;
  // A problem that the law's state reveals; empty if none.
  std::string warning() const;
};

Snapshot take_snapshot(const Device& device);

// The state was read at `now_ns`: forgets what the next packet would.
void set_time(Snapshot& s, std::uint64_t now_ns);

// Looks the device up too: it may have been removed or replaced. Without one, the state is off, and
// the reason says why.
Snapshot find_snapshot(const std::string& name);

// Whether the law can still reduce its windows, with `backlog_bytes` in the queue.
pst_floor floor_of(const gw_config& config, pst_gateway_state state, std::uint64_t backlog_bytes,
                   std::uint64_t now_ns);

const char* state_name(State state);
const char* source_name(std::uint32_t queue_source);

struct CounterRow {
  const char* name;
  const char* help;
};
inline constexpr CounterRow kCounterRows[] = {
#define GW_ROW(name, help) {#name, help},
    GW_COUNTERS(GW_ROW)};
inline constexpr CounterRow kBypassRows[] = {GW_BYPASSES(GW_ROW)};
#undef GW_ROW
inline constexpr int kCounterRowCount = static_cast<int>(std::size(kCounterRows));
inline constexpr int kBypassRowCount = static_cast<int>(std::size(kBypassRows));

}  // namespace penstock::gw
