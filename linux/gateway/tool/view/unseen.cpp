// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/unseen.h"

#include <ifaddrs.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <sys/socket.h>

#include "linux/common/clock.h"
#include "linux/common/netlink.h"
#include "linux/gateway/tool/attach/hooks.h"
#include "linux/gateway/tool/attach/shaper.h"
#include "linux/gateway/tool/host/process.h"

namespace penstock::gw {

namespace {

constexpr std::uint64_t kMostNs = kNsPerS / 10;
constexpr std::uint64_t kStepNs = kNsPerS / 100;
constexpr std::uint32_t kEnoughBytes = 1000;

// What the device itself has counted, in 32 bits, which wrap.
std::uint32_t device_bytes(const Device& device, Hook hook) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all)) return 0;
  std::uint32_t bytes = 0;
  for (const ifaddrs* one = all; one; one = one->ifa_next) {
    if (!one->ifa_addr || one->ifa_addr->sa_family != AF_PACKET || !one->ifa_data ||
        device.interface != one->ifa_name)
      continue;
    const auto* stats = static_cast<const rtnl_link_stats*>(one->ifa_data);
    bytes = hook == Hook::kEgress ? stats->tx_bytes : stats->rx_bytes;
  }
  freeifaddrs(all);
  return bytes;
}

// What has passed the hook, in 32 bits. What leaves passes it before it waits: with what the device
// has sent, a queue that empties would look like packets that nobody saw.
std::uint32_t passed_bytes(const Device& device, Hook hook) {
  if (hook == Hook::kEgress) {
    const auto qdiscs = Netlink().qdiscs(device.ifindex);
    const Qdisc* root = find_root(qdiscs);
    if (root && backlog_fault(qdiscs).empty())
      return static_cast<std::uint32_t>(root->sent_bytes + root->backlog_bytes);
  }
  return device_bytes(device, hook);
}

// Whether most of what passes in a while is not counted at `counter`.
bool misses(const Device& device, Hook hook, int counter) {
  const Pins pins(device);
  const std::uint64_t seen_before = pins.counters().value[counter];
  const std::uint32_t before = passed_bytes(device, hook);
  std::uint32_t passed = 0;
  for (std::uint64_t waited_ns = 0; waited_ns < kMostNs && passed < kEnoughBytes;
       waited_ns += kStepNs) {
    wait_ns(kStepNs);
    passed = passed_bytes(device, hook) - before;
  }
  return passed >= kEnoughBytes && pins.counters().value[counter] - seen_before < passed / 2;
}

std::string unseen(const Device& device, Hook hook, int counter) {
  const std::string filter = filter_before(device.ifindex, hook);
  if (filter.empty() || !misses(device, hook, counter)) return "";
  return "the programs do not see what " +
         std::string(hook == Hook::kEgress ? "leaves" : "comes in") + " by " + device.interface +
         ": the " + filter + " takes it before them; give it a priority above " +
         std::to_string(kPriority) + ", or let its action be continue, or attach with --hook tcx";
}

}  // namespace

std::string unseen_because(const Snapshot& s) {
  if (s.attachment.tcx) return "";
  const Hook data = s.device.down ? Hook::kIngress : Hook::kEgress;
  const Hook acks = s.device.down ? Hook::kEgress : Hook::kIngress;
  const std::string hidden = unseen(s.device, data, GW_COUNT_forward_bytes);
  if (!hidden.empty() || s.attachment.acks_ifindex) return hidden;
  return unseen(s.device, acks, GW_COUNT_reverse_bytes);
}

}  // namespace penstock::gw
