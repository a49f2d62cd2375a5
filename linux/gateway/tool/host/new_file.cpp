// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/host/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

NewFile::NewFile(std::string path) : path_(std::move(path)), beside_(path_ + ".new") {
  unlink(beside_.c_str());
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  file_ = Descriptor(open(beside_.c_str(), kFlags, 0644));
  if (!file_) throw system_error("cannot write " + path_, errno);
}

NewFile::~NewFile() {
  if (!beside_.empty()) unlink(beside_.c_str());
}

void NewFile::put(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(file_.fd(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw system_error("cannot write " + path_, errno);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  if (std::rename(beside_.c_str(), path_.c_str()))
    throw system_error("cannot write " + path_, errno);
  beside_.clear();
}

}  // namespace penstock::gw
