// SPDX-License-Identifier: GPL-2.0-only
// A small HTTP/1.1 server: one thread, GET and HEAD, no keep-alive; answers may stay open.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "linux/common/descriptor.h"

namespace penstock {

struct HttpRequest {
  std::string path;  // without the query
  std::string host;
  std::string authorization;
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  bool open = false;  // what is published later follows the body
};

// Where to listen: "127.0.0.1:7470", "[::1]:7470" or "unix:/run/penstock/wan0.sock".
struct Endpoint {
  std::string host;  // empty for a Unix socket
  int port = 0;
  std::string path;
  bool is_loopback() const;
  std::string text() const;
};

// Throws std::invalid_argument, which says what would be right.
Endpoint parse_endpoint(std::string_view text);

// Throws Error. A Unix socket is for its owner only, and replaces one that nobody listens on.
Descriptor listen_on(const Endpoint& endpoint);

class HttpServer {
 public:
  using Handler = std::function<HttpAnswer(const HttpRequest&)>;

  // `headers`: more lines for each answer, each ended by CRLF.
  HttpServer(Descriptor listener, std::string headers, Handler handler);

  // Waits for `timeout_ms` at most, or without bound if negative, and answers requests.
  void poll_once(int timeout_ms);

  // To all answers that are open. A client that does not read loses its connection.
  void publish(std::string_view text);
  std::size_t open_count() const;

 private:
  struct Client {
    Descriptor socket;
    std::string peer;
    std::string in;
    std::string out;
    bool answered = false;
    bool open = false;
    bool over = false;
  };
  void accept_one();
  void read(Client& client);
  void answer(Client& client);
  void close_one_open();
  static void write(Client& client);

  Descriptor listener_;
  std::string headers_;
  Handler handler_;
  std::deque<Client> clients_;  // the oldest first
  std::uint64_t accepts_from_ns_ = 0;  // after descriptors or memory ran out
};

}  // namespace penstock
