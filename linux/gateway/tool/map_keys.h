// SPDX-License-Identifier: GPL-2.0-only
// The keys of a BPF map, while programs go on changing it.
#pragma once

#include <bpf/bpf.h>

#include <cstddef>

namespace penstock::gw {

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

}  // namespace penstock::gw
