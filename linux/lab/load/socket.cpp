// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/load/socket.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstring>

#include "linux/common/error.h"

namespace penstock::load {
namespace {

// Unsent data in the sender's buffer: enough to keep TCP busy.
constexpr int kUnsentBytes = 256 * 1024;

void set_option(int fd, int level, int option, int value, const char* what) {
  if (setsockopt(fd, level, option, &value, sizeof(value)) != 0) throw system_error(what, errno);
}

Descriptor make_socket(const Address& address, int type) {
  Descriptor made(socket(address.storage.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made) throw system_error("socket", errno);
  return made;
}

void limit_segment(int fd, std::uint32_t segment_bytes) {
  if (segment_bytes != 0)
    set_option(fd, IPPROTO_TCP, TCP_MAXSEG, static_cast<int>(segment_bytes), "TCP_MAXSEG");
}

void limit_receive_buffer(int fd, std::uint64_t window_bytes) {
  // The kernel doubles the value, and half of the buffer is window at first. Without the right
  // to go beyond net.core.rmem_max, as much as that allows.
  const int bytes = static_cast<int>(window_bytes);
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) != 0)
    set_option(fd, SOL_SOCKET, SO_RCVBUF, bytes, "SO_RCVBUF");
  limit_window(fd, window_bytes);
}

// A connection that is accepted inherits all of it.
void configure(int fd, const Flow& flow) {
  limit_segment(fd, flow.segment_bytes);
  if (!flow.sends) {
    if (flow.window_bytes != 0) limit_receive_buffer(fd, flow.window_bytes);
    return;
  }
  if (!flow.congestion.empty() &&
      setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, flow.congestion.data(),
                 static_cast<socklen_t>(flow.congestion.size())) != 0)
    throw system_error("congestion control " + flow.congestion, errno);
  set_option(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, kUnsentBytes, "TCP_NOTSENT_LOWAT");
  if (!flow.nagle) set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
}

}  // namespace

Address make_address(const std::string& text, std::uint16_t port) {
  Address made;
  auto* four = reinterpret_cast<sockaddr_in*>(&made.storage);
  auto* six = reinterpret_cast<sockaddr_in6*>(&made.storage);
  if (inet_pton(AF_INET, text.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    made.length = sizeof(*four);
  } else if (inet_pton(AF_INET6, text.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    made.length = sizeof(*six);
  } else {
    throw Error(kUsage, "'" + text + "' is neither an IPv4 nor an IPv6 address");
  }
  return made;
}

Descriptor connect_tcp(const Flow& flow) {
  const Address peer = make_address(flow.address, flow.port);
  Descriptor made = make_socket(peer, SOCK_STREAM);
  configure(made.fd(), flow);
  if (!flow.source.empty()) {
    const Address own = make_address(flow.source, 0);
    if (bind(made.fd(), own.get(), own.length) != 0)
      throw system_error("bind to " + flow.source, errno);
  }
  if (connect(made.fd(), peer.get(), peer.length) != 0 && errno != EINPROGRESS)
    throw system_error("connect to " + flow.address, errno);
  return made;
}

Descriptor listen_tcp(const Flow& flow) {
  const Address own = make_address(flow.address, flow.port);
  Descriptor made = make_socket(own, SOCK_STREAM);
  set_option(made.fd(), SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR");
  configure(made.fd(), flow);
  if (bind(made.fd(), own.get(), own.length) != 0)
    throw system_error("bind to " + flow.address + " port " + std::to_string(flow.port), errno);
  if (listen(made.fd(), 1) != 0) throw system_error("listen", errno);
  return made;
}

Descriptor open_udp(const Flow& flow) {
  const Address address = make_address(flow.address, flow.port);
  Descriptor made = make_socket(address, SOCK_DGRAM);
  if (flow.sends && !flow.source.empty()) {
    const Address own = make_address(flow.source, 0);
    if (bind(made.fd(), own.get(), own.length) != 0)
      throw system_error("bind to " + flow.source, errno);
  }
  const auto use = flow.sends ? connect : bind;
  if (use(made.fd(), address.get(), address.length) != 0)
    throw system_error("UDP at " + flow.address, errno);
  return made;
}

void limit_window(int fd, std::uint64_t window_bytes) {
  set_option(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, static_cast<int>(window_bytes), "TCP_WINDOW_CLAMP");
}

TcpState tcp_state(int fd) {
  tcp_info info{};
  socklen_t length = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
    throw system_error("TCP_INFO", errno);
  TcpState state;
  state.bytes_sent = info.tcpi_bytes_sent;
  state.bytes_retransmitted = info.tcpi_bytes_retrans;
  state.segments_sent = info.tcpi_data_segs_out;
  state.retransmissions = info.tcpi_total_retrans;
  state.rtt_us = info.tcpi_rtt;
  state.min_rtt_us = info.tcpi_min_rtt;
  state.cwnd_segments = info.tcpi_snd_cwnd;
  state.mss_bytes = info.tcpi_snd_mss;
  state.send_window_bytes = info.tcpi_snd_wnd;
  state.reorderings = info.tcpi_reord_seen;
  return state;
}

int socket_error(int fd) {
  int error = 0;
  socklen_t length = sizeof(error);
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
  return error;
}

void close_hard(Descriptor& socket) {
  const linger at_once{1, 0};
  if (socket) setsockopt(socket.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  socket.reset();
}

}  // namespace penstock::load
