// SPDX-License-Identifier: GPL-2.0-only
// A run in steps is the same run, and what another decides is what happens.
#include "sim/net/stepped.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

#include "core/describe.h"
#include "tests/sim/params.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

constexpr std::uint64_t kQueueBytes = 97'000;
enum Look { kNow, kGoesOn, kQueue, kArrivals, kDrops, kSent, kReceived, kOwn, kSrtt, kCwnd };

struct Wire {  // 20 Mbit/s, a round trip of 40 ms, one sender
  Network network{1};
  std::uint32_t bottleneck;

  explicit Wire(std::uint64_t size_bytes, std::uint32_t variant = PST_VARIANT_DROPTAIL) {
    const std::uint32_t a = network.node("a"), b = network.node("b");
    LinkSpec forward{.src = a, .dst = b, .rate_bps = 20'000'000, .delay_ns = 20 * kMs};
    forward.queue_bytes = kQueueBytes;
    bottleneck = network.link(forward);
    network.link({.src = b, .dst = a, .rate_bps = 20'000'000, .delay_ns = 20 * kMs});
    pst_gateway_config config;
    pst_variant_config(&config, variant, kQueueBytes);
    if (variant == PST_VARIANT_INTEGRAL)  // keeps its factor
      set_param(pst_law_rows[PST_LAW_INTEGRAL], &config.law_params, "gain_q16", 0);
    network.gateway(bottleneck, config);
    TcpSpec tcp;
    tcp.src = a;
    tcp.dst = b;
    tcp.size_bytes = size_bytes;
    pst_sender_defaults(tcp.sender.method, &tcp.sender.params);
    tcp.receiver.buffer_bytes = 4'000'000;
    network.tcp(tcp);
  }
};

std::vector<double> look(Stepped& run) {
  std::vector<double> out(Stepped::kLinkLooks + Stepped::kFlowLooks);
  run.look(out.data(), 1);
  return out;
}

TEST(Stepped, IsTheRunThatIsNotInSteps) {
  Wire wire(1'000'000);
  const Result whole = wire.network.run(10'000 * kMs);
  Stepped run(wire.network, wire.bottleneck);
  for (std::uint64_t ms = 7; ms <= 10'003; ms += 7) run.play(ms * kMs);
  const std::vector<double> seen = look(run);
  EXPECT_EQ(seen[kNow], static_cast<double>(whole.end_ns));
  EXPECT_EQ(seen[kGoesOn], 0);
  EXPECT_EQ(seen[kReceived], 1'000'000);
  EXPECT_EQ(seen[kOwn], 1'000'000);
  EXPECT_EQ(seen[kArrivals], static_cast<double>(whole.queues[0].counters.arrivals));
  EXPECT_EQ(seen[kDrops], static_cast<double>(whole.queues[0].counters.drops()));
}

TEST(Stepped, WindowsAreWhatWasSet) {
  Wire wire(1'000'000'000);
  Stepped run(wire.network, wire.bottleneck);
  const double before = 5e5, wanted = 20 * 1448;
  run.set_cwnds(&before, 1);  // no effect: there is no connection yet
  for (std::uint64_t ms = 100; ms <= 5'000; ms += 10) {
    run.set_cwnds(&wanted, 1);
    run.play(ms * kMs);
  }
  const std::vector<double> seen = look(run);
  EXPECT_NEAR(seen[kCwnd], wanted, 1448);
  EXPECT_EQ(seen[kDrops], 0);
  // 20 segments in a round trip of 40 ms, less a little: 5.8 Mbit/s, on a link of 20 Mbit/s.
  EXPECT_NEAR(seen[kReceived] * 8 / 5.0, wanted * 8 / 0.0407, 0.05 * wanted * 8 / 0.0407);
  EXPECT_NEAR(seen[kSrtt], 43e6, 3e6);  // of which a burst may take some in the queue
  const double none = std::numeric_limits<double>::quiet_NaN();
  run.set_cwnds(&none, 1);
  EXPECT_EQ(look(run)[kCwnd], seen[kCwnd]);
}

double goodput_bps(double factor) {
  Wire wire(1'000'000'000, PST_VARIANT_INTEGRAL);
  Stepped run(wire.network, wire.bottleneck);
  EXPECT_TRUE(run.has_factor());
  for (std::uint64_t ms = 10; ms <= 5'000; ms += 10) {
    run.set_factor(static_cast<std::uint64_t>(factor * 4294967296.0));
    run.play(ms * kMs);
  }
  return look(run)[kReceived] * 8 / 5.0;
}

TEST(Stepped, AFactorDividesTheRate) {
  const double all = goodput_bps(1.0);
  EXPECT_GT(all, 17e6);
  EXPECT_NEAR(goodput_bps(0.25), all / 4, 0.15 * all);
  // The law's own limit.
  EXPECT_EQ(goodput_bps(0.0), goodput_bps(1.0 / 16));
}

TEST(Stepped, NeedsAQueue) {
  Wire wire(1'000);
  EXPECT_THROW(Stepped(wire.network, 1), std::invalid_argument);
  Stepped run(wire.network, wire.bottleneck);
  EXPECT_FALSE(run.has_factor());
}

}  // namespace
}  // namespace penstock::net
