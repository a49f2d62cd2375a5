// SPDX-License-Identifier: GPL-2.0-only
// Advice to QUIC in the kernel's program (draft-ietf-scone-protocol-08), packet by packet.
#include "linux/gateway/bpf/shared.h"
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

constexpr std::uint32_t kEven = 0x6f7dc0fd, kOdd = 0xef7dc0fd;

struct Quic {
  std::uint32_t signal = PST_SCONE_UNKNOWN;
  std::uint32_t version = 0x6f7dc0fd;  // its first bit is the signal's
  std::size_t id_bytes = 8;
  std::size_t following_bytes = 1200;
  bool summed = true;
  Link link = Link::kEthernet;
};

Bytes scone(const Quic& q) {
  Bytes b = {static_cast<std::uint8_t>(0xc0 | q.signal >> 1)};
  put32(b, (q.version & 0x7fffffff) | (q.signal & 1) << 31);
  b.push_back(static_cast<std::uint8_t>(q.id_bytes));
  b.resize(b.size() + q.id_bytes, 0x5a);
  b.push_back(0);
  b.resize(b.size() + q.following_bytes, 0x43);
  return b;
}

// UDP's header and payload; its checksum is 0 if `summed` is not, or where that is its value.
Bytes udp(const Ends& e, const Bytes& payload, bool summed) {
  Bytes b;
  put16(b, e.sender_port);
  put16(b, e.receiver_port);
  put16(b, static_cast<std::uint32_t>(8 + payload.size()));
  put16(b, 0);
  append(b, payload);
  const std::uint32_t pseudo = sum16(address(e, true)) + sum16(address(e, false)) + 17 +
                               static_cast<std::uint32_t>(b.size());
  auto check = static_cast<std::uint16_t>(~fold(pseudo + sum16(b)));
  if (!check) check = 0xffff;
  if (summed) {
    b[6] = static_cast<std::uint8_t>(check >> 8);
    b[7] = static_cast<std::uint8_t>(check);
  }
  return b;
}

Bytes datagram(const Ends& e, const Bytes& payload, bool summed = true, Link link = Link::kEthernet,
               std::uint16_t fragment = 0x4000) {
  Bytes b = link_header(link, e.ipv6);
  const Bytes body = udp(e, payload, summed);
  if (e.ipv6) {
    put32(b, 6U << 28);
    put16(b, static_cast<std::uint32_t>(body.size()));
    append(b, {17, 64});
  } else {
    append(b, {0x45, 0});
    put16(b, static_cast<std::uint32_t>(20 + body.size()));
    put16(b, 1);
    put16(b, fragment);
    append(b, {64, 17, 0, 0});
  }
  append(b, address(e, true));
  append(b, address(e, false));
  append(b, body);
  return b;
}

Bytes advised(const Ends& e, const Quic& q) { return datagram(e, scone(q), q.summed, q.link); }

class Scone : public GatewayTest {
 protected:
  static gw::Settings settings() {
    gw::Settings s;
    s.rate = "20mbit";
    s.buffer = "97kB";
    s.method = "penstock";
    s.scone = "on";
    return s;
  }

  // As after a period in which the mean share was that of this signal.
  static void advise(GatewayUnderTest& g, std::uint64_t share_bps) {
    gw_shared shared = g.shared();
    shared.port.scone = {};
    shared.port.scone.begun_ns = shared.port.scone.looked_ns = g.now_ns();
    shared.port.scone.share_bytes_per_s = share_bps / 8;
    g.set_shared(shared);
  }
};

std::uint64_t total(const GatewayUnderTest& g) {
  return g.count(GW_COUNT_scone_advised) + g.count(GW_COUNT_scone_kept) +
         g.count(GW_COUNT_scone_spared) + g.count(GW_COUNT_scone_left);
}

