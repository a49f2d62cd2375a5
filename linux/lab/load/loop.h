// SPDX-License-Identifier: GPL-2.0-only
// An event loop over descriptors and times, for one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>

#include "linux/common/descriptor.h"

namespace penstock::load {

class Loop {
 public:
  Loop();  // throws Error

  // Calls `ready` with epoll's events; again with other `events` to change them.
  void watch(int fd, std::uint32_t events, std::function<void(std::uint32_t)> ready);
  void change(int fd, std::uint32_t events);
  void forget(int fd);
  void at(std::uint64_t time_ns, std::function<void()> action);
  void run();  // until stop()
  void stop() { running_ = false; }

 private:
  void run_timers();
  void wait();

  Descriptor epoll_;
  bool running_ = true;
  std::unordered_map<int, std::function<void(std::uint32_t)>> ready_{};
  std::multimap<std::uint64_t, std::function<void()>> timers_{};
};

}  // namespace penstock::load
