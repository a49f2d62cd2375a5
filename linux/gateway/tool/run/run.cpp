// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/run/run.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "linux/common/descriptor.h"
#include "linux/gateway/tool/attach/routes.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"
#include "linux/gateway/tool/host/survivor.h"
#include "linux/gateway/tool/run/held.h"

namespace penstock::gw {

namespace {

constexpr int kCannotRun = 126, kNotFound = 127, kBySignal = 128;  // as a shell says it
constexpr std::uint64_t kLookNs = 100'000'000;
constexpr int kKeepMs = 1000;

std::vector<HeldWay> ways_of(const RunOptions& o) {
  if (!o.down && !o.up)
    throw Error(kUsage, "run: give --down or --up, or both, such as --down 20mbit");
  if (o.command.empty())
    throw Error(kUsage, "run: the program is missing: penstock-gw run --down 20mbit -- PROGRAM");
  const std::string device = o.device.empty() ? default_device() : o.device;
  std::vector<HeldWay> ways;
  if (o.down) ways.push_back({down_name(device), *o.down});
  if (o.up) ways.push_back({device, *o.up});
  return ways;
}

pid_t child = 0;

void hand_on(int number) {
  if (child > 0) kill(child, number);
}

[[noreturn]] void become(const HeldGroup& group, const std::vector<std::string>& command) {
  try {
    group.enter();
  } catch (const Error& error) {
    std::fprintf(stderr, "penstock-gw: %s\n", error.what());
    _exit(error.code);
  }
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int number = errno;
  std::fprintf(stderr, "penstock-gw: run: %s: %s\n", words[0], std::strerror(number));
  _exit(number == ENOENT ? kNotFound : kCannotRun);
}

// What a terminal sends goes to the program itself; what is sent to this process is handed on.
int outlive(HeldGroup& group, const std::vector<std::string>& command) {
  child = fork();
  if (child < 0) throw system_error("cannot start a process", errno);
  if (!child) become(group, command);
  for (const int number : {SIGINT, SIGQUIT}) std::signal(number, SIG_IGN);
  for (const int number : {SIGTERM, SIGHUP}) std::signal(number, hand_on);
  const Descriptor end(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  pollfd ended{end.fd(), POLLIN, 0};
  while (end && poll(&ended, 1, kKeepMs) <= 0) group.keep();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kBySignal + WTERMSIG(status);
}

}  // namespace

int run_held(const RunOptions& options) {
  HeldGroup group(ways_of(options));
  Survivor survivor([](char) {},
                    [&group] {
                      while (group.is_populated()) wait_ns(kLookNs);
                      group.take_away();
                    });
  group.hold();
  const int code = outlive(group, options.command);
  if (group.is_populated()) survivor.leave();
  return code;
}

}  // namespace penstock::gw
