// SPDX-License-Identifier: GPL-2.0-only
// BPF maps in this process.
#pragma once

#include <bpf/bpf.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace penstock::gw {

inline constexpr std::uint32_t kOnlyKey = 0;  // of a map of one value
inline constexpr std::size_t kMostKeys = std::size_t{1} << 23;  // twice the largest table

// Keys that come and go meanwhile may be missed or met twice.
template <typename Key, typename F>
void each_key(int fd, F f) {
  Key key{};
  Key next{};
  const Key* previous = nullptr;
  for (std::size_t i = 0; i < kMostKeys; ++i) {
    if (bpf_map_get_next_key(fd, previous, &next)) return;
    key = next;
    previous = &key;
    f(key);
  }
}

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
