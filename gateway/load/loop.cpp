// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/load/loop.h"

#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "gateway/link/cli.h"

namespace penstock::load {

std::uint64_t clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

Loop::Loop() : epoll_fd_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_fd_ < 0) throw_errno("epoll_create1");
}

Loop::~Loop() { close(epoll_fd_); }

void Loop::watch(int fd, std::uint32_t events, std::function<void(std::uint32_t)> ready) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) != 0) throw_errno("epoll_ctl");
  ready_[fd] = std::move(ready);
}

void Loop::change(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, fd, &event) != 0) throw_errno("epoll_ctl");
}

void Loop::forget(int fd) {
  epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr);
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
  timespec left{};
  if (!timers_.empty()) {
    const std::uint64_t now_ns = clock_ns(), due_ns = timers_.begin()->first;
    const std::uint64_t wait_ns = due_ns > now_ns ? due_ns - now_ns : 0;
    left.tv_sec = static_cast<time_t>(wait_ns / 1'000'000'000u);
    left.tv_nsec = static_cast<long>(wait_ns % 1'000'000'000u);
  }
  std::array<epoll_event, 64> events{};
  const int count = epoll_pwait2(epoll_fd_, events.data(), static_cast<int>(events.size()),
                                 timers_.empty() ? nullptr : &left, nullptr);
  if (count < 0 && errno != EINTR) throw_errno("epoll_pwait2");
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
