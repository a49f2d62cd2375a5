// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/attach/attach.h"

#include <bpf/bpf.h>
#include <linux/pkt_sched.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "linux/common/clock.h"
#include "linux/common/descriptor.h"
#include "linux/common/netlink.h"
#include "linux/gateway/tool/attach/completed.h"
#include "linux/gateway/tool/attach/hooks.h"
#include "linux/gateway/tool/attach/pins.h"
#include "linux/gateway/tool/attach/program.h"
#include "linux/gateway/tool/attach/shaper.h"
#include "linux/gateway/tool/attach/swap.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/down.h"

namespace penstock::gw {

namespace {

// The kernel's default root qdisc has no handle; any other was configured.
void require_free_root(Netlink& netlink, const Device& device) {
  const auto qdiscs = netlink.qdiscs(device.ifindex);
  const Qdisc* root = find_root(qdiscs);
  if (root && root->handle)
    throw Error(kFailed, device.name + " has a root qdisc already (" + root->kind +
                             "): use --queue existing, or remove it with tc qdisc del dev " +
                             device.name + " root");
}

// It only has an ingress hook, and takes the place of clsact.
void require_no_ingress(Netlink& netlink, const std::string& name, int ifindex) {
  for (const Qdisc& q : netlink.qdiscs(ifindex))
    if (q.kind == "ingress")
      throw Error(kFailed, name +
                               " has an ingress qdisc, which leaves no hook for what goes out: "
                               "put its filters on clsact, or use --hook tcx (Linux 6.6)");
}

void require_shaped_root(Netlink& netlink, const Device& device, const gw_config& config) {
  if (config.queue_source != GW_QUEUE_KERNEL) return;
  const std::string fault = backlog_fault(netlink.qdiscs(device.ifindex));
  if (!fault.empty())
    throw Error(kFailed, device.name + ": " + fault +
                             ": leave --queue existing out, or use --source virtual");
}

void require_own_shaper(Netlink& netlink, const Device& device) {
  const std::string fault = shaper_fault(netlink.qdiscs(device.ifindex));
  if (!fault.empty())
    throw Error(kFailed, device.name + ": " + fault + ": detach, and attach with the queue that " +
                             "is to be");
}

void require_queue(Netlink& netlink, const Device& device, const gw_attachment& a,
                   const Plan& plan) {
  if (device.down) return;
  if (a.own_qdisc)
    require_own_shaper(netlink, device);
  else if (plan.wants_queue())
    require_free_root(netlink, device);
  else
    require_shaped_root(netlink, device, a.config);
}

// ACKs wait in a queue that heeds their time of departure; none is installed silently.
void require_fq(Netlink& netlink, const Device& device, const Plan& plan) {
  if (!pst_gateway_paces(&plan.config.gateway)) return;
  const std::string fault = pace_fault(netlink.qdiscs(device.acks_ifindex));
  if (!fault.empty())
    throw Error(kFailed, "beyond: pace-acks holds ACKs in fq, and " + plan.acks + " has " + fault +
                             ": tc qdisc replace dev " + plan.acks + " root fq");
}

void remember(gw_attachment& a, const Plan& plan) {
  a.install_queue = plan.install_queue;
  a.buffer_given = plan.buffer_given;
  a.params_given = plan.params_given;
  a.target_ns = plan.target_ns;
  a.source = static_cast<std::uint32_t>(plan.source);
  a.scalable = static_cast<std::uint32_t>(plan.scalable);
}

// Pins are the first that attach() creates, and the last that it or detach() removes.
bool has_pins(const Device& device) { return std::filesystem::exists(device.pins); }

// Removes the remains of an attach() that was killed.
void remove_leftovers(Netlink& netlink, const Device& device) {
  if (device.ifindex) {
    detach_filters(device);
    detach_stray_acks_filters(device);
    const auto qdiscs = netlink.qdiscs(device.ifindex);
    const Qdisc* root = find_root(qdiscs);
    if (!device.down && root && root->handle == kShaperHandle)
      remove_shaper(netlink, device.ifindex);
  }
  remove_pins(device);
}

// Undoes all steps so far, unless told that all succeeded.
class Undo {
 public:
  enum What { kAll, kQueueOnly };
  explicit Undo(const Device& device, What what = kAll) : device_(device), what_(what) {}
  ~Undo() {
    if (!armed_) return;
    try {
      if (what_ == kAll) detach_filters(device_);
      if (clsact) remove_clsact_if_unused(device_.ifindex);
      if (acks_clsact) remove_clsact_if_unused(device_.acks_ifindex);
      Netlink netlink;
      if (qdisc) remove_shaper(netlink, device_.ifindex);
    } catch (const std::exception&) {
      // The first error is the one to report.
    }
    if (what_ == kAll) remove_pins(device_);
  }
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  void disarm() { armed_ = false; }
  bool clsact = false;
  bool acks_clsact = false;
  bool qdisc = false;

