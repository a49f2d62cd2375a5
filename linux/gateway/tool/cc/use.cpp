// SPDX-License-Identifier: GPL-2.0-only
// Which connections use a congestion control: sock_diag(7), as ss(8) asks.
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

#include "linux/common/descriptor.h"
#include "linux/common/netlink.h"
#include "linux/common/netlink_attributes.h"
#include "linux/gateway/tool/cc/cc.h"
#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

namespace {

constexpr std::uint32_t kTcpListen = 10;  // TCP_LISTEN: no connection yet

void add_socket(const nlmsghdr* header, std::map<std::string, ControlUse>& all) {
  const Attributes attributes(header, sizeof(inet_diag_msg));
  tcp_info info{};
  // An older kernel's is shorter.
  if (const rtattr* a = attributes.find(INET_DIAG_INFO))
    std::memcpy(&info, RTA_DATA(a), std::min<std::size_t>(sizeof(info), RTA_PAYLOAD(a)));
  ControlUse& use = all[attributes.text(INET_DIAG_CONG)];
  ++use.connections;
  use.cwnd_segments += info.tcpi_snd_cwnd;
  use.retransmits += info.tcpi_total_retrans;
}

// The connections of a family.
void add_sockets(int fd, std::uint8_t family, std::map<std::string, ControlUse>& all) {
  struct {
    nlmsghdr header;
    inet_diag_req_v2 request;
  } message{};
  message.header.nlmsg_len = sizeof(message);
  message.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  message.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  message.request.sdiag_family = family;
  message.request.sdiag_protocol = IPPROTO_TCP;
  message.request.idiag_ext = (1 << (INET_DIAG_CONG - 1)) | (1 << (INET_DIAG_INFO - 1));
  message.request.idiag_states = ~(1U << kTcpListen);
  if (exchange(fd, message.header, "cannot ask for the open connections",
               [&](const nlmsghdr* h) { add_socket(h, all); }))
    throw Error(kMissing, "this kernel does not list its connections (CONFIG_INET_DIAG)");
}

}  // namespace

std::map<std::string, ControlUse> control_use() {
  std::map<std::string, ControlUse> all;
  const Descriptor socket_fd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!socket_fd) throw system_error("cannot open a netlink socket", errno);
  for (const int family : {AF_INET, AF_INET6})
    add_sockets(socket_fd.fd(), static_cast<std::uint8_t>(family), all);
  return all;
}

}  // namespace penstock::gw