TEST_F(Scone, R38LowersTheSignalOfEachFormOfPacket) {
  GatewayUnderTest g(settings());
  advise(g, 5'100'000);  // 5.01 Mbit/s, signal 34
  std::uint16_t port = 1000;
  for (const bool ipv6 : {false, true})
    for (const Link link : {Link::kEthernet, Link::kVlan, Link::kQinq, Link::kPppoe})
      for (const std::uint32_t signal : {127U, 126U, 36U, 35U})
        for (const bool summed : {true, false}) {
          const Ends e{.ipv6 = ipv6, .sender_port = ++port};
          Quic q{.signal = signal, .summed = summed, .link = link};
          const Bytes before = advised(e, q);
          q.signal = 34;
          EXPECT_EQ(g.forward(before), advised(e, q)) << ipv6 << signal << summed;
        }
  EXPECT_EQ(g.count(GW_COUNT_scone_advised), port - 1000U);
  EXPECT_EQ(g.count(GW_COUNT_scone_packets), total(g));
}

TEST_F(Scone, R38NeverRaisesASignal) {
  GatewayUnderTest g(settings());
  advise(g, 5'100'000);
  for (std::uint32_t signal = 0; signal <= 34; ++signal) {
    const Bytes packet =
        advised({.sender_port = static_cast<std::uint16_t>(1000 + signal)}, {.signal = signal});
    EXPECT_EQ(g.forward(packet), packet) << signal;
  }
  EXPECT_EQ(g.count(GW_COUNT_scone_kept), 35U);
  EXPECT_EQ(g.count(GW_COUNT_scone_packets), total(g));
}

// A checksum that becomes 0 is sent as 0xffff, which means the same (RFC 768).
TEST_F(Scone, R38AChecksumThatIsRightStaysRight) {
  GatewayUnderTest g(settings());
  advise(g, 5'100'000);
  bool met = false;
  for (std::uint32_t i = 0; i < 65'536; ++i) {
    Bytes payload = scone({.signal = 34, .following_bytes = 2});
    payload[payload.size() - 2] = static_cast<std::uint8_t>(i >> 8);
    payload.back() = static_cast<std::uint8_t>(i);
    const Bytes after = datagram({.sender_port = 2000}, payload);
    if (after[14 + 20 + 6] != 0xff || after[14 + 20 + 7] != 0xff) continue;
    payload[0] |= 0x3f;
    payload[1] |= 0x80;
    EXPECT_EQ(g.forward(datagram({.sender_port = 2000}, payload)), after);
    met = true;
    break;
  }
  EXPECT_TRUE(met);
}

TEST_F(Scone, R38OtherPacketsPassUnchanged) {
  GatewayUnderTest g(settings());
  advise(g, 5'100'000);
  const Ends e{.sender_port = 3000};
  const Bytes whole = scone({});
  Bytes short_header = whole, later;
  short_header[0] &= 0x7f;
  append(later, scone({.version = 1, .following_bytes = 40}));
  append(later, whole);
  const Bytes unseen[] = {
      datagram(e, scone({.version = 1})),
      datagram(e, scone({.version = 0x6b3343cf})),
      datagram(e, short_header),
      datagram(e, later),
      datagram(e, Bytes(whole.begin(), whole.begin() + 5)),
      datagram(e, Bytes{}),
      datagram(e, whole, true, Link::kEthernet, 0x2000),    // the first fragment
      datagram(e, whole, true, Link::kEthernet, 0x0010),    // a later one
  };
  for (const Bytes& packet : unseen) EXPECT_EQ(g.forward(packet), packet);
  EXPECT_EQ(g.count(GW_COUNT_scone_packets), 0U);
}

TEST_F(Scone, R38AForgedPacketIsLeft) {
  GatewayUnderTest g(settings());
  advise(g, 5'100'000);
  const Ends e{.sender_port = 3100};
  Bytes beyond = scone({.id_bytes = 8, .following_bytes = 20});
  beyond[5] = 255;  // an ID that ends outside of the datagram
  Bytes source = scone({.id_bytes = 0, .following_bytes = 20});
  source[6] = 20;  // the other one ends with it
  Bytes longer = datagram(e, scone({.following_bytes = 20}));
  longer[14 + 20 + 5] = 200;  // UDP's length is more than IP's
  for (const Bytes& packet : {datagram(e, beyond), datagram(e, source),
                              datagram(e, scone({.following_bytes = 0})), longer})
    EXPECT_EQ(g.forward(packet), packet);
  EXPECT_EQ(g.count(GW_COUNT_scone_left), 3U);
  EXPECT_EQ(g.count(GW_COUNT_scone_advised), 0U);
}

