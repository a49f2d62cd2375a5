// SPDX-License-Identifier: GPL-2.0-only
// Sources by hand: what comes after what.
#include "sim/traffic/source.h"
#include "tests/sim/times.h"

#include <gtest/gtest.h>

namespace penstock::traffic {
namespace {

constexpr std::uint64_t kStartNs = 500 * kMs;

Web web(double pages) {
  return {Distribution::constant(5'000 * kMs), Distribution::constant(pages),
          Distribution::constant(30 * kMs), Distribution::constant(4), Distribution::constant(250)};
}

TEST(WebSource, ReadsAfterEachPageAndPausesAfterEachSession) {
  const SourceSpec spec{web(2)};
  Source source(spec, 1, 0, kStartNs);
  std::uint64_t done_ns = kStartNs;
  for (const std::uint64_t pause_ms : {5'000, 30, 5'000, 30}) {
    const std::optional<Transfer> page = source.next(done_ns);
    ASSERT_TRUE(page);
    EXPECT_EQ(page->at_ns, done_ns + pause_ms * kMs);
    EXPECT_EQ(page->size_bytes, 1000U);  // four objects
    done_ns = page->at_ns + 7 * kMs;     // the network's share
  }
}

TEST(WebSource, EndsAfterItsTransfers) {
  const SourceSpec spec{web(2), 3};
  Source source(spec, 1, 0, kStartNs);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(source.next(kStartNs));
  EXPECT_FALSE(source.next(kStartNs));
  EXPECT_TRUE(spec.ends());
  EXPECT_FALSE(SourceSpec{web(2)}.ends());
}

TEST(WebSource, DrawsDoNotDependOnTheNetwork) {
  const SourceSpec spec{Web{Distribution::exponential(5e9), Distribution::lognormal(25.8, 78.8),
                            Distribution::gamma(35.3e9, 147.4e9), Distribution::constant(1),
                            Distribution::pareto(1.76, 30'458)}};
  Source fast(spec, 1, 9, 0), slow(spec, 1, 9, 0);
  std::uint64_t fast_ns = 0, slow_ns = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Transfer a = *fast.next(fast_ns), b = *slow.next(slow_ns);
    EXPECT_EQ(a.size_bytes, b.size_bytes);
    EXPECT_EQ(a.at_ns - fast_ns, b.at_ns - slow_ns);
    fast_ns = a.at_ns;
    slow_ns = b.at_ns + i * kMs;
  }
}

TEST(OnOffSource, WritesInStepsWhileItIsOn) {
  const SourceSpec spec{
      OnOff{Distribution::constant(50 * kMs), Distribution::constant(100 * kMs), 20 * kMs, 160}};
  Source source(spec, 1, 0, kStartNs);
  // On for 50 ms: at 0, 20 and 40; off until 150.
  for (const std::uint64_t ms : {0, 20, 40, 150, 170, 190, 300}) {
    const Transfer write = *source.next(0);
    EXPECT_EQ(write.at_ns, kStartNs + ms * kMs);
    EXPECT_EQ(write.size_bytes, 160U);
  }
  EXPECT_FALSE(spec.waits());
}

TEST(TraceSource, PlaysItsFileFromItsStart) {
  const auto transfers =
      std::make_shared<std::vector<Transfer>>(std::vector<Transfer>{{0, 10}, {3 * kMs, 20}});
  const SourceSpec spec{Trace{transfers}};
  Source source(spec, 1, 0, kStartNs);
  EXPECT_EQ(source.next(0)->at_ns, kStartNs);
  const Transfer second = *source.next(0);
  EXPECT_EQ(second.at_ns, kStartNs + 3 * kMs);
  EXPECT_EQ(second.size_bytes, 20U);
  EXPECT_FALSE(source.next(0));
  EXPECT_TRUE(spec.ends());
}

}  // namespace
}  // namespace penstock::traffic
