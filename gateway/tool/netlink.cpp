// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/tool/netlink.h"

#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <system_error>

#include "gateway/tool/error.h"

namespace penstock::gw {

namespace {

constexpr std::uint32_t kShaperClass = kShaperHandle | 1;
constexpr std::uint32_t kFifoHandle = 0x50580000;
constexpr std::uint64_t kTickNs = 64;  // PSCHED_TICKS2NS(1)
constexpr std::uint32_t kMtuBytes = 1514;

}  // namespace

// One request; attributes are appended.
class Netlink::Message {
 public:
  Message(std::uint16_t type, std::uint16_t flags, int ifindex, std::uint32_t handle,
          std::uint32_t parent) {
    header().nlmsg_len = NLMSG_LENGTH(sizeof(tcmsg));
    header().nlmsg_type = type;
    header().nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
    auto* tc = static_cast<tcmsg*>(NLMSG_DATA(&header()));
    tc->tcm_family = AF_UNSPEC;
    tc->tcm_ifindex = ifindex;
    tc->tcm_handle = handle;
    tc->tcm_parent = parent;
  }

  nlmsghdr& header() { return *reinterpret_cast<nlmsghdr*>(bytes_.data()); }

  void put(std::uint16_t type, const void* data, std::size_t length) {
    auto* attribute = reinterpret_cast<rtattr*>(end());
    attribute->rta_type = type;
    attribute->rta_len = static_cast<std::uint16_t>(RTA_LENGTH(length));
    if (length) std::memcpy(RTA_DATA(attribute), data, length);
    header().nlmsg_len += static_cast<std::uint32_t>(RTA_ALIGN(attribute->rta_len));
  }
  void put(std::uint16_t type, const char* text) { put(type, text, std::strlen(text) + 1); }

  std::uint32_t open(std::uint16_t type) {
    const std::uint32_t at = header().nlmsg_len;
    put(type, nullptr, 0);
    return at;
  }
  void close(std::uint32_t at) {
    reinterpret_cast<rtattr*>(bytes_.data() + at)->rta_len =
        static_cast<std::uint16_t>(header().nlmsg_len - at);
  }

 private:
  std::byte* end() { return bytes_.data() + header().nlmsg_len; }
  alignas(8) std::array<std::byte, 4096> bytes_{};
};

Netlink::Netlink() : fd_(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)) {
  if (fd_ < 0) throw system_error("cannot open a netlink socket", errno);
}

Netlink::~Netlink() { close(fd_); }

void Netlink::send(Message& message, const std::function<void(const nlmsghdr*)>& each) {
  message.header().nlmsg_seq = ++sequence_;
  if (::send(fd_, &message.header(), message.header().nlmsg_len, 0) < 0)
    throw system_error("netlink", errno);
  alignas(8) std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t got = recv(fd_, buffer.data(), buffer.size(), 0);
    if (got < 0) throw system_error("netlink", errno);
    auto left = static_cast<unsigned>(got);
    for (auto* h = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(h, left);
         h = NLMSG_NEXT(h, left)) {
      if (h->nlmsg_seq != sequence_) continue;
      if (h->nlmsg_type == NLMSG_DONE) return;
      if (h->nlmsg_type == NLMSG_ERROR) {
        const int error = static_cast<const nlmsgerr*>(NLMSG_DATA(h))->error;
        if (!error) return;
        throw std::system_error(-error, std::generic_category());
      }
      each(h);
    }
  }
}

void Netlink::send(Message& message, const std::string& what) {
  try {
    send(message, [](const nlmsghdr*) {});
  } catch (const std::system_error& e) {
    throw system_error(what, e.code().value());
  }
}

bool may_mark(const std::vector<Qdisc>& qdiscs) {
  constexpr std::string_view kMarking[] = {"cake",    "cake_mq", "choke",    "codel",
                                           "dualpi2", "fq",      "fq_codel", "fq_pie",
                                           "gred",    "pie",     "red",      "sfb"};
  return std::ranges::any_of(qdiscs, [&](const Qdisc& q) {
    return std::ranges::find(kMarking, q.kind) != std::end(kMarking);
  });
}

