// SPDX-License-Identifier: GPL-2.0-only
// One receiver that forges what routers tell, beside four that do not: what it gains, what is left
// to the others, and what bounds it. docs/methods has these numbers on each method's page.
#include "tests/sim/net/star.h"

namespace penstock::net {
namespace {

constexpr std::size_t kFlows = 5;
constexpr std::uint64_t kBegin = 20 * kSecond, kEnd = 120 * kSecond;
constexpr double kShareBps = static_cast<double>(kStarRateBps) / kFlows;

Star five(std::uint32_t variant, std::uint32_t sender) {
  Star star{.queue_bytes = 500'000, .variant = variant, .sender = sender};
  star.rtt_ns.assign(kFlows, 80 * kMs);
  star.liars = 1;
  return star;
}

struct Rates {  // payload over a fifth of the link; all honest: 0.96
  double liar = 0, honest = 0;
};

Rates rates(const Star& star) {
  const Result result = build(star).run({kEnd, kBegin});
  Rates found;
  for (std::size_t i = 0; i < kFlows; ++i) {
    const double bits = 8 * static_cast<double>(result.flows[i].receiver.delivered_bytes);
    const double rate = bits / (static_cast<double>(kEnd - kBegin) / kSecond) / kShareBps;
    if (i + 1 == kFlows) {
      found.liar = rate;
    } else {
      found.honest += rate / (kFlows - 1);
    }
  }
  return found;
}

class XcpLike : public testing::TestWithParam<std::uint32_t> {
 protected:
  static Star xcp() { return five(GetParam(), PST_SENDER_XCP_SENDER); }
};

TEST_P(XcpLike, AReceiverThatForgesTakesLessThanANewRenoFlow) {
  const Rates forged = rates(xcp());
  EXPECT_NEAR(forged.liar, 3.95, 0.2);
  EXPECT_NEAR(forged.honest, 0.22, 0.05);
  Star beside = xcp();
  beside.liars_are_silent = true;
  const Rates newreno = rates(beside);
  EXPECT_GT(newreno.liar, 4.5);
  EXPECT_LT(newreno.honest, 0.08);
}

// Routers never raise a request, so a sender that asks for a rate is not talked into more.
TEST_P(XcpLike, ASendersRequestBoundsIt) {
  Star star = xcp();
  star.asked_bps = 15'000'000;
  const Rates forged = rates(star);
  EXPECT_LT(forged.liar, 1.5);
  EXPECT_GT(forged.honest, 0.8);
}

INSTANTIATE_TEST_SUITE_P(All, XcpLike, testing::Values(PST_VARIANT_XCP, PST_VARIANT_FXCP));

TEST(AntiEcnForged, GrowsAsScalableTcpUntilALoss) {
  const Rates forged = rates(five(PST_VARIANT_ANTIECN, PST_SENDER_ANTIECN_SENDER));
  EXPECT_NEAR(forged.liar, 3.85, 0.2);
  EXPECT_NEAR(forged.honest, 0.24, 0.05);
}

TEST(FbaForged, GainsNothing) {
  const Rates forged = rates(five(PST_VARIANT_FBA_TCP, PST_SENDER_FBA_SENDER));
  EXPECT_LT(forged.liar, 1.05 * forged.honest);
  EXPECT_GT(forged.honest, 0.9);
}

struct Etcp {
  std::uint32_t variant, sender;
};

class EtcpForged : public testing::TestWithParam<Etcp> {
 protected:
  // A receiver that advertises twenty times as much as the others.
  static Star etcp() {
    Star star = five(GetParam().variant, GetParam().sender);
    star.window_bytes = 400'000;
    return star;
  }
};

TEST_P(EtcpForged, AWindowAboveTheGatewaysGainsNothing) {
  const Rates forged = rates(etcp());
  EXPECT_NEAR(forged.liar / forged.honest, 1, 0.05);
}

TEST_P(EtcpForged, AWindowThatNoGatewaySeesTakesTheLink) {
  Star star = etcp();
  star.liars_go_around = true;
  const Rates forged = rates(star);
  EXPECT_GT(forged.liar, 4 * forged.honest);
  EXPECT_LT(forged.honest, 0.5);
}

INSTANTIATE_TEST_SUITE_P(All, EtcpForged,
                         testing::Values(Etcp{PST_VARIANT_ETCP_1, PST_SENDER_ETCP_1},
                                         Etcp{PST_VARIANT_ETCP_2, PST_SENDER_ETCP_2},
                                         Etcp{PST_VARIANT_ETCP_3, PST_SENDER_ETCP_3},
                                         Etcp{PST_VARIANT_ETCP_3B, PST_SENDER_ETCP_3B}));

}  // namespace
}  // namespace penstock::net
