// SPDX-License-Identifier: GPL-2.0-only
// The event queue: an aligned, hierarchical timing wheel over pooled records.
//
// Records come out in the order of (time_ns, push), exactly. A bucket is a stack, as a push then
// touches no other record; the wheels are aligned, so records move down a level before any later
// push can reach the same bucket, and a stable sort of the current bucket suffices for order.
// Varghese and Lauck, SOSP 1987, scheme 6 and 7.
//
// A record above the lowest level is accessed twice, with a cache miss the second time. So that
// level has two blocks, each as long as records usually wait: the current one, and the next.
// Records that exceed the cache are fetched before they are due: as each leads to the one before
// it, the misses would add up.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/engine/pool.h"

namespace penstock::engine {

// Record: as for Pool, and `std::uint64_t time_ns`.
template <class Record>
class Wheel {
 public:
  // Buckets are 2^bucket_shift ns wide: best at a few records per bucket. A block of the lowest
  // level spans `usual_wait_ns`, within limits.
  explicit Wheel(std::uint32_t bucket_shift, std::uint64_t usual_wait_ns = 0)
      : shift_(bucket_shift) {
    const auto wanted = static_cast<std::uint32_t>(std::bit_width(usual_wait_ns >> bucket_shift));
    std::uint32_t bits = std::clamp(wanted, kBits, kMostBits);
    block_ = 1ULL << bits;
    horizon_ = 2 * block_;
    levels_[0] = level(0, bits + 1);
    for (std::uint32_t n = 1; n < kLevels; ++n, bits += kBits) levels_[n] = level(bits, kBits);
  }

  Pool<Record>& pool() { return pool_; }

  // The record's time_ns must not lie before the last pop's.
  void push(std::uint32_t index) { push(index, pool_[index]); }
  // The same, with the record of `index` for callers that have looked it up.
  void push(std::uint32_t index, Record& record) {
    const std::uint64_t bucket = record.time_ns >> shift_;
    if (bucket <= cursor_) {
      record.next = index;
      insert_current({record.time_ns, &record});
    } else {
      place(index, record, bucket);
    }
  }

  // Capacity of the current bucket.
  std::size_t room() const { return current_.size(); }

  // The next record, or nullptr. The caller owns it then, and finds its index in `next`.
  Record* pop() {
    if (next_ == end_ && !advance()) return nullptr;
    return (next_++)->record;
  }

  // The same of records up to `until_ns`. `now_ns` becomes its time, or, if all are later,
  // `until_ns`.
  Record* pop(std::uint64_t until_ns, std::uint64_t& now_ns) {
    if (next_ == end_ && !advance()) return nullptr;
    PST_ENSURE(next_->time_ns >= now_ns);
    const Entry& entry = *next_;
    if (entry.time_ns > until_ns) {
      now_ns = until_ns;
      return nullptr;
    }
    now_ns = entry.time_ns;
    ++next_;
    if (fetched_) fetch(fetched_->next);
    return entry.record;
  }

 private:
  static constexpr std::uint32_t kBits = 10;
  static constexpr std::uint32_t kMostBits = 16;
  static constexpr std::uint32_t kLevels = 6;
  static constexpr std::uint32_t kNoSlot = 0xffffffffU;
  static constexpr std::ptrdiff_t kFew = 24;
  static constexpr std::size_t kCached = 32'768 / sizeof(Record);  // an L1 cache holds no more

  struct Level {
    std::uint32_t shift;  // of a bucket's number
    std::uint32_t mask;
    std::vector<std::uint32_t> newest;  // record of each bucket, or kNone
    std::vector<std::uint64_t> used;    // bits
  };
  struct Entry {
    std::uint64_t time_ns;
    Record* record;
  };

  static Level level(std::uint32_t shift, std::uint32_t bits) {
    const std::uint32_t slots = 1U << bits;
    return {shift, slots - 1, std::vector<std::uint32_t>(slots, kNone),
            std::vector<std::uint64_t>(slots / 64)};
  }

