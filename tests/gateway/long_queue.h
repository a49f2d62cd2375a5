// SPDX-License-Identifier: GPL-2.0-only
// A link of 8 Mbit/s at which `fair` acts, as its queue is long: 100 kB in the averaging time.
#pragma once

#include <functional>
#include <string>

#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {

inline constexpr std::uint64_t kLongQueueBytes = 90'000;  // far above the target of 5 ms
inline constexpr int kMany = 1000;  // packets of 1 kB: 1 MB within 10 ms

inline gw::Settings fair_link(const std::string& fair = "on",
                              const std::string& method = "penstock") {
  gw::Settings s = slow_link(method);
  s.rate = "8mbit";
  s.fair = fair;
  return s;
}

class LongQueueTest : public GatewayTest {
 protected:
  // Of `count` packets that leave while the queue is long, how many are dropped.
  static int dropped(GatewayUnderTest& g, int count, const std::function<Bytes(int)>& make) {
    int drops = 0;
    for (int i = 0; i < count; ++i) {
      if (i % 50 == 0) g.fill_queue(kLongQueueBytes);
      drops += g.forward(make(i)).empty();
    }
    return drops;
  }
  static int dropped(GatewayUnderTest& g, int count, const Bytes& bytes) {
    return dropped(g, count, [&bytes](int) { return bytes; });
  }
};

}  // namespace penstock::test
