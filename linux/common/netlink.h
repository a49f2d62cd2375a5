// SPDX-License-Identifier: GPL-2.0-only
// rtnetlink for traffic control: what tc(8) does, without tc.
#pragma once

#include <linux/rtnetlink.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "linux/common/descriptor.h"

namespace penstock {

struct Qdisc {
  std::string kind{};
  std::uint32_t handle = 0;
  std::uint32_t parent = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t sent_packets = 0;
  std::uint64_t drops = 0;
  std::uint64_t backlog_bytes = 0;
  std::uint64_t backlog_packets = 0;
};

// A class of a classful qdisc, and the backlog of its leaf.
struct TrafficClass {
  std::uint32_t id = 0;
  std::uint32_t parent = 0;
  std::uint32_t leaf = 0;  // handle of its qdisc; 0: the one that it made itself
  std::uint64_t drops = 0;
  std::uint64_t backlog_bytes = 0;
};

// A filter on a hook of clsact; those of smaller priority see a packet first.
struct Filter {
  std::string kind{};
  std::string name{};  // of a BPF program
  std::uint32_t priority = 0;
};

// One request about qdiscs, classes or filters; attributes are appended.
class TrafficControlRequest {
 public:
  TrafficControlRequest(std::uint16_t type, std::uint16_t flags, int ifindex, std::uint32_t handle,
                        std::uint32_t parent);
  nlmsghdr& header() { return *reinterpret_cast<nlmsghdr*>(bytes_.data()); }
  void put(std::uint16_t type, const void* data, std::size_t length);
  void put(std::uint16_t type, const char* text);
  // An attribute that holds others: those put between open() and close().
  std::uint32_t open(std::uint16_t type);
  void close(std::uint32_t begin);

 private:
  std::byte* end() { return bytes_.data() + header().nlmsg_len; }
  alignas(8) std::array<std::byte, 4096> bytes_{};
};

// Sends a request, with what follows its header, and hands each message of the answer to `each`,
// until the kernel acknowledges or a dump ends. Returns the kernel's error, or 0; another failure
// is Error "what: reason".
int exchange(int socket, const nlmsghdr& request, const std::string& what,
             const std::function<void(const nlmsghdr*)>& each);

class Netlink {
 public:
  Netlink();  // of the network namespace that the caller is in; throws Error

  // Sends and waits for the acknowledgement, or hands each message of a dump to `each`. An error
  // of the kernel's is Error "what: reason".
  void send(
      TrafficControlRequest& request, const std::string& what,
      const std::function<void(const nlmsghdr*)>& each = [](const nlmsghdr*) {});

  std::vector<Qdisc> qdiscs(int ifindex);
  std::vector<TrafficClass> classes(int ifindex);
  // On the hook TC_H_MIN_INGRESS or _EGRESS.
  std::vector<Filter> filters(int ifindex, std::uint32_t hook);

 private:
  Descriptor socket_;
  std::uint32_t sequence_ = 0;
};

// One message of a dump of either.
Qdisc qdisc_of(const nlmsghdr* header);
TrafficClass class_of(const nlmsghdr* header);

// The leaf classes, in which packets are queued.
std::vector<TrafficClass> leaves_of(std::vector<TrafficClass> classes);

// As tc(8) writes it: "1:10", or "5057:" of a qdisc.
std::string handle_text(std::uint32_t handle);

// The qdisc at the root, or null.
const Qdisc* find_root(const std::vector<Qdisc>& qdiscs);

}  // namespace penstock