  void place(std::uint32_t index, Record& record, std::uint64_t bucket) {
    PST_REQUIRE(bucket > cursor_);
    if (bucket < horizon_) {
      append(levels_[0], static_cast<std::uint32_t>(bucket) & levels_[0].mask, index, record);
    } else {
      place_above(index, record, bucket);
    }
  }

  [[gnu::noinline]] void place_above(std::uint32_t index, Record& record, std::uint64_t bucket) {
    const std::uint64_t differing = bucket ^ (horizon_ - 1);
    std::uint32_t n = 1;
    while (n + 1 < kLevels && differing >> levels_[n + 1].shift) ++n;
    PST_ENSURE(differing >> levels_[n].shift != 0);
    Level& level = levels_[n];
    append(level, static_cast<std::uint32_t>(bucket >> level.shift) & level.mask, index, record);
  }

  void append(Level& level, std::uint32_t slot, std::uint32_t index, Record& record) {
    PST_REQUIRE(slot <= level.mask);
    record.next = std::exchange(level.newest[slot], index);
    if (record.next == kNone) level.used[slot / 64] |= 1ULL << (slot % 64);
  }

  // Its newest record, from which `next` leads to the oldest.
  std::uint32_t detach(Level& level, std::uint32_t slot) {
    PST_REQUIRE(level.newest[slot] != kNone);
    level.used[slot / 64] &= ~(1ULL << (slot % 64));
    return std::exchange(level.newest[slot], kNone);
  }

  std::uint32_t oldest_first(std::uint32_t newest) {
    std::uint32_t first = kNone;
    for (std::uint32_t i = newest; i != kNone;)
      first = std::exchange(i, std::exchange(pool_[i].next, first));
    return first;
  }

  // First used slot at or after `from`, or kNoSlot.
  static std::uint32_t next_used(const Level& level, std::uint32_t from) {
    if (from > level.mask) return kNoSlot;
    std::size_t word = from / 64;
    std::uint64_t bits = level.used[word] & (~0ULL << (from % 64));
    while (!bits) {
      if (++word == level.used.size()) return kNoSlot;
      bits = level.used[word];
    }
    return static_cast<std::uint32_t>(word * 64) +
           static_cast<std::uint32_t>(std::countr_zero(bits));
  }

  bool advance() {
    PST_REQUIRE(next_ == end_);
    Level& lowest = levels_[0];
    for (;;) {
      const std::uint32_t first = static_cast<std::uint32_t>(cursor_ + 1) & lowest.mask;
      std::uint32_t slot = next_used(lowest, first);
      if (slot == kNoSlot) slot = next_used(lowest, 0);
      if (slot != kNoSlot) {
        cursor_ += 1 + ((slot - first) & lowest.mask);
        PST_ENSURE(cursor_ < horizon_);
        if (cursor_ + block_ >= horizon_) extend();
        load(detach(lowest, slot));
        fetch(pool_.in_use() > kCached ? newest_after(lowest, slot) : kNone);
        PST_ENSURE(next_ != end_ && is_sorted());
        return true;
      }
      if (!cascade()) return false;
    }
  }

  // A record to be fetched; those that it leads to follow, one at each pop.
  void fetch(std::uint32_t index) {
    fetched_ = index == kNone ? nullptr : &pool_[index];
    __builtin_prefetch(fetched_);
  }
  // The newest record of the bucket after that of `slot`, or kNone if that is not near.
  static std::uint32_t newest_after(const Level& level, std::uint32_t slot) {
    const std::uint64_t later = level.used[slot / 64] >> (slot % 64);
    return later ? level.newest[slot + static_cast<std::uint32_t>(std::countr_zero(later))] : kNone;
  }

  // The current block is the last one: moves the block after it down to the lowest level.
  [[gnu::noinline]] void extend() {
    const std::uint64_t first = std::exchange(horizon_, horizon_ + block_);
    for (std::uint32_t n = kLevels; --n > 0;) {
      Level& level = levels_[n];
      const auto slot = static_cast<std::uint32_t>(first >> level.shift) & level.mask;
      if (level.newest[slot] != kNone) move_down(level, slot);
    }
  }

