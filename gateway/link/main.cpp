// SPDX-License-Identifier: GPL-2.0-only
// penstock-link: a link with delay, jitter, loss and rate between two devices.
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <thread>

#include "gateway/common/clock.h"
#include "gateway/common/descriptor.h"
#include "gateway/common/error.h"
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
  StopFlag() : event_(eventfd(0, EFD_CLOEXEC)) {
    if (!event_) throw system_error("eventfd", errno);
  }
  int fd() const { return event_.fd(); }
  void raise() const { eventfd_write(event_.fd(), 1); }

 private:
  Descriptor event_;
};

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&set, number);
  return set;
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
      const timespec left = left_until(end_ns);
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
  const Link link = link_of(options);
  Device a(link.a, options.mtu_bytes), b(link.b, options.mtu_bytes);
  Direction forward(a, b, link.forward, options.ring_frames);
  Direction back(b, a, link.back, options.ring_frames);
  const StopFlag stop;
  std::atomic<bool> realtime{true}, device_gone{false};
  const auto carry = [&](Direction& direction) {
    if (!be_punctual(!options.no_realtime)) realtime = false;
    if (!direction.run(stop.fd())) {
      device_gone = true;
      kill(getpid(), SIGTERM);
    }
  };
  std::thread one(carry, std::ref(forward)), other(carry, std::ref(back));
  std::printf("ready\n");
  std::fflush(stdout);
  const auto report = [&] {
    const auto form = options.as_json ? report_json : report_text;
    std::printf("%s\n", form(forward.counters(), back.counters(), realtime).c_str());
    std::fflush(stdout);
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
  CLI::App app("A link with delay, jitter, loss and rate between two devices", "penstock-link");
  penstock::link::Options options;
  penstock::link::add_options(app, options);
  return penstock::run_program(app, count, arguments, [&] { return penstock::link::run(options); });
}
