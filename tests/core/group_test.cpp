// SPDX-License-Identifier: GPL-2.0-only
// Flows that count as one: how much of the link each may have, by the laws that divide it.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/describe.h"

namespace {

constexpr u64 kBuffer = 97'000;
constexpr u64 kMs = 1'000'000;

// A gateway, and flows that open one after the other and fill their windows.
class Divided {
 public:
  explicit Divided(u32 variant) {
    pst_variant_config(&config_, variant, kBuffer);
    config_.share_by = PST_SHARE_BY_HOST;
    queue_.limit_bytes = kBuffer;
    queue_.rate_bytes_per_s = 250'000'000;
    queue_.mss_bytes = 1448;
    pst_port_init(&port_, &queue_);
  }

  // A flow of the host's, of its own where it has none.
  std::size_t open(pst_flow_group* host) {
    flows_.push_back({});
    hosts_.push_back(host);
    return flows_.size() - 1;
  }

  // What the flow sends, one segment behind the other.
  void send(std::size_t flow, int segments) {
    enter();
    for (int i = 0; i < segments; ++i) {
      pst_gateway_data(&port_, &flows_[flow], hosts_[flow], &queue_, sent_, 1448, 1448, 0, 0);
      sent_ += 1448;
    }
  }

  void close(std::size_t flow) {
    pst_gateway_fin(&state_, &flows_[flow], hosts_[flow], queue_.now_ns);
  }

  double allowed(std::size_t flow) {
    pst_ack a{};
    a.window_bytes = u64{65535} << 14;
    a.rtt_ns = 40 * kMs;
    a.mss_bytes = 1448;
    enter();
    return static_cast<double>(pst_stage_allow(&port_, &flows_[flow], hosts_[flow], &queue_, &a));
  }

  void pass(u64 ns) { now_ns_ += ns; }

 private:
  void enter() { queue_.now_ns = now_ns_; }

  pst_port port_{};
  pst_gateway_config& config_ = port_.config;
  pst_gateway_state& state_ = port_.state;
  pst_queue queue_{};
  std::vector<pst_gateway_flow> flows_;
  std::vector<pst_flow_group*> hosts_;
  u64 now_ns_ = kMs;
  u32 sent_ = 1;
};

class Group : public testing::TestWithParam<u32> {};
INSTANTIATE_TEST_SUITE_P(Dividers, Group,
                         testing::Values(u32{PST_VARIANT_SHARE}, u32{PST_VARIANT_INTEGRAL},
                                         u32{PST_VARIANT_PENSTOCK}, u32{PST_VARIANT_PINK}));

TEST_P(Group, AHostOfManyFlowsHasWhatAHostOfOneHas) {
  Divided d(GetParam());
  pst_flow_group many{}, one{};
  std::vector<std::size_t> eight;
  for (int i = 0; i < 8; ++i) eight.push_back(d.open(&many));
  const std::size_t alone = d.open(&one);
  for (const std::size_t flow : eight) d.send(flow, 8);
  d.send(alone, 8);
  EXPECT_NEAR(d.allowed(alone) / d.allowed(eight[3]), 8, 0.1);

  Divided flows(GetParam());
  for (int i = 0; i < 9; ++i) flows.open(nullptr);
  for (std::size_t i = 0; i < 9; ++i) flows.send(i, 8);
  EXPECT_NEAR(flows.allowed(0) / flows.allowed(8), 1, 0.01);
  EXPECT_NEAR(d.allowed(alone) / flows.allowed(0), 4.5, 0.1);
}

TEST_P(Group, WhatAFlowLeavesIsItsHosts) {
  Divided d(GetParam());
  pst_flow_group many{}, one{};
  const std::size_t first = d.open(&many), second = d.open(&many), alone = d.open(&one);
  for (const std::size_t flow : {first, second, alone}) d.send(flow, 8);
  const double before = d.allowed(first), other = d.allowed(alone);
  d.close(second);
  EXPECT_NEAR(d.allowed(first) / before, 2, 0.05);
  EXPECT_NEAR(d.allowed(alone) / other, 1, 0.01);
  d.close(first);
  EXPECT_NEAR(d.allowed(alone) / other, 2, 0.05) << "and what the host leaves is the others'";
}

TEST_P(Group, FlowsThatHardlySendTakeNothingOfTheirHost) {
  Divided d(GetParam());
  pst_flow_group many{}, one{};
  const std::size_t bulk = d.open(&many), alone = d.open(&one);
  for (int i = 0; i < 8; ++i) d.open(&many);
  // Their first second is over when they count by their windows.
  for (int round = 0; round < 3; ++round) {
    for (std::size_t flow = 0; flow < 10; ++flow) d.allowed(flow);
    d.send(bulk, 4000);
    d.send(alone, 4000);
    for (std::size_t flow = 2; flow < 10; ++flow) d.send(flow, 1);
    d.pass(PST_NS_PER_S);
  }
  EXPECT_NEAR(d.allowed(alone) / d.allowed(bulk), 1, 0.05);
}

TEST(Group, ASumOfFlowsCountsAsOneAtMost) {
  pst_flow_group g{};
  EXPECT_EQ(pst_flow_group_add(&g, 1, PST_Q16_ONE / 4), PST_Q16_ONE / 4);
  EXPECT_EQ(pst_flow_group_add(&g, 1, PST_Q16_ONE), 3 * PST_Q16_ONE / 4);
  EXPECT_EQ(pst_flow_group_add(&g, 1, PST_Q16_ONE), 0U);
  EXPECT_EQ(pst_flow_group_members_q16(&g, 1), 9 * PST_Q16_ONE / 4);
  EXPECT_EQ(pst_flow_group_members_q16(&g, 2), 9 * PST_Q16_ONE / 4) << "the interval before";
  EXPECT_EQ(pst_flow_group_members_q16(&g, 3), PST_Q16_ONE);
  EXPECT_EQ(pst_flow_group_add(nullptr, 1, 7), 7U);
}

}  // namespace