  // The lowest level is empty: moves the next bucket of the lowest other one down.
  bool cascade() {
    for (std::uint32_t n = 1; n < kLevels; ++n) {
      Level& level = levels_[n];
      const std::uint64_t at = (horizon_ - 1) >> level.shift;
      const std::uint32_t slot =
          next_used(level, (static_cast<std::uint32_t>(at) & level.mask) + 1);
      if (slot == kNoSlot) continue;
      const std::uint64_t first = ((at & ~static_cast<std::uint64_t>(level.mask)) | slot)
                                  << level.shift;
      cursor_ = first - 1;
      horizon_ = first + block_;
      move_down(level, slot);
      return true;
    }
    return false;
  }

  void move_down(Level& level, std::uint32_t slot) {
    for (std::uint32_t i = oldest_first(detach(level, slot)); i != kNone;) {
      Record& record = pool_[i];
      const std::uint32_t next = record.next;
      place(i, record, record.time_ns >> shift_);
      i = next;
    }
  }

  // Takes the first record off a list, which then begins at `i`.
  Entry take(std::uint32_t& i) {
    Record& record = pool_[i];
    i = std::exchange(record.next, i);
    return {record.time_ns, &record};
  }

  // Sorts the first few as it loads them, the newest first: most buckets have no more, nearly in
  // order.
  void load(std::uint32_t i) {
    Entry* const few = current_.data();
    Entry* const end = few + kFew;
    end->time_ns = ~0ULL;  // later than all
    Entry* first = end;
    do {
      const Entry entry = take(i);
      Entry* j = --first;
      for (; j[1].time_ns < entry.time_ns; ++j) *j = j[1];
      *j = entry;
    } while (i != kNone && first != few);
    next_ = first;
    end_ = end;
    if (i != kNone) load_rest(i);
  }

  // All of these are older.
  [[gnu::noinline]] void load_rest(std::uint32_t i) {
    while (i != kNone) {
      make_room();
      *end_++ = take(i);
    }
    std::reverse(next_ + kFew, end_);
    std::rotate(next_, next_ + kFew, end_);
    std::stable_sort(next_, end_,
                     [](const Entry& a, const Entry& b) { return a.time_ns < b.time_ns; });
  }

  // Out of line, as it is rare, to keep the common path short.
  [[gnu::noinline]] void insert_current(const Entry entry) {
    if (next_ == end_) next_ = end_ = current_.data();
    make_room();
    Entry* const where = std::upper_bound(
        next_, end_, entry, [](const Entry& a, const Entry& b) { return a.time_ns < b.time_ns; });
    std::move_backward(where, end_, end_ + 1);
    *where = entry;
    ++end_;
    PST_ENSURE(where == next_ || where[-1].time_ns <= entry.time_ns);
    PST_ENSURE(where + 1 == end_ || entry.time_ns < where[1].time_ns);
  }

  // For one entry more.
  void make_room() {
    if (end_ == current_.data() + current_.size()) grow();
  }

  [[gnu::noinline]] void grow() {
    const std::ptrdiff_t next = next_ - current_.data(), end = end_ - current_.data();
    current_.resize(2 * current_.size() + 1);
    next_ = current_.data() + next;
    end_ = current_.data() + end;
    PST_ENSURE(end_ < current_.data() + current_.size());
  }

  bool is_sorted() const {
    return std::is_sorted(next_, end_,
                          [](const Entry& a, const Entry& b) { return a.time_ns < b.time_ns; });
  }

  Pool<Record> pool_;
  std::array<Level, kLevels> levels_;
  // Holds the current bucket, sorted; has room for a few, and for those that come to it.
  std::vector<Entry> current_ = std::vector<Entry>(2 * kFew);
  Entry* next_ = current_.data();  // of that
  Entry* end_ = current_.data();
  std::uint64_t cursor_ = 0;  // its number: time_ns >> shift_
  std::uint64_t horizon_;     // the first bucket that is above the lowest level
  std::uint64_t block_;       // buckets
  std::uint32_t shift_;
  const Record* fetched_ = nullptr;  // of the next bucket, the last one
};

}  // namespace penstock::engine
