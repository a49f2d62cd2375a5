// SPDX-License-Identifier: GPL-2.0-only
// What a comparison takes from flows: classes, page times, and the kernel's part of both.
#include "linux/gateway/tool/compare/flows.h"

#include <arpa/inet.h>

#include <cmath>

#include "linux/common/error.h"
#include "linux/gateway/tool/compare/measures.h"
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

using gw::FlowPeriod;
using gw::Flows;

constexpr std::uint64_t kSecond = PST_NS_PER_S;
constexpr FlowPeriod kPeriod = {100 * kSecond, 110 * kSecond, 130 * kSecond};

// A connection whose first page took so long; ended by a pause unless `over`.
gw_flow page(std::uint64_t opened_ns, std::uint32_t page_us, bool over = false,
             std::uint32_t bytes = 30'000) {
  gw_flow f{};
  f.gateway.rtt.opened_ns = opened_ns;
  f.page_us = page_us;
  f.page_bytes = bytes;
  f.ends.over = over;
  f.sent_bytes = bytes;
  return f;
}

Flows with_ports(const std::vector<gw_flow>& flows) {
  Flows all;
  for (const gw_flow& flow : flows) {
    gw_key key = key_of({.sender_port = static_cast<std::uint16_t>(all.size() + 1)});
    all.emplace_back(key, flow);
  }
  return all;
}

double mean_page_s(const gw_flow& one) {
  return flow_values(nullptr, {}, with_ports({one}), kPeriod).page_s;
}

