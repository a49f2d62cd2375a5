// SPDX-License-Identifier: GPL-2.0-only
#include "linux/common/http.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <map>
#include <vector>

#include "linux/common/clock.h"
#include "linux/common/error.h"

namespace penstock {

namespace {

constexpr std::size_t kMostClients = 64;
constexpr std::size_t kMostOpen = 16;
constexpr std::size_t kMostRequestBytes = 8192;
constexpr std::size_t kMostUnreadBytes = std::size_t{1} << 20;
constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr std::uint64_t kAcceptPauseNs = 100 * kNsPerMs;
constexpr std::string_view kEndOfHeaders = "\r\n\r\n";

const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    default:
      return "Service Unavailable";
  }
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// The value of a header, without blanks around it; empty if there is none.
std::string header_of(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(head.size(), line.size() + 2));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !same_letters(line.substr(0, colon), name)) continue;
    std::string_view value = line.substr(colon + 1);
    const auto first = value.find_first_not_of(" \t");
    if (first == std::string_view::npos) return "";
    value = value.substr(first, value.find_last_not_of(" \t") - first + 1);
    return std::string(value);
  }
  return "";
}

struct RequestLine {
  std::string_view method;
  std::string_view target;
};

RequestLine request_line(std::string_view head) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::size_t one = line.find(' ');
  const std::size_t two = line.rfind(' ');
  if (one == std::string_view::npos || two <= one) return {};
  return {line.substr(0, one), line.substr(one + 1, two - one - 1)};
}

// The address of the other end, without its port; empty of a Unix socket.
std::string peer_of(const Descriptor& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  std::array<char, NI_MAXHOST> host{};
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (getpeername(socket.fd(), any, &size) || address.ss_family == AF_UNIX ||
      getnameinfo(any, size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST))
    return "";
  return host.data();
}

}  // namespace

HttpServer::HttpServer(Descriptor listener, std::string headers, Handler handler)
    : listener_(std::move(listener)), headers_(std::move(headers)), handler_(std::move(handler)) {}

std::size_t HttpServer::open_count() const {
  return static_cast<std::size_t>(std::ranges::count_if(clients_, &Client::open));
}

void HttpServer::poll_once(int timeout_ms) {
  const std::uint64_t now_ns = clock_ns();
  const bool accepts = now_ns >= accepts_from_ns_;
  if (!accepts) {
    const int pause_ms = static_cast<int>((accepts_from_ns_ - now_ns) / kNsPerMs) + 1;
    timeout_ms = timeout_ms < 0 ? pause_ms : std::min(timeout_ms, pause_ms);
  }
  std::vector<pollfd> ends{{accepts ? listener_.fd() : -1, POLLIN, 0}};
  for (const Client& client : clients_) {
    const int wanted = client.out.empty() ? POLLIN : POLLIN | POLLOUT;
    ends.push_back({client.socket.fd(), static_cast<short>(wanted), 0});
  }
  const int ready = poll(ends.data(), ends.size(), timeout_ms);
  if (ready < 0 && errno != EINTR) throw system_error("poll", errno);
  if (ready <= 0) return;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    Client& client = clients_[i];
    const short events = ends[i + 1].revents;
    if (events & POLLOUT) write(client);
    if (events & ~POLLOUT) read(client);
  }
  std::erase_if(clients_, [](const Client& client) { return client.over; });
  if (ends[0].revents) accept_one();
}

void HttpServer::accept_one() {
  Descriptor socket(accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) {
    // Whoever waits stays acceptable, so poll() would return at once for as long as this lasts.
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      accepts_from_ns_ = clock_ns() + kAcceptPauseNs;
    return;
  }
  clients_.push_back({});
  clients_.back().socket = std::move(socket);
  clients_.back().peer = peer_of(clients_.back().socket);
  if (clients_.size() <= kMostClients) return;
  const auto idle = std::ranges::find(clients_, false, &Client::open);
  if (idle != clients_.end()) clients_.erase(idle);
}

// The oldest answer of the peer that has most of them open: nobody keeps others from the page.
void HttpServer::close_one_open() {
  std::map<std::string, int> open;
  for (const Client& client : clients_)
    if (client.open && !client.over) ++open[client.peer];
  const auto most = std::ranges::max_element(open, {}, [](const auto& one) { return one.second; });
  for (Client& client : clients_)
    if (client.open && !client.over && client.peer == most->first) {
      client.open = false;
      client.over = true;
      return;
    }
}

void HttpServer::read(Client& client) {
  std::array<char, 4096> part{};
  const ssize_t n = recv(client.socket.fd(), part.data(), part.size(), 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    client.over = true;
    return;
  }
  if (client.answered) return;
  client.in.append(part.data(), static_cast<std::size_t>(n));
  if (client.in.find(kEndOfHeaders) != std::string::npos)
    answer(client);
  else if (client.in.size() > kMostRequestBytes)
    client.over = true;
}

void HttpServer::answer(Client& client) {
  const RequestLine line = request_line(client.in);
  const bool head = line.method == "HEAD";
  HttpAnswer answer;
  if (line.method.empty() || !line.target.starts_with('/'))
    answer = {400, answer.type, "this is not an HTTP request\n", false};
  else if (line.method != "GET" && !head)
    answer = {405, answer.type, "GET and HEAD only\n", false};
  else
    answer = handler_({std::string(line.target.substr(0, line.target.find('?'))),
                       header_of(client.in, "Host"), header_of(client.in, "Authorization")});
  if (answer.open && open_count() >= kMostOpen) close_one_open();
  client.out = "HTTP/1.1 " + std::to_string(answer.status) + " " + reason_of(answer.status) +
               "\r\nContent-Type: " + answer.type + "\r\nConnection: close\r\n";
  if (answer.status == 405) client.out += "Allow: GET, HEAD\r\n";
  if (!answer.open) client.out += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n";
  client.out += headers_ + "\r\n";
  if (!head) client.out += answer.body;
  client.answered = true;
  client.open = answer.open && !head;
  client.in.clear();
  write(client);
}

void HttpServer::write(Client& client) {
  while (!client.out.empty()) {
    const ssize_t n = send(client.socket.fd(), client.out.data(), client.out.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      client.over = true;
      return;
    }
    client.out.erase(0, static_cast<std::size_t>(n));
  }
  if (client.answered && !client.open) client.over = true;
}

void HttpServer::publish(std::string_view text) {
  for (Client& client : clients_) {
    if (!client.open || client.over) continue;
    client.out += text;
    write(client);
    if (client.out.size() > kMostUnreadBytes) client.over = true;
  }
  std::erase_if(clients_, [](const Client& client) { return client.over; });
}

}  // namespace penstock
