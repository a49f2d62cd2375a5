// SPDX-License-Identifier: GPL-2.0-only
// rtnetlink for qdiscs, classes and filters: what tc(8) does, without tc.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

struct nlmsghdr;

namespace penstock::gw {

struct Qdisc {
  std::string kind;
  std::uint32_t handle = 0;
  std::uint32_t parent = 0;
  std::uint64_t bytes = 0;
  std::uint64_t drops = 0;
  std::uint64_t backlog_bytes = 0;
};

// Whether one of these may set CE on packets (R20).
bool may_mark(const std::vector<Qdisc>& qdiscs);

class Netlink {
 public:
  Netlink();  // of the network namespace that the caller is in
  ~Netlink();
  Netlink(const Netlink&) = delete;
  Netlink& operator=(const Netlink&) = delete;

  std::vector<Qdisc> qdiscs(int ifindex);
  // Filters on one clsact hook of the device: TC_H_MIN_INGRESS or _EGRESS.
  int count_filters(int ifindex, std::uint32_t hook);

  // HTB of one class with a FIFO of `buffer_bytes` as the root. Fails with EEXIST
  // if there is a root that somebody has put there.
  void add_shaper(int ifindex, std::uint64_t rate_bytes_per_s, std::uint64_t buffer_bytes);
  void change_shaper(int ifindex, std::uint64_t rate_bytes_per_s, std::uint64_t buffer_bytes);
  void remove_shaper(int ifindex);

 private:
  class Message;
  void send(Message& message, const std::function<void(const nlmsghdr*)>& each);
  void send(Message& message, const std::string& what);
  void shape(int ifindex, std::uint64_t rate_bytes_per_s, std::uint64_t buffer_bytes, int flags);

  int fd_;
  std::uint32_t sequence_ = 0;
};

// Handle of the root that add_shaper() installs: 5057:.
inline constexpr std::uint32_t kShaperHandle = 0x50570000;

}  // namespace penstock::gw
