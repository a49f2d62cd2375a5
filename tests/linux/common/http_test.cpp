// SPDX-License-Identifier: GPL-2.0-only
// Requests as they arrive, whole and in parts, and clients that do not read.
#include "linux/common/http.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "linux/common/clock.h"
#include "linux/common/error.h"

namespace penstock {
namespace {

constexpr std::uint16_t kTestPort = 47471;

class Serving : public testing::Test {
 protected:
  Serving()
      : folder_(std::filesystem::temp_directory_path() /
                ("penstock-http-" + std::to_string(getpid()))),
        endpoint_{"", 0, (folder_ / "s").string()} {
    std::filesystem::create_directory(folder_);
    server_.emplace(listen_on(endpoint_), "X-Own: 1\r\n", [this](const HttpRequest& request) {
      seen_ = request;
      return HttpAnswer{200, "text/plain", "body", request.path == "/open"};
    });
  }
  ~Serving() override { std::filesystem::remove_all(folder_); }

  Descriptor connected() {
    Descriptor client(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    endpoint_.path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(connect(client.fd(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    turn();
    return client;
  }
  void turn() {
    for (int i = 0; i < 4; ++i) server_->poll_once(0);
  }
  void say(const Descriptor& client, std::string_view text) {
    EXPECT_EQ(send(client.fd(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
    turn();
  }
  // All that has come; "(over)" at the end if the server has closed.
  static std::string hear(const Descriptor& client) {
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
      const ssize_t n = recv(client.fd(), part.data(), part.size(), 0);
      if (n < 0) return text;
      if (n == 0) return text + "(over)";
      text.append(part.data(), static_cast<std::size_t>(n));
    }
  }

  std::filesystem::path folder_;
  Endpoint endpoint_;
  std::optional<HttpServer> server_;
  HttpRequest seen_;
};

TEST_F(Serving, AnswersARequestThatComesInParts) {
  const Descriptor client = connected();
  say(client, "GET /a?b=c HTTP/1.1\r\nHost:  localhost:1 \r\nAUTHORIZ");
  EXPECT_EQ(hear(client), "");
  say(client, "ATION: Bearer x\r\n\r\n");
  EXPECT_EQ(hear(client),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n"
            "Content-Length: 4\r\nX-Own: 1\r\n\r\nbody(over)");
  EXPECT_EQ(seen_.path, "/a");
  EXPECT_EQ(seen_.host, "localhost:1");
  EXPECT_EQ(seen_.authorization, "Bearer x");
}

TEST_F(Serving, KeepsOpenAnswersOpenUntilTheirReaderGoes) {
  Descriptor client = connected();
  say(client, "GET /open HTTP/1.1\r\n\r\n");
  EXPECT_EQ(server_->open_count(), 1U);
  EXPECT_EQ(hear(client).find("Content-Length"), std::string::npos);
  server_->publish("more");
  EXPECT_EQ(hear(client), "more");
  client.reset();
  turn();
  EXPECT_EQ(server_->open_count(), 0U);
}

TEST_F(Serving, DropsAReaderThatDoesNotRead) {
  const Descriptor slow = connected();
  say(slow, "GET /open HTTP/1.1\r\n\r\n");
  const std::string much(100'000, 'x');
  for (int i = 0; i < 5; ++i) server_->publish(much);
  EXPECT_EQ(server_->open_count(), 1U) << "half a megabyte may wait";
  for (int i = 0; i < 20; ++i) server_->publish(much);
  EXPECT_EQ(server_->open_count(), 0U);
}

TEST_F(Serving, BoundsWhatIsOpenAndLocksNobodyOut) {
  std::vector<Descriptor> readers;
  for (int i = 0; i < 17; ++i) {
    readers.push_back(connected());
    say(readers.back(), "GET /open HTTP/1.1\r\n\r\n");
  }
  EXPECT_EQ(server_->open_count(), 16U);
  EXPECT_TRUE(hear(readers.back()).starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(hear(readers.front()).ends_with("(over)")) << "the oldest went";
  EXPECT_FALSE(hear(readers[1]).ends_with("(over)"));
}

// Loopback has many addresses, as a network has many hosts.
TEST(ServingHosts, TheOneWithMostAnswersLosesItsOldest) {
  Endpoint endpoint{"127.0.0.1", kTestPort, ""};
  HttpServer server(listen_on(endpoint), "",
                    [](const HttpRequest&) { return HttpAnswer{200, "text/plain", "body", true}; });
  const auto open_from = [&](const char* host) {
    Descriptor client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in from{}, to{};
    from.sin_family = to.sin_family = AF_INET;
    inet_pton(AF_INET, host, &from.sin_addr);
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    to.sin_port = htons(kTestPort);
    EXPECT_EQ(bind(client.fd(), reinterpret_cast<sockaddr*>(&from), sizeof(from)), 0);
    EXPECT_EQ(connect(client.fd(), reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
    constexpr std::string_view kRequest = "GET / HTTP/1.1\r\n\r\n";
    send(client.fd(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL);
    for (int i = 0; i < 4; ++i) server.poll_once(10);
    return client;
  };
  const auto is_over = [](const Descriptor& client) {
    std::array<char, 4096> part{};
    recv(client.fd(), part.data(), part.size(), MSG_DONTWAIT);
    return recv(client.fd(), part.data(), part.size(), MSG_DONTWAIT) == 0;
  };
  const Descriptor first = open_from("127.0.0.2");
  std::vector<Descriptor> greedy;
  for (int i = 0; i < 20; ++i) greedy.push_back(open_from("127.0.0.3"));
  EXPECT_EQ(server.open_count(), 16U);
  EXPECT_FALSE(is_over(first));
  EXPECT_TRUE(is_over(greedy.front()));
  EXPECT_FALSE(is_over(greedy.back()));
}

// A client waits, and there is no descriptor for it: what poll_once() takes is the pause.
TEST_F(Serving, RestsWhileDescriptorsAreOut) {
  const Descriptor client(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  endpoint_.path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(connect(client.fd(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(client.fd());
  setrlimit(RLIMIT_NOFILE, &none);
  const std::uint64_t begun_ns = clock_ns();
  for (int i = 0; i < 5; ++i) server_->poll_once(-1);
  const std::uint64_t took_ns = clock_ns() - begun_ns;
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_GE(took_ns, 150'000'000U) << "five turns of a loop that does not spin";
  for (int i = 0; i < 4; ++i) server_->poll_once(200);
  constexpr std::string_view kRequest = "GET /a HTTP/1.1\r\n\r\n";
  send(client.fd(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL);
  for (int i = 0; i < 4; ++i) server_->poll_once(200);
  EXPECT_TRUE(hear(client).starts_with("HTTP/1.1 200 ")) << "and is served when there are some";
}

TEST_F(Serving, RefusesWhatIsNoRequest) {
  const Descriptor client = connected();
  say(client, "\r\n\r\n");
  EXPECT_TRUE(hear(client).starts_with("HTTP/1.1 400 "));
  const Descriptor other = connected();
  say(other, "DELETE / HTTP/1.1\r\n\r\n");
  EXPECT_NE(hear(other).find("405 Method Not Allowed"), std::string::npos);
  const Descriptor endless = connected();
  say(endless, std::string(9000, 'a'));
  turn();
  EXPECT_EQ(hear(endless), "(over)");
}

TEST(Endpoints, AreAddressesAndPaths) {
  EXPECT_EQ(parse_endpoint("127.0.0.1:80").text(), "127.0.0.1:80");
  EXPECT_EQ(parse_endpoint("[::1]:80").text(), "[::1]:80");
  EXPECT_EQ(parse_endpoint("unix:/run/a.sock").text(), "unix:/run/a.sock");
  EXPECT_TRUE(parse_endpoint("[::1]:80").is_loopback());
  EXPECT_TRUE(parse_endpoint("unix:/run/a.sock").is_loopback());
  EXPECT_FALSE(parse_endpoint("192.0.2.1:80").is_loopback());
  EXPECT_FALSE(parse_endpoint("[::]:80").is_loopback());
  for (const char* wrong : {"", "80", ":80", "::1:80", "1.2.3.4:x", "1.2.3.4:65536", "unix:"})
    EXPECT_THROW(parse_endpoint(wrong), std::invalid_argument) << wrong;
}

}  // namespace
}  // namespace penstock
