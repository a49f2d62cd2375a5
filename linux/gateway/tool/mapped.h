// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace penstock::gw {

// A map of one value, in this process's memory; false if it could not be mapped.
class Mapped {
 public:
  Mapped(int fd, std::size_t bytes)
      : bytes_(bytes), at_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) {}
  ~Mapped() {
    if (*this) munmap(at_, bytes_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  explicit operator bool() const { return at_ != MAP_FAILED; }
  std::uint64_t* words() const { return static_cast<std::uint64_t*>(at_); }

 private:
  std::size_t bytes_;
  void* at_;
};

}  // namespace penstock::gw
