// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/attach/completed.h"

#include <linux/pkt_sched.h>

#include <algorithm>
#include <stdexcept>

#include "linux/common/netlink.h"
#include "linux/gateway/tool/attach/program.h"
#include "linux/gateway/tool/attach/routes.h"
#include "linux/gateway/tool/attach/shaper.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/target.h"

namespace penstock::gw {

namespace {

// Whether to read the kernel's backlog. A device that is only observed, without a queue of its
// own, may have none.
bool reads_kernel(const Device& device, const Plan& plan, bool own_queue) {
  if (plan.source != Source::kAuto || !kernel_has_btf()) return plan.source == Source::kKernel;
  return own_queue || !plan.install_queue ||
         backlog_fault(Netlink().qdiscs(device.ifindex)).empty();
}

void set_leaf(const Device& device, std::uint32_t traffic_class, gw_config& c) {
  Netlink netlink;
  const auto qdiscs = netlink.qdiscs(device.ifindex);
  const auto queues = std::ranges::count(qdiscs, find_root(qdiscs) ? find_root(qdiscs)->handle : 0,
                                         [](const Qdisc& q) { return TC_H_MAJ(q.parent); });
  if (queues > GW_MAX_TX_QUEUES)
    throw Error(kFailed, device.name + " has " + std::to_string(queues) + " queues, and at most " +
                             std::to_string(GW_MAX_TX_QUEUES) +
                             " can be summed: use --source virtual");
  try {
    const Leaf leaf = leaf_of(qdiscs, netlink.classes(device.ifindex), traffic_class);
    c.leaf_handle = leaf.handle;
    c.leaf_class = leaf.class_id;
  } catch (const std::invalid_argument& e) {
    throw Error(kFailed, device.name + ": " + e.what());
  }
}

// A rate that is told is the true one of our own queue and of a model. Of a class it cannot be
// measured, as all classes pass.
bool measures(const gw_config& c, bool own_queue) {
  return c.gateway.auto_rate || (pst_gateway_measures(&c.gateway) && !own_queue && !c.leaf_class &&
                                 c.queue_source == GW_QUEUE_KERNEL);
}

// Whether data comes from the provider's side: it comes in by the device, or by the one that an ifb
// stands for, or it leaves towards the own network.
bool comes_from_outside(const Device& device) {
  return device.down || driver_of(device.interface) == "ifb" || leads_inside(device);
}

}  // namespace

gw_config completed(const Device& device, const Plan& plan, bool own_queue) {
  gw_config c = plan.config;
  if (plan.source == Source::kKernel && !kernel_has_btf())
    throw Error(kMissing,
                "the kernel has no BTF, so its backlog cannot be read: "
                "use --source virtual");
  const bool kernel = !c.down && reads_kernel(device, plan, own_queue);
  if (c.gateway.auto_rate && !pst_gateway_is_elsewhere(&c.gateway) && !kernel)
    throw Error(kMissing,
                "the kernel has no BTF, so its backlog cannot be read and no rate measured: "
                "give a --rate");
  c.queue_source = kernel               ? GW_QUEUE_KERNEL
                   : c.gateway.passive  ? GW_QUEUE_PASSIVE
                   : c.gateway.upstream ? GW_QUEUE_UPSTREAM
                                        : GW_QUEUE_VIRTUAL;
  c.ethernet = device.ethernet;
  if (c.has_overhead)
    c.rate_bytes_per_s =
        pst_device_rate(&c.overhead, c.line_bytes_per_s, device.ethernet ? PST_ETHERNET_BYTES : 0);
  if (plan.target_ns) set_timed_target(c, plan.target_ns);
  c.acks_elsewhere = device.acks_ifindex != 0;
  c.outside = comes_from_outside(device);
  if (kernel && !own_queue) set_leaf(device, plan.traffic_class, c);
  c.measures = measures(c, own_queue);
  c.bypass_scalable =
      plan.scalable == Scalable::kBypass || (plan.scalable == Scalable::kAuto && !own_queue &&
                                             !c.down && may_mark(Netlink().qdiscs(device.ifindex)));
  return c;
}

}  // namespace penstock::gw
