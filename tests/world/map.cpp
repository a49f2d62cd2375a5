// SPDX-License-Identifier: GPL-2.0-only
#include "tests/world/map.h"

#include <linux/bpf.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace penstock::world {

namespace {

constexpr unsigned kCpus = 2;
// Of so many that chance names, the one that was used least lately makes room.
constexpr int kLooks = 8;

u64 aligned(u64 bytes) { return (bytes + 15) / 16 * 16; }

}  // namespace

Map::Map(const world_map& as, u64 entries)
    : as_(as), value_at_(aligned(as.key_bytes)), stride_(value_at_ + aligned(as.value_bytes)) {
  if (as.kind == WORLD_PER_CPU) entries = kCpus;
  bytes_.resize(entries * stride_);
  used_.resize(entries);
  if (is_array()) return;
  seen_.resize(entries);
  next_.resize(entries, kNone);
  heads_.resize(std::bit_ceil(entries), kNone);
  for (u64 i = entries; i; --i) free_.push_back(i - 1);
}

u64 Map::bucket(const void* key) const {
  u64 hash = 0xcbf29ce484222325ULL;
  for (unsigned i = 0; i + 4 <= as_.key_bytes; i += 4) {
    unsigned word;
    std::memcpy(&word, static_cast<const unsigned char*>(key) + i, 4);
    hash = (hash ^ word) * 0x100000001b3ULL;
  }
  return (hash ^ hash >> 29) & (heads_.size() - 1);
}

u64 Map::index_of(const void* wanted) {
  for (u64 i = heads_[bucket(wanted)]; i != kNone; i = next_[i])
    if (!std::memcmp(key(i), wanted, as_.key_bytes)) return i;
  return kNone;
}

void* Map::find(const void* wanted, unsigned cpu) {
  if (as_.kind == WORLD_PER_CPU) return value(cpu);
  if (is_array()) {
    unsigned i;
    std::memcpy(&i, wanted, sizeof(i));
    return i < used_.size() ? value(i) : nullptr;
  }
  const u64 i = index_of(wanted);
  if (i == kNone) return nullptr;
  seen_[i] = ++clock_;
  return value(i);
}

void Map::release(u64 i) {
  u64* at = &heads_[bucket(key(i))];
  while (*at != i) at = &next_[*at];
  *at = next_[i];
  used_[i] = false;
  free_.insert(free_.begin(), i);
  --size_;
}

u64 Map::room_for_one(Draw& draw) {
  if (free_.empty()) {
    if (as_.kind != WORLD_LRU) return kNone;
    u64 victim = draw.below(used_.size());
    for (int look = 1; look < kLooks; ++look) {
      const u64 other = draw.below(used_.size());
      if (seen_[other] < seen_[victim]) victim = other;
    }
    release(victim);
  }
  const u64 i = free_.back();
  free_.pop_back();
  return i;
}

long Map::update(const void* wanted, const void* with, u64 flags, bool room, Draw& draw) {
  if (is_array()) {
    void* at = find(wanted, 0);
    if (!at) return -E2BIG;
    std::memcpy(at, with, as_.value_bytes);
    return 0;
  }
  const u64 old = index_of(wanted);
  if (old != kNone && flags == BPF_NOEXIST) return -EEXIST;
  if (old == kNone && !room) return -ENOMEM;
  const std::vector<unsigned char> fresh_key(
      static_cast<const unsigned char*>(wanted),
      static_cast<const unsigned char*>(wanted) + as_.key_bytes);
  const u64 i = room_for_one(draw);
  if (i == kNone) return -E2BIG;
  if (const u64 left = index_of(fresh_key.data()); left != kNone) release(left);
  std::memcpy(key(i), fresh_key.data(), as_.key_bytes);
  std::memcpy(value(i), with, as_.value_bytes);
  u64& head = heads_[bucket(key(i))];
  next_[i] = head;
  head = i;
  used_[i] = true;
  seen_[i] = ++clock_;
  ++size_;
  return 0;
}

long Map::erase(const void* wanted) {
  const u64 i = index_of(wanted);
  if (i == kNone) return -ENOENT;
  release(i);
  return 0;
}

}  // namespace penstock::world
