// SPDX-License-Identifier: GPL-2.0-only
// Why the queue has no bound that is independent of the number of connections (docs/proofs.md):
// connections that send little keep the window of their last ACK, and all may use it at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "core/describe.h"
#include "sim/net/network.h"
#include "tests/sim/params.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

using traffic::Transfer;

constexpr std::uint64_t kVastBufferBytes = 100'000'000;  // drops end nothing
constexpr std::uint64_t kLoneTurnNs = 2 * kSecond;       // in which one sends alone
constexpr std::int64_t kKeptTargetBytes = 6'250;         // 5 ms at 10 Mbit/s

struct Kept {
  std::uint64_t connections;
  bool keeps = true;  // false: they open at the moment of the burst

  struct Answer {
    std::int64_t most_bytes = 0;  // in the queue
    std::uint64_t above_ms = 0;   // above the target, from the burst until first not
  };

  Answer run() const {
    Network network(1);
    const std::uint32_t left = network.node("left"), right = network.node("right");
    LinkSpec link{.src = left, .dst = right, .rate_bps = 10'000'000, .delay_ns = 30 * kMs};
    link.queue_bytes = kVastBufferBytes;
    const std::uint32_t bottleneck = network.link(link);
    network.link({.src = right, .dst = left, .rate_bps = 1'000'000'000, .delay_ns = 30 * kMs});
    pst_gateway_config gateway;
    pst_variant_config(&gateway, PST_VARIANT_PENSTOCK, kVastBufferBytes);
    // Whatever pauses.
    set_param(pst_law_rows[gateway.law], &gateway.law_params, "target_bytes", kKeptTargetBytes);
    network.gateway(bottleneck, gateway);
    for (std::uint64_t i = 0; i < connections; ++i) add(network, left, right, i);
    network.sample({.interval_ns = kMs, .links = {bottleneck}});
    return answer(network.run(burst_ns() + 20 * kSecond).series);
  }

 private:
  std::uint64_t burst_ns() const { return (connections + 1) * kLoneTurnNs; }

  // 1 MB alone, 100 B every 150 ms, and 500 kB at the time of all.
  traffic::SourceSpec source(std::uint64_t start_ns) const {
    const auto writes = std::make_shared<std::vector<Transfer>>();
    const std::uint64_t burst = burst_ns() - start_ns;
    if (keeps) {
      writes->push_back({0, 1'000'000});
      for (std::uint64_t at = kLoneTurnNs; at < burst; at += 150 * kMs)
        writes->push_back({at, 100});
    }
    writes->push_back({burst, 500'000});
    return {traffic::Trace{writes}};
  }

  void add(Network& network, std::uint32_t left, std::uint32_t right, std::uint64_t i) const {
    const std::uint64_t start_ns = keeps ? i * kLoneTurnNs : burst_ns();
    TrafficSpec spec{.name = "kept" + std::to_string(i),
                     .ends = {{left, right}},
                     .starts_ns = {start_ns},
                     .source = source(start_ns)};
    spec.source.persistent = true;
    spec.receiver.autotune = true;
    pst_sender_defaults(spec.sender.method, &spec.sender.params);
    network.traffic(std::move(spec));
  }

  Answer answer(const Series& series) const {
    Answer a;
    bool ended = false;
    for (std::size_t i = 0; i < series.time_ns.size(); ++i) {
      if (series.time_ns[i] < static_cast<std::int64_t>(burst_ns())) continue;
      const std::int64_t bytes = series.queue_bytes[0][i];
      a.most_bytes = std::max(a.most_bytes, bytes);
      ended = ended || (a.above_ms && bytes <= kKeptTargetBytes);
      a.above_ms += !ended && bytes > kKeptTargetBytes;
    }
    return a;
  }
};

struct ExpectedKept {
  std::uint64_t connections;
  double kept_kb, above_ms, fresh_kb;
};

// The numbers of docs/proofs.md. The queue is above the target for as long as the link takes to
// send it, and a round trip at most: the next ACKs take the windows back.
TEST(KeptWindows, FillTheQueueByTheNumberOfConnections) {
  for (const ExpectedKept& e :
       {ExpectedKept{4, 55, 40, 25}, {8, 114, 123, 22}, {16, 226, 209, 47}}) {
    const Kept::Answer kept = Kept{e.connections}.run();
    const Kept::Answer fresh = Kept{e.connections, false}.run();
    const auto kept_kb = static_cast<double>(kept.most_bytes) / 1e3;
    const auto above_ms = static_cast<double>(kept.above_ms);
    EXPECT_NEAR(kept_kb, e.kept_kb, e.kept_kb / 5) << e.connections;
    EXPECT_NEAR(above_ms, e.above_ms, e.above_ms / 5) << e.connections;
    EXPECT_NEAR(static_cast<double>(fresh.most_bytes) / 1e3, e.fresh_kb, e.fresh_kb / 5);
    EXPECT_LT(above_ms, kept_kb * 8 / 10 + 60) << "the link's time, and a round trip";
  }
}

}  // namespace
}  // namespace penstock::net
