// SPDX-License-Identifier: GPL-2.0-only
// `fair` against a flow that pauses, so that its mean is below its share when it sends.
#include <gtest/gtest.h>

#include <random>

#include "fair_host.h"

namespace {

struct Pulse {
  u64 on_ns, off_ns;
};

// What a flow that sends at 1.5 C while it is on is left of C, beside four flows of 0.2 C that fill
// their windows.
double goodput_of(const Pulse& pulse) {
  Fair fair;
  std::mt19937_64 random(5);
  constexpr u64 kGapNs = 100'000;  // of 250 bytes at C
  constexpr u64 kEndNs = 60'000 * kMs;
  double passed = 0;
  u64 packets = 0;
  fair.q.bytes = kTarget;
  for (fair.q.now_ns = kMs; fair.q.now_ns < kEndNs; fair.q.now_ns += kGapNs, ++packets) {
    fair.arrive(1 + packets % 4, 200, PST_KIND_CONTROLLED, 0, true);
    if (fair.q.now_ns % (pulse.on_ns + pulse.off_ns) >= pulse.on_ns) continue;
    fair.q.random = static_cast<u32>(random());
    fair.answer(0);
    if (fair.arrive(0, 375, PST_KIND_OTHER) == PST_PASS) passed += 375;
  }
  return passed / (static_cast<double>(kBytesPerS) * static_cast<double>(kEndNs) / 1e9);
}

// Its share is 0.2. While its level rises to the limit, and in the first K above it, (4) spares it.
TEST(FairPulse, HasAtMostThirteenTenthsOfItsShareOnAverage) {
  for (const u64 on_ms : {20, 50, 100, 200, 500})
    for (const u64 off_ms : {50, 100, 150, 200, 300, 400, 1000})
      EXPECT_LT(goodput_of({on_ms * kMs, off_ms * kMs}), 0.26) << on_ms << " on, " << off_ms;
}

}  // namespace
