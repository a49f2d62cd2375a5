// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/load/watch.h"

#include <linux/gen_stats.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "gateway/link/cli.h"
#include "gateway/link/units.h"
#include "gateway/load/loop.h"
#include "gateway/load/socket.h"

namespace penstock::load {
namespace {

struct Counts {
  std::uint64_t backlog_bytes = 0, backlog_packets = 0, drops = 0, sent_bytes = 0, sent_packets = 0;
};

template <typename Value>
std::optional<Value> attribute(const rtattr* list, int length, int type) {
  for (; RTA_OK(list, length); list = RTA_NEXT(list, length)) {
    if ((list->rta_type & NLA_TYPE_MASK) != type || RTA_PAYLOAD(list) < sizeof(Value)) continue;
    Value value;
    std::memcpy(&value, RTA_DATA(list), sizeof(value));
    return value;
  }
  return std::nullopt;
}

const rtattr* nested(const rtattr* list, int length, int type, int& inner_length) {
  for (; RTA_OK(list, length); list = RTA_NEXT(list, length)) {
    if ((list->rta_type & NLA_TYPE_MASK) != type) continue;
    inner_length = static_cast<int>(RTA_PAYLOAD(list));
    return static_cast<const rtattr*>(RTA_DATA(list));
  }
  return nullptr;
}

Counts counts_of(const rtattr* list, int length) {
  Counts counts;
  int inner = 0;
  const rtattr* stats = nested(list, length, TCA_STATS2, inner);
  if (stats == nullptr) return counts;
  if (const auto queue = attribute<gnet_stats_queue>(stats, inner, TCA_STATS_QUEUE)) {
    counts.backlog_bytes = queue->backlog;
    counts.backlog_packets = queue->qlen;
    counts.drops = queue->drops;
  }
  if (const auto basic = attribute<gnet_stats_basic>(stats, inner, TCA_STATS_BASIC)) {
    counts.sent_bytes = basic->bytes;
    counts.sent_packets = basic->packets;
  }
  // The 32-bit count of packets above wraps; newer kernels send this one beside it.
  if (const auto packets = attribute<std::uint64_t>(stats, inner, TCA_STATS_PKT64))
    counts.sent_packets = *packets;
  return counts;
}

class Netlink {
 public:
  Netlink() : socket_(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)) {
    if (!socket_) throw_errno("netlink socket");
  }

  // The counters of one qdisc; nothing if the device has none with that handle.
  std::optional<Counts> read(int device, std::uint32_t handle) {
    ask(device);
    std::optional<Counts> found;
    while (true) {
      const ssize_t got = recv(socket_.fd(), buffer_.data(), buffer_.size(), 0);
      if (got < 0) throw_errno("netlink");
      auto length = static_cast<unsigned>(got);
      auto* header = reinterpret_cast<nlmsghdr*>(buffer_.data());
      for (; NLMSG_OK(header, length); header = NLMSG_NEXT(header, length)) {
        if (header->nlmsg_type == NLMSG_DONE || header->nlmsg_type == NLMSG_ERROR) return found;
        if (const auto counts = match(header, device, handle)) found = counts;
      }
    }
  }

 private:
  void ask(int device) {
    struct {
      nlmsghdr header;
      tcmsg message;
    } request{};
    request.header.nlmsg_len = sizeof(request);
    request.header.nlmsg_type = RTM_GETQDISC;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.message.tcm_family = AF_UNSPEC;
    request.message.tcm_ifindex = device;
    if (send(socket_.fd(), &request, sizeof(request), 0) < 0) throw_errno("netlink");
  }

  static std::optional<Counts> match(const nlmsghdr* header, int device, std::uint32_t handle) {
    if (header->nlmsg_type != RTM_NEWQDISC) return std::nullopt;
    const auto* message = static_cast<const tcmsg*>(NLMSG_DATA(header));
    const bool wanted =
        handle != 0 ? message->tcm_handle == handle : message->tcm_parent == TC_H_ROOT;
    if (message->tcm_ifindex != device || !wanted) return std::nullopt;
    const auto* list = reinterpret_cast<const rtattr*>(reinterpret_cast<const char*>(message) +
                                                       NLMSG_ALIGN(sizeof(tcmsg)));
    return counts_of(list, static_cast<int>(header->nlmsg_len - NLMSG_LENGTH(sizeof(tcmsg))));
  }

  Socket socket_;
  alignas(nlmsghdr) std::array<char, 65536> buffer_{};
};

// The next signal that ends us, or -1 when the time has come.
int wait_until(const sigset_t& signals, std::uint64_t time_ns) {
  const std::uint64_t now_ns = clock_ns();
  const std::uint64_t left_ns = time_ns > now_ns ? time_ns - now_ns : 0;
  timespec left{};
  left.tv_sec = static_cast<time_t>(left_ns / 1'000'000'000u);
  left.tv_nsec = static_cast<long>(left_ns % 1'000'000'000u);
  return sigtimedwait(&signals, nullptr, &left);
}

}  // namespace

std::uint32_t parse_handle(const std::string& text) {
  std::uint32_t major = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, major, 16);
  if (error != std::errc() || end + 1 != last || *end != ':' || major == 0 || major > 0xffff)
    throw UsageError("'" + text + "' is no handle; write it as tc does: 10:");
  return major << 16;
}

int watch(const Watch& what) {
  const auto device = static_cast<int>(if_nametoindex(what.device.c_str()));
  if (device == 0) throw_errno("device " + what.device);
  Netlink netlink;
  if (!netlink.read(device, what.handle))
    throw std::runtime_error("device " + what.device + " has no such queue");
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  std::printf("ready\n");
  std::fflush(stdout);
  std::printf("time_ns,backlog_bytes,backlog_packets,drops,sent_bytes,sent_packets\n");
  const std::uint64_t epoch_ns = what.epoch_ns != 0 ? what.epoch_ns : clock_ns();
  for (std::uint64_t due_ns = epoch_ns; what.until_ns == 0 || due_ns <= epoch_ns + what.until_ns;) {
    if (wait_until(signals, due_ns) > 0) break;
    const auto counts = netlink.read(device, what.handle);
    if (!counts) throw std::runtime_error("the queue of " + what.device + " was removed");
    const std::uint64_t now_ns = clock_ns();
    std::printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                now_ns - epoch_ns, counts->backlog_bytes, counts->backlog_packets, counts->drops,
                counts->sent_bytes, counts->sent_packets);
    due_ns = std::max(due_ns + what.every_ns, now_ns);  // late: go on from now
  }
  std::fflush(stdout);
  return kOk;
}

}  // namespace penstock::load
