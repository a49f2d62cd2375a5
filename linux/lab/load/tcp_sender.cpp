// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/load/tcp_sender.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace penstock::load {
namespace {

constexpr std::size_t kChunkBytes = 64 * 1024;
constexpr int kChunksAtOnce = 4;

}  // namespace

void TcpSender::begin() {
  if (report_.started_ns < 0) report_.started_ns = time_ns();
  loop_.watch(socket_.fd(), EPOLLOUT, [this](std::uint32_t events) { on_ready(events); });
}

void TcpSender::on_ready(std::uint32_t events) {
  if (const int error = (events & EPOLLERR) ? socket_error(socket_.fd()) : 0; error != 0)
    return leave(std::strerror(error));
  if (shut_)
    read_end();
  else
    send_more();
}

void TcpSender::next_chunk() {
  const std::uint64_t left = flow_.size_bytes == 0 ? kChunkBytes : flow_.size_bytes - report_.bytes;
  chunk_.resize(std::min<std::uint64_t>(left, kChunkBytes));
  chunk_sent_ = 0;
  fill_pattern(flow_.id, report_.bytes, chunk_);
}

void TcpSender::send_more() {
  for (int chunk = 0; !has_all(); ++chunk) {
    if (chunk == kChunksAtOnce) return;  // the loop calls again, after others had their turn
    if (chunk_sent_ == chunk_.size()) next_chunk();
    const std::uint8_t* from = chunk_.data() + chunk_sent_;
    const ssize_t sent =
        send(socket_.fd(), from, chunk_.size() - chunk_sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (sent < 0) return leave(std::strerror(errno));
    checksum_.add({from, static_cast<std::size_t>(sent)});
    chunk_sent_ += static_cast<std::size_t>(sent);
    report_.bytes += static_cast<std::uint64_t>(sent);
  }
  shutdown(socket_.fd(), SHUT_WR);
  shut_ = true;
  loop_.change(socket_.fd(), EPOLLIN);
}

void TcpSender::read_end() {
  std::uint8_t byte = 0;
  const ssize_t got = recv(socket_.fd(), &byte, 1, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got != 0) return leave(got < 0 ? std::strerror(errno) : "the receiver sent data");
  report_.ended_ns = time_ns();
  leave("");
  if (next_) next_();
}

// Stores the last counters and releases the connection; `why` is empty on success.
void TcpSender::leave(const std::string& why) {
  if (!socket_) return;
  report_.state = tcp_state(socket_.fd());
  report_.checksum = checksum_.value();
  report_.error = why;
  chunk_ = {};
  loop_.forget(socket_.fd());
  if (report_.ended_ns >= 0)
    socket_.reset();
  else
    close_hard(socket_);
}

std::optional<TcpState> TcpSender::current() const {
  return socket_ ? std::optional(tcp_state(socket_.fd())) : report_.state;
}

void TcpSender::note_mark() {
  report_.state_at_mark = current();
  report_.bytes_at_mark = report_.bytes;
}

void TcpSender::finish() { leave(""); }

}  // namespace penstock::load
