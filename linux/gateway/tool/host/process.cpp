// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/host/process.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "linux/common/clock.h"
#include "linux/common/descriptor.h"
#include "linux/gateway/tool/host/error.h"

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

std::uint64_t inode_number(const std::string& path) {
  struct stat found{};
  return stat(path.c_str(), &found) ? 0 : found.st_ino;
}

namespace {

using Rights = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

// CapabilityBoundingSet of penstock-gw@.service.
constexpr std::array kUnitRights{CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON};

__user_cap_header_struct header() { return {_LINUX_CAPABILITY_VERSION_3, 0}; }

Rights rights() {
  Rights data{};
  auto own = header();
  if (syscall(SYS_capget, &own, data.data())) throw system_error("cannot read capabilities", errno);
  return data;
}

}  // namespace

bool may_trace() {
  const Rights data = rights();
  const auto has = [&](unsigned cap) {
    return (data[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap)) != 0;
  };
  return has(CAP_PERFMON) || has(CAP_SYS_ADMIN);
}

void keep_unit_rights() {
  Rights unit{};
  for (const unsigned cap : kUnitRights) unit[CAP_TO_INDEX(cap)].permitted |= CAP_TO_MASK(cap);
  Rights data = rights();
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i].permitted &= unit[i].permitted;
    data[i].effective &= unit[i].permitted;
    data[i].inheritable = 0;
  }
  auto own = header();
  if (syscall(SYS_capset, &own, data.data()))
    throw system_error("cannot give up capabilities", errno);
}

namespace {

// Standard output to `out`, and nothing else of ours.
class Actions {
 public:
  explicit Actions(int out) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
  }
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t n = read(fd, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
}

bool succeeds(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::string output_of(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC)) return "";
  const Descriptor in(ends[0]);
  Descriptor out(ends[1]);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t process = 0;
  const Actions actions(out.fd());
  if (posix_spawnp(&process, arguments[0], actions.get(), nullptr, arguments.data(), environ))
    return "";
  out.reset();
  const std::string text = read_all(in.fd());
  return succeeds(process) ? text : "";
}

}  // namespace penstock::gw
