// SPDX-License-Identifier: GPL-2.0-only
// `fair` in the kernel: what is held to its share, what is spared, and whom it names.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/packet/protocol.h"
#include "tests/gateway/datagram.h"
#include "tests/gateway/long_queue.h"

namespace penstock::test {

namespace {

constexpr std::uint16_t kPayloadBytes = kDatagramBytes;
constexpr std::size_t kEcnAt = kTosAt, kFragmentAt = 14 + 6;

class Fair : public LongQueueTest {};

}  // namespace

TEST_F(Fair, HoldsAFlowOfUdpAboveItsShareAndNamesIt) {
  GatewayUnderTest g(fair_link());
  g.reverse(datagram({}, false));
  const int drops = dropped(g, kMany, datagram({}));
  EXPECT_GT(drops, kMany / 2);
  EXPECT_EQ(g.count(GW_COUNT_early_drops), static_cast<std::uint64_t>(drops));
  const auto held = g.held();
  ASSERT_EQ(held.size(), 1U);
  EXPECT_EQ(held[0].first.protocol, unsigned{PST_IP_UDP});
  EXPECT_EQ(PST_BE16(held[0].first.sender_port), Ends{}.sender_port);
  EXPECT_EQ(PST_BE16(held[0].first.receiver_port), Ends{}.receiver_port);
  EXPECT_EQ(held[0].second.drops, static_cast<std::uint64_t>(drops));
  EXPECT_EQ(held[0].second.bytes, static_cast<std::uint64_t>(drops) * datagram({}).size());
}

TEST_F(Fair, DividesTheRateThatAQueueOfOthersShows) {
  constexpr std::uint64_t kMeasured = 250'000, kTold = 1'000'000;
  for (const bool existing : {false, true}) {
    gw::Settings s = fair_link("on", "fair");
    if (existing) s.queue = "existing";
    GatewayUnderTest g(s);
    gw_shared state = g.shared();
    state.port.state.departures.bytes_per_s = kMeasured;
    state.port.state.departures.known_ns = PST_NS_PER_S;
    g.set_shared(state);
    g.fill_queue(kLongQueueBytes);
    ASSERT_FALSE(g.forward(datagram({})).empty());
    const gw_shared after = g.shared();
    EXPECT_EQ(after.port.state.discipline.fair.share_bytes, (existing ? kMeasured : kTold) / 10);
    EXPECT_EQ(after.port.state.departures.seen_ns > 0, existing);
  }
}

TEST_F(Fair, DividesAModelsRateThoughTheProgramBeforeStillMeasured) {
  GatewayUnderTest g(fair_link());
  gw_shared state = g.shared();
  state.port.state.departures.bytes_per_s = 250'000;
  state.port.state.departures.seen_ns = g.now_ns();
  g.set_shared(state);
  ASSERT_FALSE(g.forward(datagram({})).empty());
  EXPECT_EQ(g.shared().port.state.discipline.fair.rate_bytes_per_s, g.config().rate_bytes_per_s);
}

TEST_F(Fair, OffDropsAndMarksNothing) {
  GatewayUnderTest g(fair_link("off"));
  EXPECT_EQ(dropped(g, kMany, datagram({}, true, PST_IP_UDP, PST_ECT0)), 0);
  EXPECT_EQ(g.count(GW_COUNT_early_drops) + g.count(GW_COUNT_early_marks), 0U);
  EXPECT_TRUE(g.held().empty());
}

TEST_F(Fair, ObservingCountsWhatItWouldDo) {
  gw::Settings s = fair_link();
  s.observe = true;
  GatewayUnderTest g(s);
  EXPECT_EQ(dropped(g, kMany, datagram({})), 0);
  EXPECT_GT(g.count(GW_COUNT_early_drops), 0U);
}

TEST_F(Fair, PassesAllWhileTheQueueIsShort) {
  GatewayUnderTest g(fair_link());
  for (int i = 0; i < kMany; ++i) {
    g.fill_queue(0);
    EXPECT_FALSE(g.forward(datagram({})).empty());
  }
}

TEST_F(Fair, SparesDataWithinItsWindow) {
  GatewayUnderTest g(fair_link());
  g.handshake({});
  std::uint32_t next = 1000;
  g.ack({}, next, 60'000);
  const auto data = [&](int) {
    g.ack({}, next, 60'000);
    const Bytes b = packet({}, {.seq = next, .ack = 5000, .payload_bytes = kPayloadBytes});
    next += kPayloadBytes;
    return b;
  };
  EXPECT_EQ(dropped(g, kMany, data), 0);
  EXPECT_EQ(g.count(GW_COUNT_early_drops), 0U);
}

// With a granule of 16 kB the least window is some shares.
TEST_F(Fair, HoldsTcpWhoseWindowIsNotWhatWasMeant) {
  for (const int scale : {7, 14}) {
    GatewayUnderTest g(fair_link());
    g.handshake({}, scale, scale);
    std::uint32_t next = 1000;
    const auto data = [&](int) {
      g.ack({}, next, 60'000);
      const Bytes b = packet({}, {.seq = next, .ack = 5000, .payload_bytes = kPayloadBytes});
      next += kPayloadBytes;
      return b;
    };
    EXPECT_EQ(dropped(g, kMany, data) > kMany / 2, scale == 14) << scale;
  }
}

TEST_F(Fair, HoldsTcpThatItsWindowsDoNot) {
  const auto data = [](int i) {
    return packet({}, {.seq = 1000 + static_cast<std::uint32_t>(i) * kPayloadBytes,
                       .ack = 5000,
                       .payload_bytes = kPayloadBytes});
  };
  gw::Settings exempt = fair_link();
  exempt.exempt = {"port 80"};
  GatewayUnderTest bypassed(exempt);
  bypassed.handshake({});
  EXPECT_GT(dropped(bypassed, kMany, data), kMany / 2) << "exempt";

  GatewayUnderTest unknown(fair_link());
  EXPECT_GT(dropped(unknown, kMany, data), kMany / 2) << "older than the gateway";

  GatewayUnderTest beyond(fair_link());
  beyond.handshake({});
  beyond.ack({}, 1000, 20);
  const auto ahead = [&](int i) { return data(i + 100); };
  EXPECT_GT(dropped(beyond, kMany, ahead), kMany / 2) << "beyond its windows";
  EXPECT_GT(beyond.count(GW_COUNT_beyond_bytes), 0U);

  GatewayUnderTest opening(fair_link());
  const Tcp loaded{.seq = 999,
                   .flags = PST_TCP_SYN,
                   .options = mss_and_scale(1460, 7),
                   .payload_bytes = kPayloadBytes};
  EXPECT_GT(dropped(opening, kMany, packet({}, loaded)), kMany / 2) << "SYNs with data";
}

TEST_F(Fair, MarksWhatIsEcnCapable) {
  GatewayUnderTest g(fair_link());
  g.reverse(datagram({}, false));
  const Bytes before = datagram({}, true, PST_IP_UDP, PST_ECT0);
  int marks = 0;
  for (int i = 0; i < kMany; ++i) {
    if (i % 50 == 0) g.fill_queue(kLongQueueBytes);
    Bytes after = g.forward(before);
    ASSERT_EQ(after.size(), before.size());
    if (after == before) continue;
    ++marks;
    EXPECT_EQ(after[kEcnAt], PST_CE);
    EXPECT_EQ(fold(sum16(Bytes(after.begin() + 14, after.begin() + 34))), 0xffff);
  }
  EXPECT_GT(marks, kMany / 2);
  EXPECT_EQ(g.count(GW_COUNT_early_marks), static_cast<std::uint64_t>(marks));
  EXPECT_EQ(g.held().at(0).second.marks, static_cast<std::uint64_t>(marks));
}

TEST_F(Fair, DropsWhatTheKernelCannotMark) {
  GatewayUnderTest g(fair_link());
  const Bytes tagged = packet(
      {},
      {.seq = 5, .ack = 6, .ecn = PST_ECT0, .payload_bytes = kPayloadBytes, .link = Link::kVlan});
  EXPECT_GT(dropped(g, kMany, tagged), kMany / 2);
  EXPECT_EQ(g.count(GW_COUNT_early_marks), 0U);
}

// Marks do not slow it down, or something on its way removes them.
TEST_F(Fair, DropsAFlowThatStaysAboveItsShareDespiteMarks) {
  GatewayUnderTest g(fair_link());
  g.reverse(datagram({}, false));
  const Bytes marked = datagram({}, true, PST_IP_UDP, PST_ECT0);
  EXPECT_EQ(dropped(g, kMany, marked), 0);
  const std::uint64_t begun_ns = g.now_ns();
  bool drops = false;
  while (!drops && g.now_ns() < begun_ns + 3 * PST_NS_PER_S) drops = dropped(g, 50, marked) > 25;
  EXPECT_TRUE(drops);
  EXPECT_GT(g.now_ns(), begun_ns + PST_NS_PER_S);
}

// Spoofed sources, ports, protocols: nobody answers them, and they are one flow, beside 300 others.
TEST_F(Fair, ManyForgedFlowsAreOneAndHarmNoOther) {
  constexpr std::uint8_t kProtocols[] = {47, 0, PST_IP_UDP, PST_IP_UDP};
  GatewayUnderTest g(fair_link());
  const Ends polite{.sender_port = 5000, .receiver_port = 53};
  g.reverse(datagram(polite, false));
  for (std::uint16_t port = 6000; port < 6300; ++port)
    g.reverse(datagram({.sender_port = port, .receiver_port = 53}, false));
  g.handshake({});
  g.ack({}, 1000, 60'000);
  std::uint32_t next = 1000;
  int forged = 0, own = 0, controlled = 0;
  for (std::uint32_t i = 0; i < 60'000; ++i) {
    if (i % 50 == 0) g.fill_queue(kLongQueueBytes);
    Bytes b = datagram({.sender_port = static_cast<std::uint16_t>(i)}, true, kProtocols[i % 4]);
    b[26] = static_cast<std::uint8_t>(i >> 8);
    b[27] = static_cast<std::uint8_t>(i);
    forged += g.forward(b).empty();
    if (i % 2000 == 0) own += g.forward(datagram(polite)).empty();
    if (i % 1000) continue;
    controlled += g.forward(packet({}, {.seq = next, .ack = 5000, .payload_bytes = 500})).empty();
    next += 500;
    g.ack({}, next, 60'000);
  }
  EXPECT_GT(forged, 54'000);
  EXPECT_EQ(own, 0);
  EXPECT_EQ(controlled, 0);
  const auto held = g.held();
  ASSERT_EQ(held.size(), 1U);
  EXPECT_EQ(held[0].first.protocol, 0U) << "one for all";
  const pst_flow_count n = g.shared().port.state.count;
  EXPECT_LE(pst_flow_count_others_q16(&n), 2 * PST_Q16_ONE) << "to the law as well";
}

// The ACKs of this link take another path: all looks like a flood, and is none.
TEST_F(Fair, HoldsNothingWhereNoFlowIsAnswered) {
  GatewayUnderTest g(fair_link());
  const auto beside = [](int i) {
    return datagram({.sender_port = static_cast<std::uint16_t>(i % 7)});
  };
  EXPECT_GT(dropped(g, kMany, beside), kMany / 2) << "not known yet";
  g.pass_time(PST_FAIR_ONE_WAY_NS);
  EXPECT_EQ(dropped(g, kMany, beside), 0);
  const Ends answered{.sender_port = 5000};
  g.forward(datagram(answered));
  g.reverse(datagram(answered, false));
  EXPECT_EQ(dropped(g, kMany, beside), 0) << "no data of it came since";
  g.forward(datagram(answered));
  EXPECT_GT(dropped(g, kMany, beside), kMany / 2);
}

TEST_F(Fair, FragmentsOfTwoHostsAreOneFlow) {
  GatewayUnderTest g(fair_link());
  const auto piece = [](int i) {
    Bytes b = datagram({.sender_port = static_cast<std::uint16_t>(i)});
    b[kFragmentAt] = 0x20;  // more fragments
    sum_ip(b);
    return b;
  };
  EXPECT_GT(dropped(g, kMany, piece), kMany / 2);
  EXPECT_LE(g.held().size(), 1U);
}

// GRE, ESP, IPv4 and IPv6 within IPv4: what they carry has no ports of its own.
TEST_F(Fair, ATunnelIsOneFlow) {
  constexpr std::uint8_t kTunnels[] = {47, 50, 4, 41};
  for (const std::uint8_t protocol : kTunnels) {
    GatewayUnderTest g(fair_link());
    g.reverse(datagram({}, false, protocol));
    const auto carried = [protocol](int i) {
      const auto port = static_cast<std::uint16_t>(i);
      return datagram({.sender_port = port, .receiver_port = port}, true, protocol);
    };
    EXPECT_GT(dropped(g, kMany, carried), kMany / 2) << unsigned{protocol};
    const auto held = g.held();
    ASSERT_EQ(held.size(), 1U) << unsigned{protocol};
    EXPECT_EQ(held[0].first.protocol, unsigned{protocol}) << "known, as it is answered";
  }
}

// An answer counts for the flow as it is sent, by IPv6 too; a RST is none.
TEST_F(Fair, TakesAnythingButARefusalForAnAnswer) {
  for (const bool ipv6 : {false, true})
    for (const bool refused : {false, true}) {
      GatewayUnderTest g(fair_link());
      const Ends e{.ipv6 = ipv6};
      const Bytes data = packet(e, {.seq = 5, .ack = 6, .payload_bytes = kPayloadBytes});
      const std::uint16_t flags = refused ? PST_TCP_RST : PST_TCP_ACK;
      g.reverse(packet(e, {.from_sender = false, .seq = 6, .ack = 5, .flags = flags}));
      EXPECT_GT(dropped(g, kMany, data), 0);
      EXPECT_EQ(g.held().at(0).first.protocol, refused ? 0U : unsigned{PST_IP_TCP});
    }
}

TEST_F(Fair, IsOnBelowALawUnlessItsMethodSaysOtherwise) {
  const auto discipline = [](const char* method, std::optional<std::string> fair) {
    gw::Settings s = slow_link(method);
    s.fair = std::move(fair);
    return gw::plan_of(s).config.gateway.discipline;
  };
  for (const char* method : {"penstock", "ewt", "integral", "fair"})
    EXPECT_EQ(discipline(method, {}), PST_DISCIPLINE_FAIR) << method;
  EXPECT_EQ(discipline("penstock", "off"), PST_DISCIPLINE_DROPTAIL);
  EXPECT_EQ(discipline("penstock_alone", {}), PST_DISCIPLINE_DROPTAIL);
  EXPECT_EQ(discipline("penstock_alone", "on"), PST_DISCIPLINE_FAIR);
  EXPECT_EQ(discipline("droptail", {}), PST_DISCIPLINE_DROPTAIL);
  EXPECT_EQ(discipline("red_rwm", {}), PST_DISCIPLINE_RED);
  EXPECT_THROW(discipline("red_rwm", "on"), std::exception);
  EXPECT_THROW(discipline("fair", "off"), std::exception);
  EXPECT_THROW(discipline("penstock", "maybe"), std::exception);
}

TEST_F(Fair, IsOneDisciplineOfSeveral) {
  const auto config = [](const char* discipline, std::optional<std::string> method,
                         std::optional<std::string> signal = {}) {
    gw::Settings s = slow_link("droptail");
    s.fair.reset();
    s.method = std::move(method);
    s.discipline = discipline;
    s.signal = std::move(signal);
    return gw::plan_of(s).config.gateway;
  };
  for (const char* name : {"red", "ared", "blue", "pie", "csfq", "red_band", "fair"}) {
    EXPECT_EQ(pst_discipline_rows[config(name, {}).discipline].name, std::string(name));
    EXPECT_EQ(config(name, {}).law, PST_LAW_NONE) << "no law without a method";
    EXPECT_EQ(config(name, "penstock").law, PST_LAW_PENSTOCK);
  }
  EXPECT_EQ(config("red", {}, "ecn").signal, PST_SIGNAL_ECN);
  EXPECT_EQ(config("pie", {}, "window").signal, PST_SIGNAL_WINDOW);
  for (const char* name : {"codel", "fq_codel", "xcp", "nonsense"})
    EXPECT_THROW(config(name, {}), std::exception) << name;
  for (const char* name : {"csfq", "fair", "droptail"})
    EXPECT_THROW(config(name, {}, "ecn"), std::exception) << name;
}

// A queue at its limit all the time: each of them drops then, or marks, or reduces windows.
TEST_F(Fair, OtherDisciplinesDecideInTheKernelToo) {
  for (const char* name : {"red", "ared", "blue", "pie", "csfq"})
    for (const char* signal : {"drop", "ecn", "window"}) {
      gw::Settings s = slow_link("droptail");
      s.rate = "8mbit";
      s.fair.reset();
      s.discipline = name;
      const bool is_csfq = s.discipline == "csfq";
      if (!is_csfq) s.signal = signal;
      GatewayUnderTest g(s);
      const std::uint64_t end_ns = g.now_ns() + 20 * PST_NS_PER_S;
      const auto acted = [&g] {
        return g.count(GW_COUNT_early_drops) + g.count(GW_COUNT_early_marks) +
               g.count(GW_COUNT_early_windows);
      };
      while (!acted() && g.now_ns() < end_ns)
        dropped(g, 50, datagram({}, true, PST_IP_UDP, PST_ECT0));
      EXPECT_GT(acted(), 0U) << name << ' ' << signal;
      if (s.signal == "ecn" && s.discipline != "pie") {  // which drops from 10 % on
        EXPECT_GT(g.count(GW_COUNT_early_marks), 0U) << name;
      }
      if (is_csfq) break;
    }
}

TEST_F(Fair, LeavesALawsParametersTheirNames) {
  gw::Settings s = fair_link("on", "rwndq");
  s.params["target_bytes"] = "10kB";
  s.params["fair.target_bytes"] = "20kB";
  const pst_gateway_config c = gw::plan_of(s).config.gateway;
  EXPECT_EQ(c.law_params.rwndq.target_bytes, 10'000U);
  EXPECT_EQ(c.discipline_params.fair.target_bytes, 20'000U);
}

TEST_F(Fair, HasTheTargetOfTheLaw) {
  gw::Settings s = fair_link();
  s.target = "10kB";
  const pst_gateway_config c = gw::plan_of(s).config.gateway;
  EXPECT_EQ(c.discipline_params.fair.target_bytes, 10'000U);
  EXPECT_EQ(c.law_params.penstock.target_bytes, 10'000U);
}

}  // namespace penstock::test
