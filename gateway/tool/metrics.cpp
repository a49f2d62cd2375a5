// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/tool/metrics.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <deque>
#include <vector>

#include "core/describe.h"
#include "gateway/common/descriptor.h"
#include "gateway/tool/error.h"
#include "gateway/tool/settings.h"

namespace penstock::gw {

namespace {

class Text {
 public:
  explicit Text(const std::string& device) : device_(device) {}

  void family(const std::string& name, const char* type, const char* help) {
    name_ = "penstock_" + name;
    out_ += "# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " " + type + "\n";
  }
  void sample(double value, const std::string& labels = "") {
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "%.17g", value);
    out_ += name_ + "{iface=\"" + device_ + "\"" + (labels.empty() ? "" : "," + labels) + "} " +
            number.data() + "\n";
  }
  void one(const std::string& name, const char* type, const char* help, double value,
           const std::string& labels = "") {
    family(name, type, help);
    sample(value, labels);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string device_;
  std::string name_;
  std::string out_;
};

void put_counters(Text& t, const Snapshot& s) {
  for (int i = 0; i < kCounterRowCount; ++i)
    t.one(std::string(kCounterRows[i].name) + "_total", "counter", kCounterRows[i].help,
          static_cast<double>(s.count(i)));
  t.family("bypassed_packets_total", "counter", "packets that passed without a look at the window");
  for (int i = 0; i < kBypassRowCount; ++i)
    t.sample(static_cast<double>(s.count(GW_PASS_not_ip + i)),
             "reason=\"" + std::string(kBypassRows[i].name) + "\"");
  t.family("acks_decided_total", "counter", "ACKs by the rule that had the last word");
  for (std::uint32_t i = 0; i < PST_LIMIT_COUNT; ++i)
    t.sample(static_cast<double>(s.count(GW_BY_LIMIT + static_cast<int>(i))),
             "rule=\"" + std::string(limit_name(i)) + "\"");
}

}  // namespace

std::string metrics_text(const Snapshot& s) {
  Text t(s.device.name);
  const gw_config& c = s.attachment.config;
  t.one("up", "gauge", "1 if windows are rewritten, or would be when observing",
        s.state == State::kLive || s.state == State::kObserve);
  t.one("observing", "gauge", "1 if no packet is touched", s.state == State::kObserve);
  if (s.state == State::kOff) return t.take();
  t.one("info", "gauge", "method and mode", 1,
        "method=\"" + std::string(pst_variant_rows[c.variant].name) + "\",mode=\"" +
            mode_name(c.gateway.mode) + "\",source=\"" + source_name(c.queue_source) + "\"");
  t.one("rate_bytes_per_second", "gauge", "rate, as configured or measured",
        static_cast<double>(s.line_bytes_per_s()));
  t.one("queue_limit_bytes", "gauge", "limit of the queue", static_cast<double>(c.limit_bytes));
  t.one("queue_bytes", "gauge", "bytes that wait", static_cast<double>(s.backlog_bytes));
  t.one("queue_delay_seconds", "gauge", "time that they take at the rate",
        static_cast<double>(s.backlog_bytes) / static_cast<double>(s.rate_bytes_per_s()));
  t.one("queue_drops_total", "counter", "packets dropped at the queue",
        static_cast<double>(s.drops));
  t.one("flows_active", "gauge", "flows that sent data of late",
        static_cast<double>(s.flows_active));
  t.one("controllable_ratio", "gauge", "part of the bytes sent that can be controlled",
        s.controllable_ratio());
  put_counters(t, s);
  return t.take();
}

void write_metrics(const Snapshot& s, const std::string& path) {
  // A new file: an existing one of this name, in particular a link, is not followed.
  const std::string beside = path + ".new";
  unlink(beside.c_str());
  const Descriptor file(
      open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  const std::string text = metrics_text(s);
  if (!file || write(file.fd(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      std::rename(beside.c_str(), path.c_str()))
    throw system_error("cannot write " + path, errno);
}

namespace {

// Looked up each time: a device may have been removed or replaced.
std::string current_text(const std::string& name) {
  try {
    return metrics_text(take_snapshot(find_device_or_pins(name)));
  } catch (const Error&) {
    Snapshot off;
    off.device.name = name;
    return metrics_text(off);
  }
}

constexpr std::size_t kMostClients = 64;

// One look and one answer, which fits the socket's buffer: no client is waited for.
void answer(const Descriptor& client, const std::string& name) {
  std::array<char, 2048> request{};
  if (recv(client.fd(), request.data(), request.size(), 0) <= 0) return;
  const std::string body = current_text(name);
  const std::string text =
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nConnection: close\r\n"
      "Content-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  send(client.fd(), text.data(), text.size(), MSG_NOSIGNAL);
}

}  // namespace

int serve_metrics(const std::string& name, int port) {
  const Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(listener.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (bind(listener.fd(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) ||
      listen(listener.fd(), 8))
    throw system_error("cannot listen on 127.0.0.1:" + std::to_string(port), errno);
  std::deque<Descriptor> clients;  // that have not asked yet, the oldest first
  for (;;) {
    std::vector<pollfd> ends{{listener.fd(), POLLIN, 0}};
    for (const Descriptor& client : clients) ends.push_back({client.fd(), POLLIN, 0});
    if (poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) throw system_error("poll", errno);
    for (std::size_t i = clients.size(); i > 0; --i) {
      if (!ends[i].revents) continue;
      answer(clients[i - 1], name);
      clients.erase(clients.begin() + static_cast<std::ptrdiff_t>(i - 1));
    }
    if (!ends[0].revents) continue;
    const int client = accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client >= 0) clients.emplace_back(client);
    if (clients.size() > kMostClients) clients.pop_front();
  }
}

}  // namespace penstock::gw