TEST(CompareFlows, APageCountsWhereItEndsIfItsConnectionOpenedInThePeriod) {
  EXPECT_DOUBLE_EQ(mean_page_s(page(115 * kSecond, 2'500'000)), 2.5);
  EXPECT_DOUBLE_EQ(mean_page_s(page(101 * kSecond, 9'500'000)), 9.5) << "opened while it settled";
  EXPECT_DOUBLE_EQ(mean_page_s(page(129 * kSecond, 900'000, true)), 0.9) << "closed";
  EXPECT_TRUE(std::isnan(mean_page_s(page(129 * kSecond, 900'000)))) << "may go on";
  EXPECT_TRUE(std::isnan(mean_page_s(page(99 * kSecond, 15'000'000)))) << "opened before";
  EXPECT_TRUE(std::isnan(mean_page_s(page(101 * kSecond, 1'000'000)))) << "ended before";
  EXPECT_TRUE(std::isnan(mean_page_s(page(115 * kSecond, 0)))) << "brought nothing";
  EXPECT_TRUE(std::isnan(mean_page_s(page(115 * kSecond, 900'000, true, 1'000'001)))) << "large";
}

TEST(CompareFlows, ValuesAreThoseOfTheClass) {
  std::vector<gw_flow> flows;
  for (std::uint32_t i = 1; i <= 20; ++i) flows.push_back(page(115 * kSecond, i * 100'000));
  const Flows before = with_ports(flows);
  for (gw_flow& f : flows) {
    f.sent_bytes += 100'000;
    f.again_bytes += 1'000;
  }
  const Flows after = with_ports(flows);
  const gw::FlowValues all = flow_values(nullptr, before, after, kPeriod);
  EXPECT_NEAR(all.page_s, 1.05, 1e-9);
  EXPECT_NEAR(all.page_95_s, 1.9, 1e-9);
  EXPECT_NEAR(all.pages_per_s, 1, 1e-9);
  EXPECT_NEAR(all.retransmitted_ratio, 0.01, 1e-9);
  EXPECT_NEAR(all.goodput_bps, 20 * 99'000 * 8 / 20.0, 1e-3);
  const gw::FlowClass third = gw::flow_class("third=port 3");
  const gw::FlowValues one = flow_values(&third, before, after, kPeriod);
  EXPECT_NEAR(one.page_s, 0.3, 1e-9);
  EXPECT_NEAR(one.goodput_bps, 99'000 * 8 / 20.0, 1e-3);
  const gw::FlowClass none = gw::flow_class("none=port 99");
  EXPECT_TRUE(std::isnan(flow_values(&none, before, after, kPeriod).retransmitted_ratio));
}

TEST(CompareFlows, AClassIsAnEndAMarkOrAShape) {
  const gw_key key = key_of({.sender_port = 1, .receiver_port = 443, .host = 7});
  gw_flow flow{};
  flow.mark = 0x20;
  flow.shape = 3;
  for (const char* rule :
       {"10.0.0.0/24", "10.0.0.7", "port 443", "10.0.0.200 port 443", "mark 32", "mark 0x20"})
    EXPECT_TRUE(gw::flow_class(std::string("gold=") + rule).has(key, flow)) << rule;
  for (const char* rule : {"10.0.1.0/24", "fd00::/8", "port 80", "10.0.0.7 port 443", "mark 7"})
    EXPECT_FALSE(gw::flow_class(std::string("gold=") + rule).has(key, flow)) << rule;
  gw::FlowClass alice = gw::flow_class("gold=shape alice");
  EXPECT_EQ(gw::shape_name(alice), "alice");
  for (const std::uint32_t number : {3U, 4U}) {
    alice.shape = number;
    EXPECT_EQ(alice.has(key, flow), number == 3);
  }
}

TEST(CompareFlows, AWrongClassIsNamed) {
  for (const char* wrong : {"", "gold", "=10.0.0.0/8", "gold=", "gold=10.0.0.300", "gold=mark x",
                            "gold=10.0.0.1/8", "gold=port 0"})
    try {
      gw::flow_class(wrong);
      FAIL() << wrong;
    } catch (const Error& e) {
      EXPECT_EQ(e.code, kUsage) << wrong;
    }
}

TEST(CompareMeasures, APairWithoutAValueIsLeftOutOfItsMeasureOnly) {
  gw::Values one{}, other{};
  other[4] = std::nan("");
  const auto sections = gw::sections_of({{{one}, {one}}, {{one}, {other}}, {{one}, {one}}}, {});
  ASSERT_EQ(sections.size(), 1U);
  EXPECT_EQ(sections[0].rows[3].pairs.size(), 3U);
  EXPECT_EQ(sections[0].rows[4].pairs.size(), 2U);
  EXPECT_TRUE(sections[0].rows[4].difference());
  const auto few = gw::sections_of({{{one}, {other}}, {{one}, {one}}}, {});
  EXPECT_FALSE(few[0].rows[4].difference());
}

class Pages : public GatewayTest {};

TEST_F(Pages, AreFromTheSynToTheLastAckBeforeAPause) {
  GatewayUnderTest g;
  const Ends e;
  g.handshake(e);
  EXPECT_EQ(g.flow(e).page_us, 0U);
  g.data(e, 1000, 1400);
  EXPECT_EQ(g.flow(e).page_us, 0U) << "not before it is acknowledged";
  g.ack(e, 2400, 512);
  gw_flow f = g.flow(e);
  EXPECT_GT(f.page_us, 0U);
  EXPECT_EQ(f.page_bytes, 1400U);
  // As if half a second had passed since then.
  f.gateway.rtt.opened_ns -= kSecond / 2;
  g.set_flow(e, f);
  g.ack(e, 2400, 511);
  EXPECT_EQ(g.flow(e).page_us, f.page_us) << "nothing new is acknowledged";
  g.data(e, 2400, 600);
  g.ack(e, 3000, 512);
  f = g.flow(e);
  EXPECT_GE(f.page_us, 500'000U);
  EXPECT_EQ(f.page_bytes, 2000U);
  f.gateway.rtt.opened_ns -= 2 * kSecond;
  g.set_flow(e, f);
  g.data(e, 3000, 600);
  g.ack(e, 3600, 512);
  EXPECT_EQ(g.flow(e).page_us, f.page_us) << "another page";
  EXPECT_EQ(g.flow(e).page_bytes, 2000U);
}

TEST_F(Pages, BeginWithTheFirstSyn) {
  GatewayUnderTest g;
  const Ends e;
  const Bytes syn = packet(e, {.seq = 999, .flags = 0x02, .options = mss_and_scale(1460, 7)});
  g.forward(syn);
  const std::uint64_t opened_ns = g.half_open(e).gateway.rtt.opened_ns;
  g.handshake(e);
  EXPECT_EQ(g.flow(e).gateway.rtt.opened_ns, opened_ns);
}

TEST_F(Pages, AFlowKnowsItsRetransmissionsAndItsMark) {
  GatewayUnderTest g;
  const Ends e;
  g.handshake(e);
  g.set_mark(7);
  g.data(e, 1000, 1400);
  EXPECT_EQ(g.flow(e).again_bytes, 0U);
  g.data(e, 1000, 1400);
  EXPECT_EQ(g.flow(e).again_bytes, 1400U);
  EXPECT_EQ(g.flow(e).sent_bytes, 2800U);
  EXPECT_EQ(g.flow(e).mark, 7U);
}

}  // namespace
}  // namespace penstock::test