std::vector<Qdisc> Netlink::qdiscs(int ifindex) {
  std::vector<Qdisc> all;
  Message dump(RTM_GETQDISC, NLM_F_DUMP, ifindex, 0, 0);
  send(dump, [&](const nlmsghdr* h) {
    const auto* tc = static_cast<const tcmsg*>(NLMSG_DATA(h));
    if (h->nlmsg_type != RTM_NEWQDISC || tc->tcm_ifindex != ifindex) return;
    Qdisc q;
    q.handle = tc->tcm_handle;
    q.parent = tc->tcm_parent;
    int left = static_cast<int>(h->nlmsg_len - NLMSG_LENGTH(sizeof(tcmsg)));
    for (auto* a = reinterpret_cast<const rtattr*>(reinterpret_cast<const char*>(tc) +
                                                   NLMSG_ALIGN(sizeof(tcmsg)));
         RTA_OK(a, left); a = RTA_NEXT(a, left)) {
      if (a->rta_type == TCA_KIND) q.kind = static_cast<const char*>(RTA_DATA(a));
      if (a->rta_type == TCA_STATS) {
        tc_stats stats{};
        std::memcpy(&stats, RTA_DATA(a), std::min(sizeof(stats), RTA_PAYLOAD(a)));
        q.bytes = stats.bytes;
        q.drops = stats.drops;
        q.backlog_bytes = stats.backlog;
      }
    }
    all.push_back(q);
  });
  return all;
}

int Netlink::count_filters(int ifindex, std::uint32_t hook) {
  int count = 0;
  Message dump(RTM_GETTFILTER, NLM_F_DUMP, ifindex, 0, TC_H_MAKE(TC_H_CLSACT, hook));
  // A filter chain is told of once by itself and once for each of its filters.
  send(dump, [&](const nlmsghdr* h) {
    if (h->nlmsg_type == RTM_NEWTFILTER && static_cast<const tcmsg*>(NLMSG_DATA(h))->tcm_handle)
      ++count;
  });
  return count;
}

void Netlink::shape(int ifindex, std::uint64_t rate, std::uint64_t buffer_bytes, int flags) {
  const auto f = static_cast<std::uint16_t>(NLM_F_ACK | flags);
  Message root(RTM_NEWQDISC, f, ifindex, kShaperHandle, TC_H_ROOT);
  if (flags & NLM_F_CREATE) {
    root.put(TCA_KIND, "htb");
    const std::uint32_t at = root.open(TCA_OPTIONS);
    tc_htb_glob glob{};
    glob.version = 3;
    glob.rate2quantum = 10;
    glob.defcls = 1;
    root.put(TCA_HTB_INIT, &glob, sizeof(glob));
    root.close(at);
    send(root, "cannot install HTB as the root qdisc");
  }
  Message one(RTM_NEWTCLASS, f, ifindex, kShaperClass, kShaperHandle);
  one.put(TCA_KIND, "htb");
  const std::uint32_t at = one.open(TCA_OPTIONS);
  // Two milliseconds at once, so that timers need not be finer, and two packets.
  const std::uint64_t burst_bytes = std::max<std::uint64_t>(2 * kMtuBytes, rate / 500);
  tc_htb_opt opt{};
  opt.rate.rate = static_cast<std::uint32_t>(std::min<std::uint64_t>(rate, UINT32_MAX));
  opt.rate.linklayer = TC_LINKLAYER_ETHERNET;
  opt.ceil = opt.rate;
  opt.buffer = static_cast<std::uint32_t>(burst_bytes * 1'000'000'000 / rate / kTickNs);
  opt.cbuffer = opt.buffer;
  opt.quantum = kMtuBytes;
  one.put(TCA_HTB_PARMS, &opt, sizeof(opt));
  if (rate > UINT32_MAX) {
    one.put(TCA_HTB_RATE64, &rate, sizeof(rate));
    one.put(TCA_HTB_CEIL64, &rate, sizeof(rate));
  }
  one.close(at);
  send(one, "cannot set the rate");
  Message fifo(RTM_NEWQDISC, f, ifindex, kFifoHandle, kShaperClass);
  fifo.put(TCA_KIND, "bfifo");
  tc_fifo_qopt limit{};
  limit.limit = static_cast<std::uint32_t>(buffer_bytes);
  fifo.put(TCA_OPTIONS, &limit, sizeof(limit));
  send(fifo, "cannot install the byte-limited FIFO");
}

void Netlink::add_shaper(int ifindex, std::uint64_t rate, std::uint64_t buffer_bytes) {
  shape(ifindex, rate, buffer_bytes, NLM_F_CREATE | NLM_F_EXCL);
}

void Netlink::change_shaper(int ifindex, std::uint64_t rate, std::uint64_t buffer_bytes) {
  shape(ifindex, rate, buffer_bytes, 0);
}

void Netlink::remove_shaper(int ifindex) {
  Message root(RTM_DELQDISC, NLM_F_ACK, ifindex, kShaperHandle, TC_H_ROOT);
  send(root, "cannot remove the root qdisc");
}

}  // namespace penstock::gw
