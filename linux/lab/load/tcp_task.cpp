// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/load/tcp_task.h"

#include <sys/epoll.h>

namespace penstock::load {

void TcpTask::start() {
  if (!flow_.opens) {
    listener_ = listen_tcp(flow_);
    loop_.watch(listener_.fd(), EPOLLIN, [this](std::uint32_t) { accept_one(); });
    return;
  }
  report_.started_ns = time_ns();
  socket_ = connect_tcp(flow_);
  begin();
}

void TcpTask::accept_one() {
  Descriptor accepted(accept4(listener_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!accepted) return;  // the peer went away before we looked
  socket_ = std::move(accepted);
  loop_.forget(listener_.fd());
  listener_.reset();
  begin();
}

}  // namespace penstock::load
