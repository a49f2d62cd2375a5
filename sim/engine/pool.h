// SPDX-License-Identifier: GPL-2.0-only
// Records of one type, named by 32-bit indices. Memory comes in chunks, so a
// reference stays valid while other records are taken and returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base.h"

namespace penstock::engine {

inline constexpr std::uint32_t kNone = 0xffffffffU;

// Record: trivially copyable, with a member `std::uint32_t next`.
template <class Record>
class Pool {
 public:
  Record& operator[](std::uint32_t index) {
    PST_REQUIRE(index >> kChunkBits < chunks_.size());
    return chunks_[index >> kChunkBits][index & (kChunk - 1)];
  }

  // An index whose record holds whatever it held before.
  std::uint32_t take() {
    if (free_ == kNone) grow();
    const std::uint32_t index = free_;
    free_ = (*this)[index].next;
    ++in_use_;
    PST_ENSURE(in_use_ <= chunks_.size() * kChunk);
    return index;
  }

  void give_back(std::uint32_t index) { give_back(index, (*this)[index]); }
  // The same, with the record of `index` for callers that have looked it up.
  void give_back(std::uint32_t index, Record& record) {
    PST_REQUIRE(in_use_ > 0);
    PST_REQUIRE(&record == &(*this)[index]);
    record.next = free_;
    free_ = index;
    --in_use_;
  }

  std::size_t in_use() const { return in_use_; }

 private:
  static constexpr std::uint32_t kChunkBits = 8;
  static constexpr std::uint32_t kChunk = 1U << kChunkBits;

  void grow() {
    PST_REQUIRE(in_use_ == chunks_.size() * kChunk);
    const auto base = static_cast<std::uint32_t>(chunks_.size()) << kChunkBits;
    chunks_.push_back(std::make_unique<Record[]>(kChunk));
    for (std::uint32_t i = kChunk; i-- > 0;) {
      chunks_.back()[i].next = free_;
      free_ = base + i;
    }
  }

  std::vector<std::unique_ptr<Record[]>> chunks_;
  std::uint32_t free_ = kNone;
  std::size_t in_use_ = 0;
};

}  // namespace penstock::engine
