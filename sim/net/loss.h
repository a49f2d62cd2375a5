// SPDX-License-Identifier: GPL-2.0-only
// Loss on the wire: random by a ratio, and of given data packets for scripts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base.h"
#include "sim/engine/random.h"

namespace penstock::net {

class Loss {
 public:
  Loss(double ratio, std::vector<std::uint64_t> data_packets, engine::Stream random)
      : ratio_(ratio), script_(std::move(data_packets)), random_(random) {
    std::sort(script_.begin(), script_.end());
  }

  void set_ratio(double ratio) {
    PST_REQUIRE(ratio >= 0.0 && ratio <= 1.0);
    ratio_ = ratio;
  }

  bool loses(bool has_payload) {
    if (has_payload && std::binary_search(script_.begin(), script_.end(), data_packets_++))
      return true;
    return ratio_ > 0.0 && random_.unit() < ratio_;
  }

 private:
  double ratio_;
  std::vector<std::uint64_t> script_;  // sorted
  engine::Stream random_;
  std::uint64_t data_packets_ = 0;
};

}  // namespace penstock::net
