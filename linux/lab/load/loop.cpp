// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/load/loop.h"

#include <poll.h>
#include <sys/epoll.h>

#include <array>
#include <cerrno>

#include "linux/common/clock.h"
#include "linux/common/error.h"

namespace penstock::load {

Loop::Loop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw system_error("epoll_create1", errno);
}

void Loop::watch(int fd, std::uint32_t events, std::function<void(std::uint32_t)> ready) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, fd, &event) != 0)
    throw system_error("epoll_ctl", errno);
  ready_[fd] = std::move(ready);
}

void Loop::change(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (epoll_ctl(epoll_.fd(), EPOLL_CTL_MOD, fd, &event) != 0)
    throw system_error("epoll_ctl", errno);
}

void Loop::forget(int fd) {
  epoll_ctl(epoll_.fd(), EPOLL_CTL_DEL, fd, nullptr);
  ready_.erase(fd);
}

void Loop::at(std::uint64_t time_ns, std::function<void()> action) {
  timers_.emplace(time_ns, std::move(action));
}

void Loop::run_timers() {
  while (running_ && !timers_.empty() && timers_.begin()->first <= clock_ns()) {
    const auto action = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    action();
  }
}

void Loop::wait() {
  const timespec left = timers_.empty() ? timespec{} : left_until(timers_.begin()->first);
  // Nanoseconds by ppoll: epoll_pwait2 needs glibc 2.35.
  pollfd any{epoll_.fd(), POLLIN, 0};
  if (ppoll(&any, 1, timers_.empty() ? nullptr : &left, nullptr) < 0 && errno != EINTR)
    throw system_error("ppoll", errno);
  std::array<epoll_event, 64> events{};
  const int count = epoll_wait(epoll_.fd(), events.data(), static_cast<int>(events.size()), 0);
  if (count < 0 && errno != EINTR) throw system_error("epoll_wait", errno);
  for (int i = 0; running_ && i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    const auto found = ready_.find(event.data.fd);
    if (found == ready_.end()) continue;
    const auto action = found->second;  // a copy: the action may forget its descriptor
    action(event.events);
  }
}

void Loop::run() {
  while (running_) {
    run_timers();
    if (running_) wait();
  }
}

}  // namespace penstock::load
