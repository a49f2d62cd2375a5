// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/host/survivor.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

namespace {

[[noreturn]] void survive(int pipe, const std::function<void(char)>& told,
                          const std::function<void()>& after) {
  setsid();  // what a terminal sends is not for it
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_IGN);
  for (;;) {
    char word = 0;
    const ssize_t n = read(pipe, &word, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    told(word);
  }
  after();
  _exit(0);
}

}  // namespace

Survivor::Survivor(const std::function<void(char)>& told, const std::function<void()>& after) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC)) throw system_error("cannot make a pipe", errno);
  const Descriptor in(ends[0]);
  pipe_ = Descriptor(ends[1]);
  process_ = fork();
  if (process_ < 0) throw system_error("cannot start a second process", errno);
  if (process_) return;
  pipe_.reset();
  survive(in.fd(), told, after);
}

Survivor::~Survivor() {
  pipe_.reset();
  while (process_ && waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Survivor::tell(char word) const {
  while (write(pipe_.fd(), &word, 1) < 0 && errno == EINTR) {
  }
}

void Survivor::leave() { process_ = 0; }

}  // namespace penstock::gw
