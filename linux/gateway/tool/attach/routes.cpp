// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/attach/routes.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <cstring>

#include "linux/common/netlink.h"
#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

namespace {

// Calls `visit(attribute)` for those of a message behind its header of `header_bytes`.
template <typename Visit>
void each_attribute(const nlmsghdr* message, std::size_t header_bytes, Visit visit) {
  const auto* a = reinterpret_cast<const rtattr*>(static_cast<const char*>(NLMSG_DATA(message)) +
                                                  NLMSG_ALIGN(header_bytes));
  int left = static_cast<int>(message->nlmsg_len - NLMSG_SPACE(header_bytes));
  for (; RTA_OK(a, left); a = RTA_NEXT(a, left)) visit(a);
}

int number_in_attribute(const rtattr* a) {
  int number = 0;
  if (RTA_PAYLOAD(a) >= sizeof(number)) std::memcpy(&number, RTA_DATA(a), sizeof(number));
  return number;
}

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
  bool leaves = false, local = false;
  each_attribute(message, sizeof(route), [&](const rtattr* a) {
    leaves |= a->rta_type == RTA_OIF && number_in_attribute(a) == ifindex;
    leaves |= a->rta_type == RTA_MULTIPATH && has_hop(a, ifindex);
    local |= a->rta_type == RTA_DST && is_local(route, a);
  });
  return leaves && !local && route.rtm_type == RTN_UNICAST;
}

// Whether the link is the interface, as a port of another one, or stands on it. The peer of a veth
// in another namespace has a number of that one.
bool carries(const nlmsghdr* message, int ifindex) {
  const auto& link = *static_cast<const ifinfomsg*>(NLMSG_DATA(message));
  bool is_port = false, is_above = false, is_foreign = false;
  each_attribute(message, sizeof(link), [&](const rtattr* a) {
    is_port |= a->rta_type == IFLA_MASTER;
    is_above |= a->rta_type == IFLA_LINK && number_in_attribute(a) == ifindex;
    is_foreign |= a->rta_type == IFLA_LINK_NETNSID;
  });
  return link.ifi_index == ifindex ? is_port : is_above && !is_foreign;
}

}  // namespace

void require_route(const Device& device) {
  // An ifb has none either, but attach() says more of it.
  bool found = driver_of(device.interface) == "ifb";
  Netlink netlink;
  TrafficControlRequest routes(RTM_GETROUTE, NLM_F_DUMP, 0, 0, 0);
  netlink.send(routes, "cannot list the routes", [&](const nlmsghdr* message) {
    if (message->nlmsg_type == RTM_NEWROUTE) found |= leaves_by(message, device.ifindex);
  });
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
