// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/serve/serve.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <optional>

#include "linux/common/clock.h"
#include "linux/gateway/tool/auto/day.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"
#include "linux/gateway/tool/view/live.h"
#include "linux/gateway/tool/view/report.h"
#include "page_files.h"

namespace penstock::gw {

namespace {

constexpr Pace kPace = {kNsPerS / 10, kNsPerS, kNsPerS};
constexpr std::uint64_t kNsPerMs = 1'000'000;
constexpr std::size_t kTokenBytes = 16;
constexpr std::size_t kLeastToken = 16;

constexpr const char* kHeaders =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Cache-Control: no-store\r\n";

struct File {
  const char* path;
  const char* type;
  std::string_view content;
};
constexpr File kFiles[] = {
    {"/", "text/html; charset=utf-8", page::page_html},
    {"/page.css", "text/css; charset=utf-8", page::page_css},
    {"/page.js", "text/javascript; charset=utf-8", page::page_js},
    {"/chart.js", "text/javascript; charset=utf-8", page::chart_js},
    {"/path.js", "text/javascript; charset=utf-8", page::path_js},
};

std::string made_token() {
  std::array<unsigned char, kTokenBytes> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw system_error("cannot make a token", errno);
  std::string text;
  for (const unsigned char byte : bytes) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", byte);
    text += digits.data();
  }
  return text;
}

std::string token_of(const std::string& path) {
  std::ifstream file(path);
  std::string token;
  if (!file || !std::getline(file, token))
    throw Error(kUsage, path + ": cannot be read, or is empty");
  if (token.size() < kLeastToken)
    throw Error(kUsage,
                path + ": the token has less than " + std::to_string(kLeastToken) + " characters");
  return token;
}

// In a time that does not depend on where they differ.
bool equal_secrets(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    differ |=
        static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return !differ;
}

// A page of another site may have a name that leads here (DNS rebinding); it is refused.
bool is_own_name(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos)
    host = host.substr(0, colon);
  in_addr address{};
  const bool is_address = inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
  return host == "localhost" || host == "[::1]" ||
         (is_address && ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET);
}

class Page {
 public:
  Page(const std::string& device, const ServeOptions& options)
      : device_(device), interface_(find_device_or_pins(device).interface) {
    local_ = options.endpoint.is_loopback();
    if (!options.token_file.empty())
      token_ = token_of(options.token_file);
    else if (!local_)
      token_ = made_token();
    made_ = options.token_file.empty() && !local_;
  }

  HttpAnswer answer(const HttpRequest& request) {
    if (local_ && !is_own_name(request.host)) return plain(403, "this name is not localhost\n");
    for (const File& file : kFiles)
      if (request.path == file.path) return {200, file.type, std::string(file.content), false};
    if (request.path != "/stream" && request.path != "/status") return plain(404, "no such page\n");
    if (!token_.empty() && !equal_secrets(request.authorization, "Bearer " + token_))
      return plain(401, "the token is missing or wrong\n");
    return request.path == "/stream" ? stream() : status();
  }

  // The lines that are due while pages are open; the pause until the next ones.
  int serve_open(HttpServer& server) {
    if (!server.open_count()) {
      live_.reset();
      return -1;
    }
    server.publish(live_->lines() + path_line());
    const timespec left = left_until(live_->due_ns());
    return static_cast<int>(left.tv_sec * 1000) +
           static_cast<int>((static_cast<std::uint64_t>(left.tv_nsec) + kNsPerMs - 1) / kNsPerMs);
  }

  std::string address(const Endpoint& endpoint) const {
    if (endpoint.host.empty()) return endpoint.text();
    return "http://" + endpoint.text() + "/" + (made_ ? "#token=" + token_ : "");
  }

 private:
  static HttpAnswer plain(int status, const char* text) {
    return {status, "text/plain; charset=utf-8", text, false};
  }

  HttpAnswer stream() {
    if (!live_) {
      live_.emplace(device_, kPace);
      live_->lines();
    }
    return {200, "application/x-ndjson", live_->beginning(), true};
  }

  // The path, where `auto` watches it; once without, when that has ended.
  std::string path_line() {
    const std::uint64_t now_ns = clock_ns();
    if (now_ns < path_due_ns_) return "";
    path_due_ns_ = now_ns + kPace.status_ns;
    const auto day = day_json(interface_);
    const bool seen = day.is_object() && day.contains("path");
    if (!seen && !path_shown_) return "";
    path_shown_ = seen;
    Line line{{"kind", "path"}, {"time_ns", clock_ns(CLOCK_REALTIME)}, {"device", interface_}};
    for (const char* way : {"down", "up"}) {
      if (!seen) break;
      line[way] = day["path"][way];
      line[way]["state"] = day[way]["state"];
      line[way]["reason"] = day[way]["reason"];
    }
    return text_of(line);
  }

  HttpAnswer status() const {
    return {200, "application/json", json_text(status_json(find_snapshot(device_)), 2), false};
  }

  std::string device_, interface_;
  std::uint64_t path_due_ns_ = 0;
  bool path_shown_ = false;
  std::string token_;  // empty: none is required
  bool local_ = false;
  bool made_ = false;
  std::optional<Live> live_;  // while pages are open
};

}  // namespace

int run_serve(const std::string& device, const ServeOptions& options) {
  find_device_or_pins(device);
  Page page(device, options);
  stop_on_signals();
  HttpServer server(listen_on(options.endpoint), kHeaders,
                    [&page](const HttpRequest& request) { return page.answer(request); });
  keep_unit_rights();
  std::printf("%s\n", page.address(options.endpoint).c_str());
  std::fflush(stdout);
  while (!is_stopped()) server.poll_once(page.serve_open(server));
  if (options.endpoint.host.empty()) std::remove(options.endpoint.path.c_str());
  return kOk;
}

}  // namespace penstock::gw
