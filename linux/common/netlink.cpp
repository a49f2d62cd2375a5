// SPDX-License-Identifier: GPL-2.0-only
#include "linux/common/netlink.h"

#include <linux/gen_stats.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>

#include "linux/common/error.h"
#include "linux/common/netlink_attributes.h"

namespace penstock {
namespace {

constexpr std::size_t kReceiveBytes = 65536;

// Of a message about qdiscs, classes or filters.
Attributes attributes_of(const nlmsghdr* header) { return {header, sizeof(tcmsg)}; }

}  // namespace

Qdisc qdisc_of(const nlmsghdr* header) {
  const auto* message = static_cast<const tcmsg*>(NLMSG_DATA(header));
  const Attributes attributes = attributes_of(header), stats = attributes.inside(TCA_STATS2);
  Qdisc q;
  q.kind = attributes.text(TCA_KIND);
  q.handle = message->tcm_handle;
  q.parent = message->tcm_parent;
  if (const auto queue = stats.value<gnet_stats_queue>(TCA_STATS_QUEUE)) {
    q.backlog_bytes = queue->backlog;
    q.backlog_packets = queue->qlen;
    q.drops = queue->drops;
  }
  if (const auto basic = stats.value<gnet_stats_basic>(TCA_STATS_BASIC)) {
    q.sent_bytes = basic->bytes;
    q.sent_packets = basic->packets;
  }
  // The 32-bit count of packets above wraps; newer kernels send this one beside it.
  if (const auto packets = stats.value<std::uint64_t>(TCA_STATS_PKT64)) q.sent_packets = *packets;
  return q;
}

TrafficClass class_of(const nlmsghdr* header) {
  const auto* message = static_cast<const tcmsg*>(NLMSG_DATA(header));
  const Attributes stats = attributes_of(header).inside(TCA_STATS2);
  TrafficClass c;
  c.id = message->tcm_handle;
  c.parent = message->tcm_parent;
  c.leaf = message->tcm_info;
  if (const auto queue = stats.value<gnet_stats_queue>(TCA_STATS_QUEUE)) {
    c.backlog_bytes = queue->backlog;
    c.drops = queue->drops;
  }
  return c;
}

std::vector<TrafficClass> leaves_of(std::vector<TrafficClass> classes) {
  std::erase_if(classes, [parents = classes](const TrafficClass& c) {
    return std::ranges::any_of(parents, [&](const TrafficClass& p) { return p.parent == c.id; });
  });
  return classes;
}

TrafficControlRequest::TrafficControlRequest(std::uint16_t type, std::uint16_t flags, int ifindex,
                                             std::uint32_t handle, std::uint32_t parent) {
  header().nlmsg_len = NLMSG_LENGTH(sizeof(tcmsg));
  header().nlmsg_type = type;
  header().nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
  auto* tc = static_cast<tcmsg*>(NLMSG_DATA(&header()));
  tc->tcm_family = AF_UNSPEC;
  tc->tcm_ifindex = ifindex;
  tc->tcm_handle = handle;
  tc->tcm_parent = parent;
}

void TrafficControlRequest::put(std::uint16_t type, const void* data, std::size_t length) {
  auto* attribute = reinterpret_cast<rtattr*>(end());
  attribute->rta_type = type;
  attribute->rta_len = static_cast<std::uint16_t>(RTA_LENGTH(length));
  if (length) std::memcpy(RTA_DATA(attribute), data, length);
  header().nlmsg_len += static_cast<std::uint32_t>(RTA_ALIGN(attribute->rta_len));
}

void TrafficControlRequest::put(std::uint16_t type, const char* text) {
  put(type, text, std::strlen(text) + 1);
}

std::uint32_t TrafficControlRequest::open(std::uint16_t type) {
  const std::uint32_t begin = header().nlmsg_len;
  put(type, nullptr, 0);
  return begin;
}

void TrafficControlRequest::close(std::uint32_t begin) {
  reinterpret_cast<rtattr*>(bytes_.data() + begin)->rta_len =
      static_cast<std::uint16_t>(header().nlmsg_len - begin);
}

int exchange(int socket, const nlmsghdr& request, const std::string& what,
             const std::function<void(const nlmsghdr*)>& each) {
  if (send(socket, &request, request.nlmsg_len, 0) < 0) throw system_error(what, errno);
  std::vector<char> buffer(kReceiveBytes);
  for (;;) {
    const ssize_t got = recv(socket, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(what, errno);
    auto left = static_cast<unsigned>(got);
    for (auto* h = reinterpret_cast<const nlmsghdr*>(buffer.data()); NLMSG_OK(h, left);
         h = NLMSG_NEXT(h, left)) {
      if (h->nlmsg_seq != request.nlmsg_seq) continue;
      if (h->nlmsg_type == NLMSG_DONE) return 0;
      if (h->nlmsg_type == NLMSG_ERROR) return -static_cast<const nlmsgerr*>(NLMSG_DATA(h))->error;
      each(h);
    }
  }
}

Netlink::Netlink() : socket_(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)) {
  if (!socket_) throw system_error("cannot open a netlink socket", errno);
}

void Netlink::send(TrafficControlRequest& request, const std::string& what,
                   const std::function<void(const nlmsghdr*)>& each) {
  request.header().nlmsg_seq = ++sequence_;
  if (const int error = exchange(socket_.fd(), request.header(), what, each))
    throw system_error(what, error);
}

std::vector<Qdisc> Netlink::qdiscs(int ifindex) {
  std::vector<Qdisc> all;
  TrafficControlRequest dump(RTM_GETQDISC, NLM_F_DUMP, ifindex, 0, 0);
  send(dump, "cannot list the queueing disciplines", [&](const nlmsghdr* h) {
    if (h->nlmsg_type == RTM_NEWQDISC &&
        static_cast<const tcmsg*>(NLMSG_DATA(h))->tcm_ifindex == ifindex)
      all.push_back(qdisc_of(h));
  });
  return all;
}

std::string handle_text(std::uint32_t handle) {
  std::array<char, 16> text{};
  const std::uint32_t minor = TC_H_MIN(handle);
  std::snprintf(text.data(), text.size(), minor ? "%x:%x" : "%x:", TC_H_MAJ(handle) >> 16, minor);
  return text.data();
}

std::vector<TrafficClass> Netlink::classes(int ifindex) {
  std::vector<TrafficClass> all;
  TrafficControlRequest dump(RTM_GETTCLASS, NLM_F_DUMP, ifindex, 0, 0);
  send(dump, "cannot list the classes", [&](const nlmsghdr* h) {
    if (h->nlmsg_type == RTM_NEWTCLASS) all.push_back(class_of(h));
  });
  return all;
}

std::vector<Filter> Netlink::filters(int ifindex, std::uint32_t hook) {
  std::vector<Filter> all;
  TrafficControlRequest dump(RTM_GETTFILTER, NLM_F_DUMP, ifindex, 0, TC_H_MAKE(TC_H_CLSACT, hook));
  send(dump, "cannot list the filters", [&](const nlmsghdr* h) {
    const auto* message = static_cast<const tcmsg*>(NLMSG_DATA(h));
    // A chain of filters is reported once by itself, without a handle, and once per filter.
    if (h->nlmsg_type != RTM_NEWTFILTER || !message->tcm_handle) return;
    const Attributes attributes = attributes_of(h);
    all.push_back({attributes.text(TCA_KIND), attributes.inside(TCA_OPTIONS).text(TCA_BPF_NAME),
                   TC_H_MAJ(message->tcm_info) >> 16});
  });
  return all;
}

const Qdisc* find_root(const std::vector<Qdisc>& qdiscs) {
  const auto found =
      std::ranges::find_if(qdiscs, [](const Qdisc& q) { return q.parent == TC_H_ROOT; });
  return found == qdiscs.end() ? nullptr : &*found;
}

}  // namespace penstock
