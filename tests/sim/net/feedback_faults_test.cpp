// SPDX-License-Identifier: GPL-2.0-only
// Methods whose routers and hosts share a header, on paths that lose and reorder it: all data
// arrives, within twice NewReno's time on the same path.
#include <ostream>

#include "tests/sim/net/star.h"

namespace penstock::net {
namespace {

struct Method {
  const char* name;
  std::uint32_t variant, sender;
};

std::ostream& operator<<(std::ostream& out, const Method& method) { return out << method.name; }

constexpr Method kNewReno{"newreno", PST_VARIANT_DROPTAIL, PST_SENDER_NEWRENO};

class Faults : public testing::TestWithParam<Method> {
 protected:
  static double seconds(const Method& method, Star star) {
    star.variant = method.variant;
    star.sender = method.sender;
    const Result result = play(star);
    EXPECT_TRUE(result.all_done);
    std::int64_t last_ns = 0;
    for (const FlowResult& flow : result.flows) {
      EXPECT_EQ(flow.receiver.delivered_bytes, 20'000'000U);
      last_ns = std::max(last_ns, flow.done_ns);
    }
    return static_cast<double>(last_ns) / 1e9;
  }

  static void expect_bounded(const Star& star) {
    EXPECT_LT(seconds(GetParam(), star), 2 * seconds(kNewReno, star));
  }
};

TEST_P(Faults, LostHeaders) { expect_bounded({.loss_ratio = 0.005}); }

TEST_P(Faults, ReorderedHeaders) { expect_bounded({.reorders = true}); }

TEST_P(Faults, AQueueThatTakesNoPartAndLoses) {
  expect_bounded({.second_queue = true, .loss_ratio = 0.005});
}

INSTANTIATE_TEST_SUITE_P(
    All, Faults,
    testing::Values(Method{"xcp", PST_VARIANT_XCP, PST_SENDER_XCP_SENDER},
                    Method{"fxcp", PST_VARIANT_FXCP, PST_SENDER_XCP_SENDER},
                    Method{"etcp_3", PST_VARIANT_ETCP_3, PST_SENDER_ETCP_3},
                    Method{"fba", PST_VARIANT_FBA_TCP, PST_SENDER_FBA_SENDER},
                    Method{"quick_start", PST_VARIANT_QUICK_START, PST_SENDER_QUICK_START_SENDER},
                    Method{"antiecn", PST_VARIANT_ANTIECN, PST_SENDER_ANTIECN_SENDER}));

}  // namespace
}  // namespace penstock::net
