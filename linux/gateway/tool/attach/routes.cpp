// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/attach/routes.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "linux/common/netlink.h"
#include "linux/common/netlink_attributes.h"
#include "linux/common/shell.h"
#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

namespace {

bool has_hop(const rtattr* hops, int ifindex) {
  const auto* hop = static_cast<const rtnexthop*>(RTA_DATA(hops));
  int left = static_cast<int>(RTA_PAYLOAD(hops));
  for (; left >= static_cast<int>(sizeof(*hop)) && RTNH_OK(hop, left);
       left -= static_cast<int>(NLMSG_ALIGN(hop->rtnh_len)), hop = RTNH_NEXT(hop))
    if (hop->rtnh_ifindex == ifindex) return true;
  return false;
}

// fe80::/10 and ff00::/8.
bool is_local(const rtmsg& route, const rtattr* target) {
  const auto* bytes = static_cast<const unsigned char*>(RTA_DATA(target));
  return route.rtm_family == AF_INET6 && RTA_PAYLOAD(target) >= 2 &&
         (bytes[0] == 0xff || (bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80));
}

bool leaves_by(const nlmsghdr* message, int ifindex) {
  const auto& route = *static_cast<const rtmsg*>(NLMSG_DATA(message));
  const Attributes attributes(message, sizeof(route));
  const rtattr* hops = attributes.find(RTA_MULTIPATH);
  const rtattr* target = attributes.find(RTA_DST);
  const bool leaves = attributes.value<int>(RTA_OIF) == ifindex || (hops && has_hop(hops, ifindex));
  return leaves && !(target && is_local(route, target)) && route.rtm_type == RTN_UNICAST;
}

// Whether the link is the interface, as a port of another one, or stands on it. The peer of a veth
// in another namespace has a number of that one.
bool carries(const nlmsghdr* message, int ifindex) {
  const auto& link = *static_cast<const ifinfomsg*>(NLMSG_DATA(message));
  const Attributes attributes(message, sizeof(link));
  if (link.ifi_index == ifindex) return attributes.find(IFLA_MASTER) != nullptr;
  return attributes.value<int>(IFLA_LINK) == ifindex && !attributes.find(IFLA_LINK_NETNSID);
}

template <typename F>
void each_route(Netlink& netlink, F f) {
  TrafficControlRequest routes(RTM_GETROUTE, NLM_F_DUMP, 0, 0, 0);
  netlink.send(routes, "cannot list the routes", [&](const nlmsghdr* message) {
    if (message->nlmsg_type == RTM_NEWROUTE) f(message);
  });
}

bool is_default(const nlmsghdr* message) {
  const auto& route = *static_cast<const rtmsg*>(NLMSG_DATA(message));
  return !route.rtm_dst_len && route.rtm_type == RTN_UNICAST;
}

// The device, and the rank among default routes, of one; the least counts.
std::pair<std::uint64_t, int> default_by(const nlmsghdr* message) {
  const auto& route = *static_cast<const rtmsg*>(NLMSG_DATA(message));
  const Attributes attributes(message, sizeof(route));
  const auto oif = attributes.value<int>(RTA_OIF);
  if (!is_default(message) || route.rtm_table != RT_TABLE_MAIN || !oif)
    return {std::numeric_limits<std::uint64_t>::max(), 0};
  const std::uint64_t family = route.rtm_family == AF_INET ? 0 : 1;
  return {family << 32 | attributes.value<std::uint32_t>(RTA_PRIORITY).value_or(0), *oif};
}

}  // namespace

bool leads_inside(const Device& device) {
  bool own = false, default_here = false, default_elsewhere = false;
  Netlink netlink;
  each_route(netlink, [&](const nlmsghdr* message) {
    const bool here = leaves_by(message, device.ifindex);
    own |= here;
    if (is_default(message)) (here ? default_here : default_elsewhere) = true;
  });
  return own && default_elsewhere && !default_here;
}

std::string default_device() {
  std::pair<std::uint64_t, int> best{std::numeric_limits<std::uint64_t>::max(), 0};
  Netlink netlink;
  each_route(netlink, [&](const nlmsghdr* message) { best = std::min(best, default_by(message)); });
  std::array<char, IF_NAMESIZE> name{};
  if (!best.second || !if_indextoname(static_cast<unsigned>(best.second), name.data()))
    throw Error(kUsage, "there is no default route here: name the device towards the line");
  return name.data();
}

void require_downstream(const Device& device) {
  if (!leads_inside(device)) return;
  const std::string outside = default_device();
  throw Error(kFailed,
              device.interface + " leads to the own network: what leaves by it has come in by " +
                  outside + " and waits before that, at the provider's side, where --source " +
                  "passive sees nothing. penstock-gw attach " + shell_word(outside) +
                  " --down holds it; if it waits behind " + device.interface +
                  ", as in a slow Wi-Fi, attach with --force");
}

void require_route(const Device& device) {
  if (driver_of(device.interface) == "ifb") return;  // attach() says more of it
  bool found = false;
  Netlink netlink;
  each_route(netlink,
             [&](const nlmsghdr* message) { found |= leaves_by(message, device.ifindex); });
  TrafficControlRequest links(RTM_GETLINK, NLM_F_DUMP, 0, 0, 0);
  netlink.send(links, "cannot list the devices", [&](const nlmsghdr* message) {
    if (message->nlmsg_type == RTM_NEWLINK) found |= carries(message, device.ifindex);
  });
  if (!found)
    throw Error(kFailed, device.interface +
                             " has no route, so the ACKs of what comes in by it leave elsewhere: "
                             "attach --down to the device that has one, such as ppp0 with PPPoE, "
                             "or attach with --force");
}

}  // namespace penstock::gw
