// SPDX-License-Identifier: GPL-2.0-only
// The event queue: an aligned, hierarchical timing wheel over pooled records.
//
// Records come out in the order of (time_ns, push), exactly. A bucket is a FIFO
// list; the wheels are aligned, so records move down a level before any later
// push can reach the same bucket, and a stable sort of the bucket at hand is
// all that order needs. Varghese and Lauck, SOSP 1987, scheme 6 and 7.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/engine/pool.h"

namespace penstock::engine {

// Record: as for Pool, and `std::uint64_t time_ns`.
template <class Record>
class Wheel {
 public:
  // Buckets are 2^bucket_shift ns wide: best at about one record a bucket.
  explicit Wheel(std::uint32_t bucket_shift) : shift_(bucket_shift) {
    for (Level& level : levels_) {
      level.head.fill(kNone);
      level.tail.fill(kNone);
    }
  }

  Pool<Record>& pool() { return pool_; }

  // The record's time_ns must not lie before the last pop's.
  void push(std::uint32_t index) {
    const std::uint64_t bucket = pool_[index].time_ns >> shift_;
    if (bucket <= cursor_) {
      insert_current(index);
    } else {
      place(index, bucket);
    }
  }

  // The next record, or kNone. The caller owns it then.
  std::uint32_t pop() {
    if (at_ == current_.size() && !advance()) return kNone;
    return current_[at_++].index;
  }

  // Takes back the record that the last pop gave, as the next one.
  void unpop() { --at_; }

 private:
  static constexpr std::uint32_t kBits = 10;
  static constexpr std::uint32_t kBuckets = 1U << kBits;
  static constexpr std::uint32_t kMask = kBuckets - 1;
  static constexpr std::uint32_t kWords = kBuckets / 64;
  static constexpr std::uint32_t kLevels = 6;

  struct Level {
    std::array<std::uint32_t, kBuckets> head;
    std::array<std::uint32_t, kBuckets> tail;
    std::array<std::uint64_t, kWords> used{};
  };
  struct Entry {
    std::uint64_t time_ns;
    std::uint32_t index;
  };

  void place(std::uint32_t index, std::uint64_t bucket) {
    const auto differing =
        static_cast<std::uint32_t>(63 - std::countl_zero((bucket ^ cursor_) | 1));
    const std::uint32_t n = std::min(differing / kBits, kLevels - 1);
    const auto slot = static_cast<std::uint32_t>(bucket >> (n * kBits)) & kMask;
    append(levels_[n], slot, index);
  }

  void append(Level& level, std::uint32_t slot, std::uint32_t index) {
    pool_[index].next = kNone;
    if (level.head[slot] == kNone) {
      level.head[slot] = index;
      level.used[slot / 64] |= 1ULL << (slot % 64);
    } else {
      pool_[level.tail[slot]].next = index;
    }
    level.tail[slot] = index;
  }

  std::uint32_t detach(Level& level, std::uint32_t slot) {
    const std::uint32_t head = level.head[slot];
    level.head[slot] = kNone;
    level.used[slot / 64] &= ~(1ULL << (slot % 64));
    return head;
  }

  // First used slot at or after `from`, or kBuckets.
  static std::uint32_t next_used(const Level& level, std::uint32_t from) {
    if (from >= kBuckets) return kBuckets;
    std::uint32_t word = from / 64;
    std::uint64_t bits = level.used[word] & (~0ULL << (from % 64));
    while (!bits) {
      if (++word == kWords) return kBuckets;
      bits = level.used[word];
    }
    return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
  }

  bool advance() {
    current_.clear();
    at_ = 0;
    std::uint32_t first = (static_cast<std::uint32_t>(cursor_) & kMask) + 1;
    for (;;) {
      const std::uint32_t slot = next_used(levels_[0], first);
      if (slot != kBuckets) {
        cursor_ = (cursor_ & ~static_cast<std::uint64_t>(kMask)) | slot;
        load(slot);
        return true;
      }
      if (!cascade()) return false;
      first = 0;
    }
  }

  // Moves the next bucket of the lowest level that has one a level down.
  bool cascade() {
    for (std::uint32_t n = 1; n < kLevels; ++n) {
      const std::uint32_t bits = n * kBits;
      const auto from = (static_cast<std::uint32_t>(cursor_ >> bits) & kMask) + 1;
      const std::uint32_t slot = next_used(levels_[n], from);
      if (slot == kBuckets) continue;
      cursor_ = ((cursor_ >> bits & ~static_cast<std::uint64_t>(kMask)) | slot) << bits;
      for (std::uint32_t i = detach(levels_[n], slot); i != kNone;) {
        const std::uint32_t next = pool_[i].next;
        place(i, pool_[i].time_ns >> shift_);
        i = next;
      }
      return true;
    }
    return false;
  }

  void load(std::uint32_t slot) {
    for (std::uint32_t i = detach(levels_[0], slot); i != kNone; i = pool_[i].next)
      current_.push_back({pool_[i].time_ns, i});
    sort_current();
  }

  // Stable. Buckets are small, and std::stable_sort asks for memory each time.
  void sort_current() {
    constexpr std::size_t kFew = 24;
    const auto earlier = [](const Entry& a, const Entry& b) { return a.time_ns < b.time_ns; };
    if (current_.size() > kFew) {
      std::stable_sort(current_.begin(), current_.end(), earlier);
      return;
    }
    for (std::size_t i = 1; i < current_.size(); ++i) {
      const Entry entry = current_[i];
      std::size_t j = i;
      for (; j > 0 && entry.time_ns < current_[j - 1].time_ns; --j) current_[j] = current_[j - 1];
      current_[j] = entry;
    }
  }

  void insert_current(std::uint32_t index) {
    const Entry entry{pool_[index].time_ns, index};
    const auto begin = current_.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto where =
        std::upper_bound(begin, current_.end(), entry,
                         [](const Entry& a, const Entry& b) { return a.time_ns < b.time_ns; });
    current_.insert(where, entry);
  }

  Pool<Record> pool_;
  std::array<Level, kLevels> levels_;
  std::vector<Entry> current_;  // the bucket at hand, sorted
  std::size_t at_ = 0;
  std::uint64_t cursor_ = 0;  // its number: time_ns >> shift_
  std::uint32_t shift_;
};

}  // namespace penstock::engine
