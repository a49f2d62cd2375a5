// SPDX-License-Identifier: GPL-2.0-only
// Senders with round trips of their own at one bottleneck: for methods whose routers and hosts
// share a header.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/describe.h"
#include "sim/net/network.h"
#include "tests/sim/params.h"
#include "tests/sim/times.h"

namespace penstock::net {

inline constexpr std::uint64_t kStarRateBps = 50'000'000;

struct Star {  // senders with round trips of their own, one bottleneck
  std::vector<std::uint64_t> rtt_ns{};
  std::vector<std::uint64_t> start_ns{};
  std::uint64_t queue_bytes = 1'500'000;
  std::uint32_t variant = PST_VARIANT_XCP;
  std::uint32_t sender = PST_SENDER_XCP_SENDER;
  std::uint64_t size_bytes = 1ULL << 40;
  bool receivers_speak = true;
  bool second_queue = false;  // behind the first, of the same rate, without XCP
  bool pacing = false;
  bool count_feedback = false;
  double loss_ratio = 0.0;  // of the bottleneck, in both directions
  bool reorders = false;    // its delay changes each 10 ms
  std::size_t liars = 0;    // of the flows, the last ones: their receivers forge feedback
  std::uint64_t window_bytes = 8'000'000;
  std::uint64_t liar_window_bytes = 8'000'000;
  bool liars_go_around = false;  // their ACKs do not pass the gateway
  bool liars_are_silent = false;  // they return no header at all
  std::uint64_t asked_bps = 0;   // by XCP's senders; 0 for as much as there is
};

inline Network build(const Star& star) {
  Network network(3);
  const std::uint32_t left = network.node("left");
  const std::uint32_t right = network.node("right");
  LinkSpec forward{.src = left, .dst = right, .rate_bps = kStarRateBps, .delay_ns = kMs};
  forward.queue_bytes = star.queue_bytes;
  forward.loss_ratio = star.loss_ratio;
  for (std::uint64_t i = 1; star.reorders && i < 1'000; ++i)
    forward.changes.push_back({.at_ns = i * 10 * kMs, .delay_ns = (i % 2 ? 3 : 1) * kMs});
  LinkSpec back{.src = right, .dst = left, .rate_bps = kStarRateBps, .delay_ns = kMs};
  back.loss_ratio = star.loss_ratio;
  back.changes = forward.changes;
  const std::uint32_t bottleneck = network.link(forward);
  network.link(back);
  pst_gateway_config config;
  pst_variant_config(&config, star.variant, star.queue_bytes);
  network.gateway(bottleneck, config);
  for (std::size_t i = 0; i < star.rtt_ns.size(); ++i) {
    TcpSpec tcp;
    tcp.src = network.node("s");
    tcp.dst = network.node("d");
    const std::uint64_t delay_ns = star.rtt_ns[i] / 4 - kMs / 2;
    for (const auto& [a, b] : {std::pair{tcp.src, left}, {left, tcp.src}, {tcp.dst, right}})
      network.link({.src = a, .dst = b, .rate_bps = 1'000'000'000, .delay_ns = delay_ns});
    LinkSpec last{.src = right, .dst = tcp.dst, .rate_bps = 1'000'000'000, .delay_ns = delay_ns};
    if (star.second_queue) last.queue_bytes = star.queue_bytes;
    network.link(last);
    const bool lies = i + star.liars >= star.rtt_ns.size();
    if (lies && star.liars_go_around)
      network.link({.src = tcp.dst,
                    .dst = tcp.src,
                    .rate_bps = 1'000'000'000,
                    .delay_ns = 2 * delay_ns + kMs});
    tcp.start_ns = star.start_ns.empty() ? i * 100 * kMs : star.start_ns[i];
    tcp.size_bytes = star.size_bytes;
    tcp.sender.method = star.sender;
    pst_sender_defaults(tcp.sender.method, &tcp.sender.params);
    if (star.asked_bps)
      set_param(pst_sender_rows[star.sender], &tcp.sender.params, "rate_bps", star.asked_bps);
    tcp.sender.pacing = star.pacing;
    tcp.sender.count_feedback = star.count_feedback;
    tcp.sender.mss_bytes = tcp.receiver.mss_bytes = 1'400;
    tcp.receiver.buffer_bytes = lies ? star.liar_window_bytes : star.window_bytes;
    tcp.receiver.max_buffer_bytes = tcp.receiver.buffer_bytes;
    tcp.receiver.feedback = star.receivers_speak && !(lies && star.liars_are_silent);
    tcp.receiver.forge_feedback = lies;
    network.tcp(tcp);
  }
  return network;
}

// The largest distance of a flow's rate from the mean of all, as a part of that.
inline double unfairness(const Result& result) {
  double sum = 0, worst = 0;
  for (const FlowResult& flow : result.flows)
    sum += static_cast<double>(flow.receiver.delivered_bytes);
  const double mean = sum / static_cast<double>(result.flows.size());
  for (const FlowResult& flow : result.flows)
    worst =
        std::max(worst, std::abs(static_cast<double>(flow.receiver.delivered_bytes) / mean - 1));
  return worst;
}

inline void expect_same(const Result& a, const Result& b) {
  EXPECT_EQ(a.events, b.events);
  for (std::size_t i = 0; i < a.flows.size(); ++i) {
    EXPECT_EQ(a.flows[i].done_ns, b.flows[i].done_ns);
    EXPECT_EQ(a.flows[i].sender.retransmissions, b.flows[i].sender.retransmissions);
  }
}

inline Result play(Star star) {
  star.rtt_ns = {40 * kMs, 60 * kMs, 80 * kMs, 100 * kMs};
  star.size_bytes = 20'000'000;
  star.queue_bytes = 100'000;
  return build(star).run(100 * kSecond);
}

}  // namespace penstock::net
