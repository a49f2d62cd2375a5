// SPDX-License-Identifier: GPL-2.0-only
// R10: a sender ignores a smaller window on an ACK of no new data (RFC 9293 section
// 3.10.7.4, Linux' tcp_may_update_window). So what the gateway wrote there is nothing
// that it may count on.
#include <cstring>
#include <string>

#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

class Advance : public GatewayTest {};

constexpr std::uint32_t kFirst = 1000;
constexpr std::uint16_t kOffered = 2000;

// What the sender may use: the window of the first ACK, granted with an empty queue. An
// ACK of the same number follows when the queue is full, with a smaller one.
std::uint32_t edge_of_the_sender(GatewayUnderTest& g, const Ends& e) {
  g.handshake(e);
  const std::uint16_t granted = g.ack(e, kFirst, kOffered).window;
  g.fill_queue(96'900);
  EXPECT_LE(g.ack(e, kFirst, kOffered - 1).window, granted);
  return kFirst + (std::uint32_t{granted} << 7);
}

TEST_F(Advance, R10TheEdgeOnRecordIsTheOneTheSenderHas) {
  for (const char* mode : {"safe", "strict", "literal"}) {
    GatewayUnderTest g("ewt", mode);
    const Ends e;
    const std::uint32_t edge = edge_of_the_sender(g, e);
    EXPECT_EQ(g.flow(e).gateway.flow.edge, edge) << mode;
  }
}

TEST_F(Advance, R10WhatTheSenderSendsMeanwhileStaysCovered) {
  GatewayUnderTest g;
  const Ends e;
  const std::uint32_t edge = edge_of_the_sender(g, e);
  g.data(e, edge - 1000, 1000);
  const Seen next = g.ack(e, kFirst + 1460, kOffered);
  EXPECT_GE(kFirst + 1460 + (std::uint32_t{next.window} << 7), edge);
}

// Of those that keep averages or shares from ACK to ACK; clocks would move them too.
TEST_F(Advance, R10RepeatedAcksAreNotCountedByTheMethod) {
  const std::map<std::string, std::map<std::string, std::string>> methods = {
      {"ewt_iot", {}}, {"share", {}}, {"integral", {{"interval_ns", "1000s"}}}};
  for (const auto& [method, params] : methods) {
    GatewayUnderTest g(method, "safe", false, true, params);
    const Ends e;
    g.handshake(e);
    g.fill_queue(50'000);
    g.ack(e, kFirst, kOffered);
    g.fill_queue(80'000);
    const gw_shared before = g.shared();
    for (int i = 0; i < 5; ++i) g.ack(e, kFirst, kOffered);
    gw_shared after = g.shared();
    EXPECT_EQ(
        std::memcmp(&before.port.state.law, &after.port.state.law, sizeof(before.port.state.law)),
        0)
        << method;
    g.data(e, kFirst, 1460);
    g.ack(e, kFirst + 1460, kOffered);
    after = g.shared();
    EXPECT_NE(
        std::memcmp(&before.port.state.law, &after.port.state.law, sizeof(before.port.state.law)),
        0)
        << method;
  }
}

// The receiver itself offers less: what is remembered is what the sender still holds.
TEST_F(Advance, R10ASmallerOfferOfTheReceiverMovesNothing) {
  for (const char* method : {"ewt", "ewt_iot", "share", "integral"}) {
    std::map<std::string, std::string> params;
    if (method == std::string("integral")) params["interval_ns"] = "1000s";
    GatewayUnderTest g(method, "safe", false, true, params);
    const Ends e;
    g.handshake(e);
    g.fill_queue(50'000);
    g.ack(e, kFirst, kOffered);
    const gw_flow flow = g.flow(e);
    const gw_shared before = g.shared();
    EXPECT_LE(g.ack(e, kFirst, kOffered / 2).window, kOffered / 2);
    const gw_shared after = g.shared();
    EXPECT_EQ(
        std::memcmp(&before.port.state.law, &after.port.state.law, sizeof(before.port.state.law)),
        0)
        << method;
    EXPECT_EQ(g.flow(e).gateway.flow.field_in, flow.gateway.flow.field_in) << method;
    EXPECT_EQ(g.flow(e).gateway.flow.ramp_bytes, flow.gateway.flow.ramp_bytes) << method;
  }
}

}  // namespace
}  // namespace penstock::test
