// SPDX-License-Identifier: GPL-2.0-only
// penstock-link: a link with delay, jitter, loss and rate between two devices.
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <thread>

#include "gateway/link/cli.h"
#include "gateway/link/direction.h"
#include "gateway/link/options.h"
#include "gateway/link/report.h"

namespace penstock::link {
namespace {

constexpr int kRealtimePriority = 10;

// A thread that wakes on time: no timer slack, and ahead of ordinary tasks if permitted.
bool be_punctual(bool realtime) {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  sched_param parameter{};
  parameter.sched_priority = kRealtimePriority;
  return realtime && sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter) == 0;
}

class StopFlag {
 public:
  StopFlag() : fd_(eventfd(0, EFD_CLOEXEC)) {
    if (fd_ < 0) throw_errno("eventfd");
  }
  ~StopFlag() { close(fd_); }
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;
  int fd() const { return fd_; }
  void raise() const { eventfd_write(fd_, 1); }

 private:
  int fd_;
};

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&set, number);
  return set;
}

std::uint64_t clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// Waits for a signal that ends the program, or for the time to be over.
void wait_for_end(const sigset_t& signals, std::uint64_t duration_ns,
                  const std::function<void()>& report) {
  const std::uint64_t end_ns = clock_ns() + duration_ns;
  while (true) {
    int number = 0;
    if (duration_ns == 0) {
      number = sigwaitinfo(&signals, nullptr);
    } else {
      const std::uint64_t now_ns = clock_ns();
      if (now_ns >= end_ns) return;
      timespec left{};
      left.tv_sec = static_cast<time_t>((end_ns - now_ns) / 1'000'000'000u);
      left.tv_nsec = static_cast<long>((end_ns - now_ns) % 1'000'000'000u);
      number = sigtimedwait(&signals, nullptr, &left);
      if (number < 0 && errno == EAGAIN) return;
    }
    if (number == SIGUSR1)
      report();
    else if (number > 0)
      return;
  }
}

int run(const Options& options) {
  const sigset_t signals = watched_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Device a(options.a, options.mtu_bytes), b(options.b, options.mtu_bytes);
  Direction forward(a, b, options.forward, options.ring_frames);
  Direction back(b, a, options.back, options.ring_frames);
  const StopFlag stop;
  std::atomic<bool> realtime{true}, device_gone{false};
  const auto carry = [&](Direction& direction) {
    if (!be_punctual(options.realtime)) realtime = false;
    if (!direction.run(stop.fd())) {
      device_gone = true;
      kill(getpid(), SIGTERM);
    }
  };
  std::thread one(carry, std::ref(forward)), other(carry, std::ref(back));
  std::printf("ready\n");
  std::fflush(stdout);
  const auto report = [&] {
    print_report(forward.counters(), back.counters(), realtime, options.as_json);
  };
  wait_for_end(signals, options.duration_ns, report);
  stop.raise();
  one.join();
  other.join();
  report();
  if (device_gone) throw std::runtime_error("a device was removed while packets passed");
  return kOk;
}

}  // namespace
}  // namespace penstock::link

int main(int count, char** arguments) {
  return penstock::run_program("penstock-link", [&] {
    const auto options = penstock::link::parse_options(count, arguments);
    if (!options.help) return penstock::link::run(options);
    penstock::link::print_help();
    return static_cast<int>(penstock::kOk);
  });
}
