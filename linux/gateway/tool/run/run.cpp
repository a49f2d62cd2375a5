// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/run/run.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "linux/common/descriptor.h"
#include "linux/gateway/tool/attach/routes.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"
#include "linux/gateway/tool/run/held.h"
#include "linux/gateway/tool/settings/words.h"

namespace penstock::gw {

namespace {

constexpr int kCannotRun = 126, kNotFound = 127, kBySignal = 128;  // as a shell says it
constexpr std::uint64_t kLookNs = 100'000'000;

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

// A process that takes all away once nobody is in the group any more, however the first one ends.
class Keeper {
 public:
  explicit Keeper(const HeldGroup& group) : group_(group) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC)) throw system_error("cannot make a pipe", errno);
    const Descriptor in(ends[0]);
    pipe_ = Descriptor(ends[1]);
    process_ = fork();
    if (process_ < 0) throw system_error("cannot start a second process", errno);
    if (process_) return;
    pipe_.reset();
    keep(in.fd());
  }

  // Waits for it only where it has nothing to wait for.
  ~Keeper() {
    const bool waits = !group_.is_populated();
    pipe_.reset();
    while (waits && waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

 private:
  [[noreturn]] void keep(int pipe) const {
    setsid();
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_IGN);
    char told = 0;
    while (read(pipe, &told, 1) < 0 && errno == EINTR) {
    }
    while (group_.is_populated()) wait_ns(kLookNs);
    group_.take_away();
    _exit(0);
  }

  const HeldGroup& group_;
  Descriptor pipe_;
  pid_t process_ = 0;
};

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
int outlive(const HeldGroup& group, const std::vector<std::string>& command) {
  child = fork();
  if (child < 0) throw system_error("cannot start a process", errno);
  if (!child) become(group, command);
  for (const int number : {SIGINT, SIGQUIT}) std::signal(number, SIG_IGN);
  for (const int number : {SIGTERM, SIGHUP}) std::signal(number, hand_on);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kBySignal + WTERMSIG(status);
}

}  // namespace

int run_held(const RunOptions& options) {
  const HeldGroup group(ways_of(options));
  const Keeper keeper(group);
  group.hold();
  return outlive(group, options.command);
}

}  // namespace penstock::gw
