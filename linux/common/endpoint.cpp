// SPDX-License-Identifier: GPL-2.0-only
// Addresses to listen on.
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "linux/common/error.h"
#include "linux/common/http.h"
#include "linux/common/quantity.h"

namespace penstock {

namespace {

constexpr std::string_view kUnix = "unix:";
constexpr int kBacklog = 16;
constexpr std::uint64_t kMostPort = 65535;

[[noreturn]] void refuse(std::string_view text) {
  throw std::invalid_argument(
      "'" + std::string(text) +
      "' is not ADDRESS:PORT or unix:PATH, such as 127.0.0.1:7470, [::1]:7470 or "
      "unix:/run/penstock/wan0.sock");
}

int port_of(std::string_view digits, std::string_view text) {
  try {
    const std::uint64_t port = parse_count(digits);
    if (port >= 1 && port <= kMostPort) return static_cast<int>(port);
  } catch (const std::invalid_argument&) {
  }
  refuse(text);
}

struct Resolved {
  sockaddr_storage address{};
  socklen_t size = 0;
};

// Of a numeric address: no name server is asked.
Resolved resolved(const Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  addrinfo* found = nullptr;
  if (getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found))
    throw Error(kUsage, "'" + endpoint.host + "' is not an address of IPv4 or IPv6");
  Resolved one;
  one.size = found->ai_addrlen;
  std::memcpy(&one.address, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  return one;
}

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path))
    throw Error(kUsage, "the path of the socket is longer than " +
                            std::to_string(sizeof(address.sun_path) - 1) + " bytes: " + path);
  path.copy(address.sun_path, path.size());
  return address;
}

// Removes what a server that was killed has left.
void remove_dead(const sockaddr_un& address) {
  struct stat found{};
  if (lstat(address.sun_path, &found) || !S_ISSOCK(found.st_mode)) return;
  const Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(probe.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) &&
      errno == ECONNREFUSED)
    unlink(address.sun_path);
}

Descriptor listen_unix(const std::string& path) {
  const sockaddr_un address = unix_address(path);
  remove_dead(address);
  Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const mode_t before = umask(S_IRWXG | S_IRWXO);
  const int failed =
      bind(listener.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  const int error_number = errno;
  umask(before);
  if (failed) throw system_error("cannot listen on " + path, error_number);
  if (listen(listener.fd(), kBacklog)) throw system_error("cannot listen on " + path, errno);
  return listener;
}

}  // namespace

bool Endpoint::is_loopback() const {
  return host.empty() || host.starts_with("127.") || host == "::1";
}

std::string Endpoint::text() const {
  if (host.empty()) return std::string(kUnix) + path;
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Endpoint parse_endpoint(std::string_view text) {
  Endpoint endpoint;
  if (text.starts_with(kUnix)) {
    endpoint.path = text.substr(kUnix.size());
    if (endpoint.path.empty()) refuse(text);
    return endpoint;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) refuse(text);
  std::string_view host = text.substr(0, colon);
  endpoint.port = port_of(text.substr(colon + 1), text);
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string_view::npos)
    refuse(text);
  if (host.empty()) refuse(text);
  endpoint.host = host;
  return endpoint;
}

Descriptor listen_on(const Endpoint& endpoint) {
  if (endpoint.host.empty()) return listen_unix(endpoint.path);
  const Resolved at = resolved(endpoint);
  Descriptor listener(socket(at.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(listener.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(listener.fd(), reinterpret_cast<const sockaddr*>(&at.address), at.size) ||
      listen(listener.fd(), kBacklog))
    throw system_error("cannot listen on " + endpoint.text(), errno);
  return listener;
}

}  // namespace penstock