 private:
  const Device& device_;
  What what_;
  bool armed_ = true;
};

bool differ_in_shaping(const gw_attachment& one, const gw_attachment& other) {
  return one.config.rate_bytes_per_s != other.config.rate_bytes_per_s ||
         one.config.limit_bytes != other.config.limit_bytes;
}

void shape(Netlink& netlink, const Device& device, const gw_attachment& a,
           decltype(add_shaper) how) {
  how(netlink, device.ifindex, a.config.rate_bytes_per_s, a.config.limit_bytes);
}

void change_settings(const Device& device, const gw_attachment& a) {
  Pins(device).change_settings(a.config);
  Pins(device).set_attachment(a);
}

// After a change that failed. `released`: what writes no windows is in force.
void go_back(Netlink& netlink, const Device& device, const gw_attachment& old, bool released,
             LoadedPrograms& programs) {
  try {
    if (old.own_qdisc) shape(netlink, device, old, change_shaper);
    if (released)
      swap_program(device, old, programs.of(old.config, device.pins),
                   !keeps_queue(old, Before::kObserving));
  } catch (const std::exception&) {
    // The first error is the one to report.
  }
}

// With the device through which the ACKs leave, if that is another one.
Device with_acks(Device device, const std::string& acks) {
  const bool ifb = driver_of(device.interface) == "ifb";
  if (device.down && ifb)
    throw Error(kUsage, device.interface +
                            " is an ifb, which only carries on what came in by another device: "
                            "attach --down to that one");
  if (acks.empty() && ifb)
    throw Error(kUsage, "acks: is missing: no ACK passes " + device.name +
                            ", an ifb; give the device whose packets are redirected to it");
  if (acks.empty()) return device;
  const Device other = find_device(acks);
  if (other.ifindex == device.ifindex)
    throw Error(kUsage, "acks: " + acks + " is the device itself: leave it out");
  // An ifb carries the packets of that device.
  if (ifb) device.ethernet = other.ethernet;
  if (device.ethernet != other.ethernet)
    throw Error(kUsage, "acks: one of " + device.name + " and " + acks +
                            " has Ethernet headers, the other has not");
  device.acks_ifindex = other.ifindex;
  return device;
}

// The other attachment of the same interface.
Device counterpart(const Device& device) {
  return find_device_or_pins(attachment_name(device.interface, !device.down));
}

// Both attachments of an interface have one map of what ACKs wait, that of the first.
void share_ack_waits(const Device& device) {
  constexpr const char* kMap = "/ack_waits";
  const Descriptor first(bpf_obj_get((counterpart(device).pins + kMap).c_str()));
  if (first.fd() < 0) return;  // there is none
  if (bpf_obj_pin(first.fd(), (device.pins + kMap).c_str()) && errno != EEXIST)
    throw system_error("cannot pin " + device.pins + kMap, errno);
}

// The last attachment that uses it removes it.
void leave_clsact(const Device& device) {
  const Device other = counterpart(device);
  auto a = Pins(other).attachment();
  if (!a || !is_of(*a, as_attached(other, *a))) return remove_clsact_if_unused(device.ifindex);
  a->own_clsact = true;
  Pins(other).set_attachment(*a);
}

bool differs_in_acks(const Plan& plan, const gw_attachment& a) { return plan.acks != a.acks; }

bool differs_in_flows(const Plan& plan, const gw_attachment& a) {
  return plan.config.max_flows != a.config.max_flows;
}

bool differs_in_shapes(const Plan& plan, const gw_attachment& a) {
  return plan.config.max_shapes != a.config.max_shapes;
}

bool differs_in_hook(const Plan& plan, const gw_attachment& a) { return plan.tcx != a.tcx; }

bool differs_in_queue(const Plan& plan, const gw_attachment& a) {
  return plan.install_queue != a.install_queue;
}

// Refuses a change of a setting that its row calls fixed: each needs a differs_in_NAME().
void require_same(const Plan& plan, const gw_attachment& a) {
#define GW_CHECK_LIVE(name, key)
#define GW_CHECK_FIXED(name, key) \
  if (differs_in_##name(plan, a)) \
    throw Error(kUsage, key " cannot change while attached: detach first");
#define GW_CHECK_ATTACH GW_CHECK_FIXED
#define GW_CHECK(form, name, key, option, type, values, least, most, initial, change, ...) \
  GW_CHECK_##change(name, key)
  GW_SETTING_ROWS(GW_CHECK)
#undef GW_CHECK
#undef GW_CHECK_ATTACH
#undef GW_CHECK_FIXED
#undef GW_CHECK_LIVE
}

}  // namespace

Plan plan_on(const Device& device, const Settings& settings) {
  if (device.down) return plan_of(settings, Below::kBefore);
  const bool is_short = settings.queue == "existing" && device.ifindex &&
                        keeps_short(Netlink().qdiscs(device.ifindex));
  return plan_of(settings, is_short ? Below::kShort : Below::kPlain);
}

void attach(const Device& plain, const Plan& plan, LoadedPrograms* kept) {
  const Device device = with_acks(plain, plan.acks);
  const auto before = Pins(device).attachment();
  if (before && is_of(*before, device))
    throw Error(kFailed, device.name + " is attached already: use set, or detach first");
  Netlink netlink;
  const bool killed = has_pins(device);
  remove_leftovers(netlink, device);
  if (killed) remove_clsact_if_unused(device.ifindex);
  if (!plan.tcx) require_no_ingress(netlink, device.name, device.ifindex);
  if (!plan.tcx && device.acks_ifindex) require_no_ingress(netlink, plan.acks, device.acks_ifindex);
  gw_attachment a{};
  a.config = completed(device, plan, plan.wants_queue());
  remember(a, plan);
  a.abi = GW_ABI;
  a.ifindex = static_cast<std::uint32_t>(device.ifindex);
  a.acks_ifindex = static_cast<std::uint32_t>(device.acks_ifindex);
  plan.acks.copy(a.acks, sizeof(a.acks) - 1);
  a.netns_cookie = namespace_cookie();
  a.since_ns = clock_ns(CLOCK_BOOTTIME);
  a.tcx = plan.tcx;
  a.priority = plan.tcx ? 0 : kPriority;
  require_queue(netlink, device, a, plan);
  require_fq(netlink, device, plan);
  Undo undo(device);
  make_pin_folder(device);
  share_ack_waits(device);
  LoadedPrograms own_programs;
  const Program& program = (kept ? *kept : own_programs).of(a.config, device.pins);
  if (plan.wants_queue()) {
    add_shaper(netlink, device.ifindex, a.config.rate_bytes_per_s, a.config.limit_bytes);
    a.own_qdisc = undo.qdisc = true;
  }
  program.start(true);
  if (plan.tcx) {
    attach_tcx(device, program.hooks());
  } else {
    a.own_clsact = undo.clsact = add_clsact(device, device.ifindex);
    if (device.acks_ifindex)
      a.own_acks_clsact = undo.acks_clsact = add_clsact(device, device.acks_ifindex);
    attach_filters(device, program.hooks());
  }
  program.pin_settings(device.pins);
  Pins(device).set_attachment(a);
  undo.disarm();
}

void change(const Device& plain, const Plan& plan, LoadedPrograms* kept) {
  LoadedPrograms own_programs;
  LoadedPrograms& programs = kept ? *kept : own_programs;
  auto a = Pins(plain).attachment();
  if (!a || a->ifindex != static_cast<std::uint32_t>(plain.ifindex))
    throw Error(kNotAttached, plain.name + " is not attached");
  const Device device = as_attached(plain, *a);
  if (!is_of(*a, device))
    throw Error(kFailed, std::string(a->acks) + " is gone or was made again: attach again");
  require_same(plan, *a);
  const bool method_changes = plan.config.variant != a->config.variant ||
                              plan.config.gateway.discipline != a->config.gateway.discipline;
  const gw_attachment old = *a;
  const gw_config& before = old.config;
  const bool own = old.own_qdisc || plan.wants_queue();
  a->config = completed(device, plan, own);
  remember(*a, plan);
  a->config.gateway.epoch = before.gateway.epoch + (method_changes ? 1 : 0);
  a->config.revision = before.revision + 1;
  Netlink netlink;
  require_queue(netlink, device, *a, plan);
  require_fq(netlink, device, plan);
  const bool fresh = method_changes || a->config.gateway.auto_rate != before.gateway.auto_rate ||
                     a->config.gateway.passive != before.gateway.passive ||
                     a->config.gateway.upstream != before.gateway.upstream;
  const Program* program = nullptr;
  if (!Pins(device).may_change(before, a->config)) program = &programs.of(a->config, device.pins);
  const bool released =
      a->config.gateway.observe && release_windows(device, old, Before::kObserving, programs);
  Undo undo(device, Undo::kQueueOnly);
  try {
    if (own && !old.own_qdisc) {
      shape(netlink, device, *a, add_shaper);
      a->own_qdisc = undo.qdisc = true;
    } else if (own && differ_in_shaping(*a, old)) {
      shape(netlink, device, *a, change_shaper);
    }
    if (program)
      swap_program(device, *a, *program,
                   fresh || (released && !keeps_queue(old, Before::kObserving)));
    else
      change_settings(device, *a);
    Pins(device).forget_spared(before, a->config);
  } catch (const Error&) {
    go_back(netlink, device, old, released, programs);
    throw;
  }
  undo.disarm();
}

void detach(const Device& plain, Release release) {
  const auto a = Pins(plain).attachment();
  const Device device = a ? as_attached(plain, *a) : plain;
  if (!a && !has_pins(device) && !has_filters(device))
    throw Error(kNotAttached, device.name + " is not attached");
  const bool present = a && a->ifindex == static_cast<std::uint32_t>(device.ifindex);
  try {
    LoadedPrograms programs;
    if (present && release == Release::kRamp)
      release_windows(device, *a, Before::kDetaching, programs);
  } catch (const Error&) {
    // Hooks that were removed by others: there is nothing to release.
  }
  detach_filters(device);
  if (device.ifindex && (!a || (present && a->own_clsact))) leave_clsact(device);
  if (device.acks_ifindex && a->own_acks_clsact) remove_clsact_if_unused(device.acks_ifindex);
  Netlink netlink;
  remove_leftovers(netlink, device);
}

}  // namespace penstock::gw
