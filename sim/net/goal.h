// SPDX-License-Identifier: GPL-2.0-only
// When a run ends early: once all TCP flows, and all users whose source ends, are done. Without
// any of these it continues.
#pragma once

#include <cstddef>

#include "core/base.h"

namespace penstock::net {

class Goal {
 public:
  void add() { ++unfinished_; }
  void reach() {
    PST_REQUIRE(unfinished_ > 0);
    --unfinished_;
  }
  void begin() { endless_ = unfinished_ == 0; }  // all are added

  bool reached() const { return unfinished_ == 0; }
  bool goes_on() const { return unfinished_ > 0 || endless_; }

 private:
  std::size_t unfinished_ = 0;
  bool endless_ = false;
};

}  // namespace penstock::net
