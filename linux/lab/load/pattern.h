// SPDX-License-Identifier: GPL-2.0-only
// Content that both ends can compute: byte n of a flow depends only on its id and n.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "linux/common/random.h"

namespace penstock::load {

// Writes the bytes [offset, offset + bytes.size()) of flow `id`.
inline void fill_pattern(std::uint64_t id, std::uint64_t offset, std::span<std::uint8_t> bytes) {
  std::uint64_t word_number = offset / 8, skip = offset % 8;
  for (std::size_t done = 0; done < bytes.size(); ++word_number, skip = 0) {
    const std::uint64_t word = Random((id << 40) ^ word_number).next();
    std::uint8_t raw[8];
    for (unsigned byte = 0; byte < 8; ++byte)
      raw[byte] = static_cast<std::uint8_t>(word >> (8 * byte));
    const std::size_t take = std::min<std::size_t>(8 - skip, bytes.size() - done);
    std::memcpy(bytes.data() + done, raw + skip, take);
    done += take;
  }
}

// FNV-1a, 64 bits, over all bytes so far.
class Checksum {
 public:
  void add(std::span<const std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) value_ = (value_ ^ byte) * 0x100000001b3u;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace penstock::load
