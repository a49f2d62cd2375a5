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
#include "linux/common/netlink_attributes.h"
#include "linux/gateway/tool/cc/cc.h"
#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

namespace {

constexpr std::size_t kReceiveBytes = 65536;
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

void ask(int fd, std::uint8_t family) {
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
  if (send(fd, &message, sizeof(message), 0) < 0)
    throw system_error("cannot ask for the open connections", errno);
}

// False at the end of the answer.
bool take(const std::vector<char>& buffer, unsigned left, std::map<std::string, ControlUse>& all) {
  for (const auto* h = reinterpret_cast<const nlmsghdr*>(buffer.data()); NLMSG_OK(h, left);
       h = NLMSG_NEXT(h, left)) {
    if (h->nlmsg_type == NLMSG_DONE) return false;
    if (h->nlmsg_type == NLMSG_ERROR)
      throw Error(kMissing, "this kernel does not list its connections (CONFIG_INET_DIAG)");
    add_socket(h, all);
  }
  return true;
}

}  // namespace

std::map<std::string, ControlUse> control_use() {
  std::map<std::string, ControlUse> all;
  const Descriptor socket_fd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!socket_fd) throw system_error("cannot open a netlink socket", errno);
  std::vector<char> buffer(kReceiveBytes);
  for (const int family : {AF_INET, AF_INET6}) {
    ask(socket_fd.fd(), static_cast<std::uint8_t>(family));
    for (bool more = true; more;) {
      const ssize_t got = recv(socket_fd.fd(), buffer.data(), buffer.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw system_error("cannot ask for the open connections", errno);
      more = take(buffer, static_cast<unsigned>(got), all);
    }
  }
  return all;
}

}  // namespace penstock::gw
