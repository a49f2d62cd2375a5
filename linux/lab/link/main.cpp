// SPDX-License-Identifier: GPL-2.0-only
// penstock-link: a link with delay, jitter, loss and rate between two devices.
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "linux/common/clock.h"
#include "linux/common/descriptor.h"
#include "linux/common/error.h"
#include "linux/lab/link/commands.h"
#include "linux/lab/link/direction.h"
#include "linux/lab/link/options.h"
#include "linux/lab/link/report.h"

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

// The signals that end the program or ask for statistics, as a descriptor.
Descriptor signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  Descriptor watched(signalfd(-1, &set, SFD_CLOEXEC));
  if (!watched) throw system_error("signalfd", errno);
  return watched;
}

struct Wait {
  int signals_fd;
  int commands_fd;  // -1: none are taken
  std::uint64_t duration_ns;  // 0: without an end
  std::function<void()> report;
  std::function<void(std::string_view)> command;
};

// True if the next signal is one that ends the program.
bool is_end(const Wait& wait) {
  signalfd_siginfo info{};
  if (read(wait.signals_fd, &info, sizeof(info)) != sizeof(info)) return false;
  if (info.ssi_signo != SIGUSR1) return true;
  wait.report();
  return false;
}

// Waits for a signal that ends the program, or for the time to be over.
void wait_for_end(const Wait& wait) {
  const std::uint64_t end_ns = clock_ns() + wait.duration_ns;
  LineReader lines(wait.commands_fd);
  pollfd watched[2] = {{wait.signals_fd, POLLIN, 0}, {wait.commands_fd, POLLIN, 0}};
  while (true) {
    const timespec left = left_until(end_ns);
    const int ready = ppoll(watched, 2, wait.duration_ns ? &left : nullptr, nullptr);
    if (ready == 0) return;
    if (ready < 0) continue;
    if (watched[0].revents && is_end(wait)) return;
    if (watched[1].revents && !lines.read(wait.command)) watched[1].fd = -1;
  }
}

// Makes a change that a line asks for, and says so, or what is wrong with it.
void obey(std::string_view line, Direction& forward, Direction& back) {
  try {
    const LinkChange change = parse_change(line);
    forward.change(change.forward);
    back.change(change.back);
    std::printf("changed\n");
    std::fflush(stdout);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "penstock-link: %s\n", error.what());
  }
}

int run(const Options& options) {
  const Descriptor signalled = signals();
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
  const auto command = [&](std::string_view line) { obey(line, forward, back); };
  wait_for_end(
      {signalled.fd(), options.commands ? STDIN_FILENO : -1, options.duration_ns, report, command});
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