TEST_F(Scone, R38AFlowIsChangedAFewTimes) {
  GatewayUnderTest g(settings());
  advise(g, 5'100'000);
  int changed = 0;
  for (int i = 0; i < 100; ++i) {
    const Bytes packet = advised({.sender_port = 4000}, Quic{});
    changed += g.forward(packet) != packet;
  }
  EXPECT_EQ(changed, 3);
  EXPECT_EQ(g.count(GW_COUNT_scone_spared), 97U);
  advise(g, 2'600'000);
  const Bytes packet = advised({.sender_port = 4000}, Quic{});
  EXPECT_EQ(g.forward(packet), packet) << "nor more often if advice alternates";
}

TEST_F(Scone, IsOffByDefaultAndWhileObserving) {
  const Bytes packet = advised({.sender_port = 5000}, Quic{});
  for (const bool observe : {false, true}) {
    gw::Settings s = settings();
    if (!observe) s.scone.reset();
    s.observe = observe;
    GatewayUnderTest g(s);
    advise(g, 5'100'000);
    EXPECT_EQ(g.forward(packet), packet);
    EXPECT_EQ(g.count(GW_COUNT_scone_packets), observe ? 1U : 0U);
    EXPECT_EQ(g.count(GW_COUNT_scone_advised), observe ? 1U : 0U) << "what would be";
  }
}

TEST_F(Scone, R34LeavesExemptEnds) {
  gw::Settings s = settings();
  s.exempt = {{"port 6000"}};
  GatewayUnderTest g(s);
  advise(g, 5'100'000);
  const Bytes packet = advised({.sender_port = 6000}, Quic{});
  EXPECT_EQ(g.forward(packet), packet);
  EXPECT_EQ(g.count(GW_COUNT_scone_left), 1U);
}

TEST_F(Scone, HasNoAdviceBeforeAPeriodAndNoMoreThanTheRate) {
  GatewayUnderTest g(settings());
  const Bytes packet = advised({.sender_port = 7000}, Quic{});
  EXPECT_EQ(g.forward(packet), packet);
  EXPECT_EQ(g.count(GW_COUNT_scone_kept), 1U);
  advise(g, 100'000'000);
  EXPECT_EQ(g.forward(packet), advised({.sender_port = 7000}, {.signal = 46}));  // 19.95 Mbit/s
}

// Signal 38 is 7.94 Mbit/s, of a shape of 8 Mbit/s with one flow; 46 is 19.95, of the device's 20.
TEST_F(Scone, AdvisesASubscriberTheShareOfItsShape) {
  gw::Settings s = settings();
  s.shapes = "16";
  GatewayUnderTest g(s);
  g.add_shape(1, "10.0.0.7/32", 1'000'000, 97'000);
  const Ends inside{.sender_port = 8000, .host = 7}, outside{.sender_port = 8000, .host = 8};
  for (const Ends& e : {inside, outside}) g.forward(advised(e, Quic{}));
  // As if each had been looked at for a period, except the last second.
  const std::uint64_t now_ns = g.now_ns();
  pst_scone waiting{};
  waiting.begun_ns = now_ns - PST_SCONE_PERIOD_NS;
  waiting.looked_ns = now_ns - 2 * PST_SCONE_LOOK_NS;
  gw_shape shape = g.shape(1);
  shape.shared.port.scone = waiting;
  g.set_shape(1, shape);
  gw_shared shared = g.shared();
  shared.port.scone = waiting;
  g.set_shared(shared);
  EXPECT_EQ(g.forward(advised(inside, Quic{})), advised(inside, {.signal = 38}));
  EXPECT_EQ(g.forward(advised(outside, Quic{})), advised(outside, {.signal = 46}));
}

TEST_F(Scone, NeedsAMethodThatCountsFlows) {
  gw::Settings s = settings();
  s.method = "droptail";
  try {
    gw::plan_of(s);
    FAIL() << "droptail has no share to advise";
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("--fair on"), std::string::npos) << e.what();
  }
  s.fair = "on";
  EXPECT_TRUE(gw::plan_of(s).config.scone);
  for (const std::uint32_t version : {kEven, kOdd}) EXPECT_TRUE(pst_scone_is_version(version));
}

}  // namespace
}  // namespace penstock::test
