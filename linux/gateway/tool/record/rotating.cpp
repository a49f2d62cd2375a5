// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/record/rotating.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

RotatingFile::RotatingFile(std::string path, std::uint64_t size_bytes, std::uint64_t files)
    : path_(std::move(path)), each_bytes_(size_bytes / files), files_(files) {
  open_file();
}

void RotatingFile::open_file() {
  constexpr int kFlags = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
  file_ = Descriptor(open(path_.c_str(), kFlags, 0640));
  struct stat found{};
  if (!file_ || fstat(file_.fd(), &found)) throw system_error("cannot write " + path_, errno);
  if (!S_ISREG(found.st_mode)) throw Error(kUsage, path_ + " is not a file");
  held_bytes_ = static_cast<std::uint64_t>(found.st_size);
  end_cut_line(found.st_size);
}

// A full disk may have cut the last line off; what follows is a line of its own.
void RotatingFile::end_cut_line(off_t size) {
  char last = 0;
  if (size && pread(file_.fd(), &last, 1, size - 1) == 1 && last != '\n') write("\n");
}

void RotatingFile::make_room(std::size_t bytes) {
  if (!held_bytes_ || held_bytes_ + bytes <= each_bytes_) return;
  const auto name = [this](std::uint64_t n) { return n ? path_ + "." + std::to_string(n) : path_; };
  if (files_ == 1) unlink(path_.c_str());
  for (std::uint64_t n = files_ - 1; n > 0; --n)
    if (std::rename(name(n - 1).c_str(), name(n).c_str()) && errno != ENOENT)
      throw system_error("cannot rename " + name(n - 1), errno);
  open_file();
}

void RotatingFile::write(std::string_view lines) {
  while (!lines.empty()) {
    const ssize_t n = ::write(file_.fd(), lines.data(), lines.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw system_error("cannot write " + path_, errno);
    held_bytes_ += static_cast<std::uint64_t>(n);
    lines.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace penstock::gw
