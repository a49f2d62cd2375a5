// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/interrupt.h"

#include <csignal>

#include "linux/common/clock.h"

namespace penstock::gw {

namespace {

volatile std::sig_atomic_t stopped = 0;

}  // namespace

void stop_on_signals() {
  struct sigaction action{};
  action.sa_handler = [](int) { stopped = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before{};  // nohup(1) ignores it
  if (!sigaction(SIGHUP, nullptr, &before) && before.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, nullptr);
}

bool is_stopped() { return stopped; }

void wait_ns(std::uint64_t ns) {
  const timespec span = to_timespec(ns);
  nanosleep(&span, nullptr);
}

}  // namespace penstock::gw
