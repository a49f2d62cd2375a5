// SPDX-License-Identifier: GPL-2.0-only
// A queue in one block of memory, which doubles when it is full.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/base.h"

namespace penstock::engine {

// Item: trivially copyable.
template <class Item>
class Ring {
 public:
  bool empty() const { return first_ == end_; }
  std::size_t size() const { return end_ - first_; }
  const Item& front() const {
    PST_REQUIRE(!empty());
    return items_[first_ & mask_];
  }
  void pop_front() {
    PST_REQUIRE(!empty());
    ++first_;
  }
  void push_back(const Item& item) {
    if (end_ - first_ == mask_ + 1) grow();
    items_[end_++ & mask_] = item;
    PST_ENSURE(end_ - first_ <= items_.size());
  }

 private:
  [[gnu::noinline]] void grow() {
    std::vector<Item> items(items_.empty() ? 16 : 2 * items_.size());
    for (std::size_t i = first_; i != end_; ++i) items[i - first_] = items_[i & mask_];
    end_ -= first_;
    first_ = 0;
    items_ = std::move(items);
    mask_ = items_.size() - 1;
    PST_ENSURE((items_.size() & mask_) == 0);
    PST_ENSURE(end_ < items_.size());
  }

  std::vector<Item> items_;  // a power of two, or none
  std::size_t mask_ = ~std::size_t{0};  // one less than the number of places
  std::size_t first_ = 0;  // numbers of items, which their places repeat
  std::size_t end_ = 0;
};

}  // namespace penstock::engine
