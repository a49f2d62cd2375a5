// SPDX-License-Identifier: GPL-2.0-only
// A map of the simulated kernel.
#pragma once

#include <vector>

#include "tests/world/kernel/programs.h"
#include "tests/world/script.h"

namespace penstock::world {

class Map {
 public:
  Map(const world_map& as, u64 entries);
  const world_map& as() const { return as_; }
  void* find(const void* key, unsigned cpu);
  // As in the kernel, an entry that is there already moves: who holds a pointer to the old one
  // writes without effect. `room`: whether a new one may come in.
  long update(const void* key, const void* value, u64 flags, bool room, Draw& draw);
  long erase(const void* key);
  template <typename Visit>
  void each(Visit visit) {
    for (u64 i = 0; i < used_.size(); ++i)
      if (used_[i]) visit(key(i), value(i));
  }
  u64 size() const { return size_; }
  u64 entries() const { return used_.size(); }

 private:
  static constexpr u64 kNone = ~0ULL;
  bool is_array() const { return as_.kind == WORLD_ARRAY || as_.kind == WORLD_PER_CPU; }
  unsigned char* key(u64 i) { return bytes_.data() + i * stride_; }
  unsigned char* value(u64 i) { return key(i) + value_at_; }
  u64 bucket(const void* key) const;
  u64 index_of(const void* key);
  u64 room_for_one(Draw& draw);
  void release(u64 i);

  const world_map& as_;
  u64 value_at_, stride_;
  u64 size_ = 0, clock_ = 0;
  std::vector<unsigned char> bytes_;
  std::vector<bool> used_;
  std::vector<u64> seen_, next_, heads_, free_;
};

}  // namespace penstock::world
