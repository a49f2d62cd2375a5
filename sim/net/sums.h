// SPDX-License-Identifier: GPL-2.0-only
// Sums and differences of counters: structs of nothing but 64-bit counts.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace penstock::net {

template <class Counters>
using Counts = std::array<std::uint64_t, sizeof(Counters) / sizeof(std::uint64_t)>;

template <class Counters, class Combine>
Counters combined(const Counters& a, const Counters& b, Combine combine) {
  static_assert(std::has_unique_object_representations_v<Counters>);
  auto sum = std::bit_cast<Counts<Counters>>(a);
  const auto other = std::bit_cast<Counts<Counters>>(b);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = combine(sum[i], other[i]);
  return std::bit_cast<Counters>(sum);
}

template <class Counters>
Counters plus(const Counters& a, const Counters& b) {
  return combined(a, b, [](std::uint64_t x, std::uint64_t y) { return x + y; });
}

template <class Counters>
Counters minus(const Counters& a, const Counters& b) {
  return combined(a, b, [](std::uint64_t x, std::uint64_t y) { return x - y; });
}

}  // namespace penstock::net
