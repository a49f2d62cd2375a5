// SPDX-License-Identifier: GPL-2.0-only
#include "linux/common/conntrack.h"

#include <linux/netfilter/nf_conntrack_tcp.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "linux/common/descriptor.h"
#include "linux/common/error.h"
#include "linux/common/netlink.h"
#include "linux/common/netlink_attributes.h"

namespace penstock {
namespace {

constexpr std::uint8_t kEstablished = 3;  // enum tcp_conntrack, whose header is no other program's
constexpr const char* kWhat =
    "cannot list the connections that the kernel tracks (it needs CONFIG_NF_CT_NETLINK)";

using Words = std::array<std::uint32_t, 4>;

std::optional<Words> address_of(const Attributes& ip, int v4, int v6) {
  if (const auto words = ip.value<Words>(v6)) return words;
  const auto word = ip.value<std::uint32_t>(v4);
  if (!word) return std::nullopt;
  return Words{0, 0, htonl(0xffff), *word};
}

std::optional<TrackedEnds> ends_of(const Attributes& tuple) {
  const Attributes ip = tuple.inside(CTA_TUPLE_IP), proto = tuple.inside(CTA_TUPLE_PROTO);
  const auto source = address_of(ip, CTA_IP_V4_SRC, CTA_IP_V6_SRC);
  const auto target = address_of(ip, CTA_IP_V4_DST, CTA_IP_V6_DST);
  const auto source_port = proto.value<std::uint16_t>(CTA_PROTO_SRC_PORT);
  const auto target_port = proto.value<std::uint16_t>(CTA_PROTO_DST_PORT);
  if (proto.value<std::uint8_t>(CTA_PROTO_NUM) != IPPROTO_TCP || !source || !target ||
      !source_port || !target_port)
    return std::nullopt;
  return TrackedEnds{*source, *target, *source_port, *target_port};
}

// Without a handshake the kernel knows no scale, and says liberal.
bool knows_scale(const std::optional<nf_ct_tcp_flags>& said) {
  return said && (said->flags & IP_CT_TCP_FLAG_WINDOW_SCALE) &&
         !(said->flags & IP_CT_TCP_FLAG_BE_LIBERAL);
}

}  // namespace

std::optional<TrackedFlow> tracked_flow_of(const nlmsghdr* message) {
  const Attributes all(message, sizeof(nfgenmsg));
  const auto original = ends_of(all.inside(CTA_TUPLE_ORIG));
  const auto reply = ends_of(all.inside(CTA_TUPLE_REPLY));
  const Attributes tcp = all.inside(CTA_PROTOINFO).inside(CTA_PROTOINFO_TCP);
  const auto one = tcp.value<std::uint8_t>(CTA_PROTOINFO_TCP_WSCALE_ORIGINAL);
  const auto other = tcp.value<std::uint8_t>(CTA_PROTOINFO_TCP_WSCALE_REPLY);
  if (!original || !reply || !one || !other ||
      tcp.value<std::uint8_t>(CTA_PROTOINFO_TCP_STATE) != kEstablished ||
      !knows_scale(tcp.value<nf_ct_tcp_flags>(CTA_PROTOINFO_TCP_FLAGS_ORIGINAL)) ||
      !knows_scale(tcp.value<nf_ct_tcp_flags>(CTA_PROTOINFO_TCP_FLAGS_REPLY)))
    return std::nullopt;
  return TrackedFlow{*original, *reply, {*one, *other}};
}

std::vector<TrackedFlow> tracked_flows() {
  const Descriptor netlink(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER));
  if (!netlink) throw system_error(kWhat, errno);
  struct {
    nlmsghdr header;
    nfgenmsg family;
  } dump{};
  dump.header.nlmsg_len = sizeof(dump);
  dump.header.nlmsg_type = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_GET;
  dump.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  std::vector<TrackedFlow> flows;
  const int error = exchange(netlink.fd(), dump.header, kWhat, [&](const nlmsghdr* h) {
    if (const auto flow = tracked_flow_of(h)) flows.push_back(*flow);
  });
  if (error) throw system_error(kWhat, error);
  return flows;
}

}  // namespace penstock
