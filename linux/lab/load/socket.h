// SPDX-License-Identifier: GPL-2.0-only
// Sockets of the load generator, and what the kernel knows about a connection.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "linux/common/descriptor.h"
#include "linux/lab/load/plan.h"

namespace penstock::load {

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Address make_address(const std::string& text, std::uint16_t port);  // throws Error(kUsage)

// The TCP_INFO of a sender.
struct TcpState {
  std::uint64_t bytes_sent = 0;  // payload, retransmissions included
  std::uint64_t bytes_retransmitted = 0;
  std::uint64_t segments_sent = 0;  // with payload
  std::uint64_t retransmissions = 0;
  std::uint32_t rtt_us = 0;
  std::uint32_t min_rtt_us = 0;
  std::uint32_t cwnd_segments = 0;
  std::uint32_t mss_bytes = 0;
  std::uint32_t send_window_bytes = 0;  // that the peer granted
  std::uint32_t reorderings = 0;
};

// All throw Error. Non-blocking, closed on exec.
Descriptor connect_tcp(const Flow& flow);
Descriptor listen_tcp(const Flow& flow);
Descriptor open_udp(const Flow& flow);  // connected to the peer, or bound to receive
void limit_window(int fd, std::uint64_t window_bytes);
TcpState tcp_state(int fd);
int socket_error(int fd);
void close_hard(Descriptor& socket);  // with a reset, so that nothing lingers

}  // namespace penstock::load
