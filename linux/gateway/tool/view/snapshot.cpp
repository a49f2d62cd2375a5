// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/snapshot.h"

#include <algorithm>
#include <iterator>

#include "linux/common/clock.h"
#include "linux/common/netlink.h"
#include "linux/common/quantity.h"
#include "linux/common/shell.h"
#include "linux/gateway/tool/attach/hooks.h"
#include "linux/gateway/tool/attach/shaper.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/view/elsewhere.h"
#include "linux/gateway/tool/view/spared.h"
#include "linux/gateway/tool/view/unseen.h"
#include "linux/gateway/tool/view/upstream.h"

namespace penstock::gw {

namespace {

// What the device's queueing disciplines say.
void read_device_queue(Snapshot& s) {
  Netlink netlink;
  const auto qdiscs = netlink.qdiscs(s.device.ifindex);
  if (s.attachment.own_qdisc)
    s.queue_fault = shaper_fault(qdiscs);
  else if (s.attachment.config.queue_source == GW_QUEUE_KERNEL)
    s.queue_fault = backlog_fault(qdiscs);
  if (const Qdisc* root = find_root(qdiscs)) {
    s.root_kind = root->kind;
    s.drops = root->drops;
    s.backlog_bytes = root->backlog_bytes;
  }
  if (const std::uint32_t id = s.attachment.config.leaf_class) {
    const auto classes = netlink.classes(s.device.ifindex);
    const auto found = std::ranges::find(classes, id, &TrafficClass::id);
    if (found == classes.end() || found->leaf != s.attachment.config.leaf_handle) {
      s.queue_fault = "class " + handle_text(id) + " was changed: attach again";
    } else {
      s.drops = found->drops;
      s.backlog_bytes = found->backlog_bytes;
    }
  }
  if (pst_gateway_paces(&s.attachment.config.gateway)) {
    const std::string fault = pace_fault(netlink.qdiscs(s.device.acks_ifindex));
    if (!fault.empty())
      s.queue_fault = std::string(s.attachment.acks) + " has " + fault +
                      ", which holds no ACKs: " + "tc qdisc replace dev " +
                      shell_word(s.attachment.acks) + " root fq";
  }
}

void read_queue(Snapshot& s) {
  if (!s.device.down) read_device_queue(s);
  const gw_config& c = s.attachment.config;
  if (pst_gateway_is_elsewhere(&c.gateway))
    s.backlog_bytes = pst_gateway_hidden_bytes(&c.gateway, &s.shared.port.state, s.taken_ns);
  if (c.queue_source != GW_QUEUE_VIRTUAL) return;
  const std::uint64_t wait_ns = pst_sub_floor(s.shared.drained_q4 >> 4, s.taken_ns);
  s.backlog_bytes = pst_mul_div(pst_min(wait_ns, PST_MAX_NS), s.rate_bytes_per_s(), PST_NS_PER_S);
  s.drops = s.count(GW_COUNT_virtual_drops);
}

void judge(Snapshot& s) {
  const gw_config& c = s.attachment.config;
  s.state = c.gateway.observe ? State::kObserve : State::kLive;
  const bool hooked = s.attachment.tcx ? has_tcx(s.device) : has_filters(s.device);
  if (!hooked) {
    s.state = State::kDegraded;
    s.reason = "the programs were removed from the device: packets pass untouched";
  } else if (!s.queue_fault.empty()) {
    s.state = State::kDegraded;
    s.reason = s.queue_fault;
  } else if (c.ticks && s.taken_ns > s.shared.due_ns + GW_STALE_NS) {
    s.state = State::kDegraded;
    s.reason = "the timer of the method has stopped: packets pass untouched";
  } else if (s.count(GW_COUNT_write_errors)) {
    s.state = State::kDegraded;
    s.reason = "the kernel did not let some packets change";
  } else if (const std::string unseen = unseen_because(s); !unseen.empty()) {
    s.state = State::kDegraded;
    s.reason = unseen;
  }
}

}  // namespace

std::string Snapshot::warning() const {
  if (const std::string down = down_warning(*this); !down.empty()) return down;
  if (is_one_way())
    return "nothing that answers what passes was seen for " + round_time(PST_FAIR_ONE_WAY_NS) +
           ", so it takes another path and nothing is held: attach where both directions pass";
  if (const std::string elsewhere = elsewhere_warning(*this); !elsewhere.empty()) return elsewhere;
  switch (floor) {
    case PST_FLOOR_NONE:
      return "";
    case PST_FLOOR_CORRECTION:
      return "windows are as small as the method makes them, and the queue does not get shorter. "
             "Set --rate to what the queue really sends, and let all of its traffic pass this "
             "gateway";
    case PST_FLOOR_SEGMENT:
      return "windows are at their smallest, one segment: there are more flows than segments that "
             "path and queue can hold. Set a larger --buffer";
  }
  return "";
}

bool Snapshot::is_one_way() const {
  if (attachment.config.gateway.discipline != PST_DISCIPLINE_FAIR) return false;
  const pst_fair_state& fair = shared.port.state.discipline.fair;
  return taken_ns < fair.end_ns + PST_NS_PER_S && pst_fair_is_one_way(&fair, taken_ns);
}

double Snapshot::controllable_ratio() const {
  const std::uint64_t all = count(GW_COUNT_forward_bytes);
  return all ? static_cast<double>(count(GW_COUNT_forward_controlled_bytes)) /
                   static_cast<double>(all)
             : 0;
}

const char* state_name(State state) {
  constexpr const char* kNames[] = {"off", "observe", "live", "degraded"};
  return kNames[static_cast<int>(state)];
}

const char* source_name(std::uint32_t queue_source) {
  constexpr const char* kNames[] = {"kernel", "virtual", "passive", "upstream"};
  return kNames[queue_source % std::size(kNames)];
}

pst_floor floor_of(const gw_config& config, pst_gateway_state state, std::uint64_t backlog_bytes,
                   std::uint64_t now_ns) {
  pst_queue q{};
  q.now_ns = now_ns;
  q.bytes = backlog_bytes;
  q.limit_bytes = config.limit_bytes;
  q.rate_bytes_per_s = gw_rate(&config, &state);
  q.mss_bytes = config.mss_bytes;
  pst_gateway_count_flows(&config.gateway, &state, &q);
  return pst_law_floor(config.gateway.law, &config.gateway.law_params, &state.law, &q);
}

void set_time(Snapshot& s, std::uint64_t now_ns) {
  pst_gateway_state& state = s.shared.port.state;
  s.taken_ns = now_ns;
  if (s.attachment.config.gateway.passive)
    pst_hidden_look(&state.hidden, &state.departures, now_ns);
  if (s.attachment.config.down) pst_upstream_look(&state.upstream, &state.departures, now_ns);
}

Snapshot take_snapshot(const Device& plain) {
  Snapshot s;
  const Pins pins(plain);
  const auto attachment = pins.attachment();
  const Device device = attachment ? as_attached(plain, *attachment) : plain;
  s.device = device;
  if (!attachment) {
    s.reason = "not attached";
    return s;
  }
  s.attachment = *attachment;
  s.shared = pins.shared();
  s.counters = pins.counters();
  set_time(s, clock_ns());
  read_spared(s);
  if (attachment->ifindex != static_cast<std::uint32_t>(device.ifindex)) {
    s.state = State::kDegraded;
    s.reason = device.ifindex ? "the device was removed and made again: attach to the new one"
                              : "the device is gone: detach removes what it left";
    return s;
  }
  if (!is_of(*attachment, device)) {
    s.state = State::kDegraded;
    s.reason = "the device of its ACKs, " + std::string(attachment->acks) +
               ", is gone or was made again: attach again";
    return s;
  }
  const pst_flow_count& count = s.shared.port.state.count;
  s.flows_active = pst_flow_count_get(&s.shared.port.state.count, s.taken_ns);
  if (!count.running && !count.last) s.flows_active = 0;
  read_queue(s);
  judge(s);
  const pst_gateway_config& gateway = s.attachment.config.gateway;
  if (!gateway.observe && !pst_gateway_is_blind(&gateway, &s.shared.port.state))
    s.floor = floor_of(s.attachment.config, s.shared.port.state, s.backlog_bytes, s.taken_ns);
  return s;
}

Snapshot find_snapshot(const std::string& name) {
  try {
    return take_snapshot(find_device_or_pins(name));
  } catch (const Error& error) {
    Snapshot off;
    off.device.name = name;
    off.reason = error.what();
    return off;
  }
}

}  // namespace penstock::gw
