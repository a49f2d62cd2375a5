// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/load/watch.h"

#include <linux/pkt_sched.h>
#include <net/if.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include "linux/common/clock.h"
#include "linux/common/error.h"
#include "linux/common/netlink.h"

namespace penstock::load {
namespace {

// The qdisc of that handle, or the root for 0; nothing if the device has none.
std::optional<Qdisc> read(Netlink& netlink, int device, std::uint32_t handle) {
  const auto qdiscs = netlink.qdiscs(device);
  for (const Qdisc& q : qdiscs)
    if (handle != 0 ? q.handle == handle : q.parent == TC_H_ROOT) return q;
  return std::nullopt;
}

// The next terminating signal, or -1 at the end of the time.
int wait_until(const sigset_t& signals, std::uint64_t time_ns) {
  const timespec left = left_until(time_ns);
  return sigtimedwait(&signals, nullptr, &left);
}

}  // namespace

std::uint32_t parse_handle(std::string_view text) {
  std::uint32_t major = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, major, 16);
  if (error != std::errc() || end + 1 != last || *end != ':' || major == 0 || major > 0xffff)
    throw std::invalid_argument("'" + std::string(text) +
                                "' is not a handle; write it as tc does: 10:");
  return major << 16;
}

int watch(const Watch& what) {
  const auto device = static_cast<int>(if_nametoindex(what.device.c_str()));
  if (device == 0) throw system_error("device " + what.device, errno);
  Netlink netlink;
  if (!read(netlink, device, what.handle))
    throw Error(kFailed, "device " + what.device + " has no such queue");
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
    const auto counts = read(netlink, device, what.handle);
    if (!counts) throw Error(kFailed, "the queue of " + what.device + " was removed");
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
