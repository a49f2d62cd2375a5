// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/load/tcp_receiver.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "linux/common/error.h"

namespace penstock::load {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

}  // namespace

void TcpReceiver::begin() {
  buffer_.resize(kReadBytes);
  expected_.resize(kReadBytes);
  loop_.watch(socket_.fd(), EPOLLIN, [this](std::uint32_t) { read_some(); });
}

void TcpReceiver::take(std::span<const std::uint8_t> bytes) {
  if (report_.started_ns < 0) report_.started_ns = time_ns();
  const std::span<std::uint8_t> wanted(expected_.data(), bytes.size());
  fill_pattern(flow_.id, report_.bytes, wanted);
  if (!std::equal(bytes.begin(), bytes.end(), wanted.begin())) report_.intact = false;
  checksum_.add(bytes);
  report_.bytes += bytes.size();
  if (flow_.size_bytes != 0 && report_.bytes == flow_.size_bytes) report_.ended_ns = time_ns();
  // After the first segments the kernel knows how large they are in memory and raises the
  // limit that was set at the start; once set again it stays.
  if (flow_.window_bytes != 0 && !window_limited_) {
    limit_window(socket_.fd(), flow_.window_bytes);
    window_limited_ = true;
  }
}

void TcpReceiver::read_some() {
  const ssize_t got = recv(socket_.fd(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  if (got > 0) return take({buffer_.data(), static_cast<std::size_t>(got)});
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got < 0)
    fail(std::strerror(errno));
  else if (flow_.size_bytes == 0)
    report_.ended_ns = time_ns();
  else if (report_.bytes != flow_.size_bytes)
    fail("the sender ended after " + std::to_string(report_.bytes) + " of " +
         std::to_string(flow_.size_bytes) + " bytes");
  close_all();
  if (next_ && report_.error.empty()) next_();
}

void TcpReceiver::close_all() {
  report_.checksum = checksum_.value();
  buffer_ = {};
  expected_ = {};
  for (Descriptor* open : {&listener_, &socket_}) {
    if (!*open) continue;
    loop_.forget(open->fd());
    open->reset();
  }
}

void TcpReceiver::finish() { close_all(); }

}  // namespace penstock::load
