// SPDX-License-Identifier: GPL-2.0-only
// Whose connections count as one in the kernel's program (share_by).
#include <exception>

#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

class Groups : public GatewayTest {
 protected:
  // A target of 1.1 s outweighs what the path holds, and the queue to come, which differs from ACK
  // to ACK.
  static gw::Settings settings(const std::string& share_by, const std::string& method) {
    gw::Settings s;
    s.rate = "100mbit";
    s.buffer = "45MB";
    s.method = method;
    if (method == "penstock") s.params = {{"target_bytes", "13500000"}};
    s.share_by = share_by;
    return s;
  }

  static void open(GatewayUnderTest& g, const Ends& e, bool receiver_opens = false) {
    g.handshake(e, 7, 7, 1460, receiver_opens);
    for (std::uint32_t i = 0; i < 8; ++i) g.data(e, 1000 + i * 1400, 1400);
  }

  // What the law divides: penstock's share of path and queue, which a window reaches after some
  // round trips, and the windows of the others.
  static double allowed(GatewayUnderTest& g, const Ends& e) {
    g.ack(e, 1000 + 8 * 1400, 65535);
    if (g.config().gateway.law == PST_LAW_PENSTOCK)
      return static_cast<double>(g.shared().port.state.law.penstock.segments_q16);
    return static_cast<double>(g.flow(e).gateway.use.window_bytes);
  }

  static Ends ends(std::uint8_t host, std::uint16_t port, bool ipv6 = false) {
    return {.ipv6 = ipv6, .sender_port = port, .host = host};
  }
};

TEST_F(Groups, AHostOfEightConnectionsHasWhatAHostOfOneHas) {
  for (const char* method : {"penstock", "integral", "share"}) {
    for (const bool ipv6 : {false, true}) {
      GatewayUnderTest g(settings("host", method));
      for (std::uint16_t port = 1; port <= 8; ++port) open(g, ends(1, port, ipv6));
      open(g, ends(2, 1, ipv6));
      EXPECT_NEAR(allowed(g, ends(2, 1, ipv6)) / allowed(g, ends(1, 3, ipv6)), 8, 0.5) << method;
    }
  }
}

TEST_F(Groups, ByFlowAllHaveThem) {
  GatewayUnderTest g(settings("flow", "penstock"));
  for (std::uint16_t port = 1; port <= 8; ++port) open(g, ends(1, port));
  open(g, ends(2, 1));
  EXPECT_NEAR(allowed(g, ends(2, 1)) / allowed(g, ends(1, 3)), 1, 0.1);
}

// The receiver's address is one, so all that it opened are of one host.
TEST_F(Groups, TheHostIsTheOneThatOpened) {
  GatewayUnderTest g(settings("host", "penstock"));
  for (std::uint8_t host = 1; host <= 8; ++host) open(g, ends(host, host), true);
  open(g, ends(9, 9));
  EXPECT_NEAR(allowed(g, ends(9, 9)) / allowed(g, ends(3, 3)), 8, 0.5);
}

TEST_F(Groups, APrefixTakesInAllItsHosts) {
  for (const auto& [share_by, ipv6, ratio] : {std::tuple{"prefix:24", false, 1.0},
                                              {"prefix:64", false, 4.0},
                                              {"prefix:64", true, 1.0},
                                              {"prefix:128", true, 4.0}}) {
    GatewayUnderTest g(settings(share_by, "penstock"));
    for (std::uint16_t port = 1; port <= 4; ++port) open(g, ends(1, port, ipv6));
    open(g, ends(2, 1, ipv6));
    EXPECT_NEAR(allowed(g, ends(2, 1, ipv6)) / allowed(g, ends(1, 3, ipv6)), ratio, 0.3)
        << share_by << ipv6;
  }
}

TEST_F(Groups, AMarkIsASubscriberAndNoneIsNobody) {
  GatewayUnderTest g(settings("mark", "penstock"));
  for (std::uint16_t port = 1; port <= 4; ++port) {
    g.set_mark(port <= 2 ? 7 : 0);
    open(g, ends(1, port));
  }
  g.set_mark(0);
  EXPECT_NEAR(allowed(g, ends(1, 3)) / allowed(g, ends(1, 4)), 1, 0.1);
  EXPECT_NEAR(allowed(g, ends(1, 3)) / allowed(g, ends(1, 1)), 2, 0.2);
}

TEST(ShareBy, IsRefusedWithTheReason) {
  const auto why = [](const std::string& share_by, const std::string& method) -> std::string {
    gw::Settings s = slow_link(method);
    s.share_by = share_by;
    try {
      gw::plan_of(s);
    } catch (const std::exception& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(why("hosts", "penstock"), "share-by: 'hosts' is not one of flow, host, prefix:N, mark");
  EXPECT_EQ(why("prefix:0", "penstock"),
            "share-by: 'prefix:0': a prefix has 1 to 128 bits, such as prefix:56");
  EXPECT_EQ(why("host", "ewt"),
            "share-by: ewt does not divide the link among flows; those that do: "
            "share, integral, penstock, sap_law, voap, smart_red, pink, rwndq, penstock_alone");
  EXPECT_EQ(why("flow", "ewt"), "");
  EXPECT_EQ(why("prefix:128", "penstock"), "");
}

}  // namespace
}  // namespace penstock::test
