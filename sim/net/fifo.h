// SPDX-License-Identifier: GPL-2.0-only
// A list of held packets, linked by the pool's `next`.
#pragma once

#include <cstdint>

#include "core/base.h"
#include "sim/engine/pool.h"
#include "sim/net/packet.h"

namespace penstock::net {

class Fifo {
 public:
  bool empty() const { return first_ == engine::kNone; }
  std::uint32_t first() const { return first_; }

  void push(engine::Pool<Record>& pool, std::uint32_t index) {
    PST_REQUIRE(index != engine::kNone);
    PST_REQUIRE(empty() || index != last_);  // no packet waits twice
    pool[index].next = engine::kNone;
    if (empty()) {
      first_ = index;
    } else {
      pool[last_].next = index;
    }
    last_ = index;
  }

  std::uint32_t pop(engine::Pool<Record>& pool) {
    PST_REQUIRE(!empty());
    const std::uint32_t index = first_;
    first_ = pool[index].next;
    PST_ENSURE(empty() == (index == last_));
    return index;
  }

 private:
  std::uint32_t first_ = engine::kNone;
  std::uint32_t last_ = engine::kNone;
};

}  // namespace penstock::net
