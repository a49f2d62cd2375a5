// SPDX-License-Identifier: GPL-2.0-only
// R15: what the program in the kernel understands, and that all else passes as it came.
#include <algorithm>
#include <random>

#include "core/packet/parse.h"
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

class Parse : public GatewayTest {};

// A window is rewritten behind each of these headers.
void expect_rewritten(const Ends& e, Tcp t, bool ethernet = true) {
  GatewayUnderTest g("ewt", "safe", false, ethernet);
  const auto in = [&](Tcp one) {
    one.link = t.link;
    one.ip_options = t.ip_options;
    one.extensions = t.extensions;
    one.following = t.following;
    return packet(e, one);
  };
  g.forward(in({.seq = 999, .flags = 2, .options = mss_and_scale(1460, 7)}));
  g.reverse(in({.from_sender = false,
                .seq = 4999,
                .ack = 1000,
                .flags = 0x12,
                .options = mss_and_scale(1460, 7)}));
  g.forward(in({.seq = 1000, .ack = 5000}));
  g.fill_queue(80'000);
  t.from_sender = false;
  t.ack = 1000;
  t.window = 2000;
  const Seen out = look(e, t, g.reverse(packet(e, t)));
  EXPECT_LT(out.window, 2000);
  EXPECT_TRUE(out.checksum_right);
}

TEST_F(Parse, EveryLinkHeader) {
  for (const bool ipv6 : {false, true})
    for (const Link link : {Link::kEthernet, Link::kVlan, Link::kQinq, Link::kPppoe}) {
      SCOPED_TRACE(static_cast<int>(link));
      expect_rewritten({.ipv6 = ipv6}, {.link = link});
    }
}

TEST_F(Parse, Ipv4OptionsOfEveryLength) {
  for (std::size_t words = 1; words <= 10; ++words)
    expect_rewritten({}, {.ip_options = Bytes(words * 4, 1)});
}

TEST_F(Parse, Ipv6ExtensionHeaders) {
  const Bytes hop = {6, 0, 0, 0, 0, 0, 0, 0};
  const Bytes two = {60, 0, 0, 0, 0, 0, 0, 0, 6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  expect_rewritten({.ipv6 = true}, {.extensions = hop, .following = 0});
  expect_rewritten({.ipv6 = true}, {.extensions = two, .following = 43});
}

// Each of these passes byte for byte and is counted for its reason.
void expect_passed(const Bytes& in, int counter, bool ethernet = true) {
  GatewayUnderTest g("ewt", "safe", false, ethernet);
  g.fill_queue(96'000);
  EXPECT_EQ(g.reverse(in), in);
  EXPECT_EQ(g.forward(in), in);
  EXPECT_EQ(g.count(counter), 1U);
}

Tcp plain_ack() { return {.from_sender = false, .seq = 5000, .ack = 1000, .window = 2000}; }

TEST_F(Parse, FragmentsPass) {
  Bytes v4 = packet({}, plain_ack());
  v4[14 + 6] = 0x20;
  expect_passed(v4, GW_PASS_fragment);
  v4[14 + 6] = 0x00;
  v4[14 + 7] = 0x10;
  expect_passed(v4, GW_PASS_fragment);
  Tcp t = plain_ack();
  t.extensions = {6, 0, 0, 1, 0, 0, 0, 9};
  t.following = 44;
  expect_passed(packet({.ipv6 = true}, t), GW_PASS_fragment);
}

TEST_F(Parse, TooManyExtensionHeadersPass) {
  Tcp t = plain_ack();
  t.following = 60;
  for (int i = 0; i < PST_MAX_EXTENSIONS; ++i) append(t.extensions, {60, 0, 0, 0, 0, 0, 0, 0});
  append(t.extensions, {6, 0, 0, 0, 0, 0, 0, 0});
  expect_passed(packet({.ipv6 = true}, t), GW_PASS_extended);
}

TEST_F(Parse, OtherProtocolsPass) {
  Bytes udp = packet({}, plain_ack());
  udp[14 + 9] = 17;
  expect_passed(udp, GW_PASS_not_tcp);
  Bytes arp = packet({}, plain_ack());
  arp[12] = 0x08;
  arp[13] = 0x06;
  expect_passed(arp, GW_PASS_not_ip);
}

TEST_F(Parse, ContradictingLengthsPass) {
  Bytes b = packet({}, plain_ack());
  b[14] = 0x44;  // a header of 16 bytes
  expect_passed(b, GW_PASS_malformed);
  b = packet({}, plain_ack());
  b[14 + 2] = 0xff;  // longer than the frame
  expect_passed(b, GW_PASS_malformed);
  b = packet({}, plain_ack());
  b[14 + 20 + 12] = 0x40;  // a TCP header of 16 bytes
  expect_passed(b, GW_PASS_malformed);
  b = packet({}, plain_ack());
  b[14 + 20 + 12] = 0xf0;  // options beyond the packet
  expect_passed(b, GW_PASS_malformed);
}

TEST_F(Parse, AFrameThatIsPaddedHasNoPayload) {
  GatewayUnderTest g;
  const Ends e;
  g.handshake(e);
  Bytes b = packet(e, {.seq = 1000, .ack = 5000});
  b.resize(60);
  g.forward(b);
  EXPECT_EQ(g.flow(e).gateway.flow.sent, 1000U);
}

// Random changes of good packets: the kernel and the same source here agree on what is
// TCP, and what is not known passes byte for byte.
TEST_F(Parse, KernelAndUserSpaceAgreeOnDamagedPackets) {
  GatewayUnderTest g;
  std::mt19937 random(3);
  std::uint64_t tcp = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Ends e{.ipv6 = random() % 2 == 0};
    Tcp t = plain_ack();
    t.link = static_cast<Link>(random() % 4);
    Bytes b = packet(e, t);
    const std::size_t least = e.ipv6 ? 54 : 34;  // a test run takes no half IP header
    for (std::size_t n = random() % 4; n > 0; --n)
      b[12 + random() % std::min<std::size_t>(b.size() - 12, 60)] =
          static_cast<std::uint8_t>(random());
    if (random() % 4 == 0) b.resize(least + random() % (b.size() - least));
    pst_segment s{};
    const pst_parsed here =
        pst_parse(b.data(), b.data() + b.size(), static_cast<std::uint32_t>(b.size()), true, &s);
    const bool counted_before = here == PST_PARSED_TCP;
    const auto counted = [&] {
      return g.count(GW_PASS_unknown_flow) + g.count(GW_PASS_damaged) + g.decided_by(PST_BY_SYN);
    };
    const std::uint64_t before = counted();
    EXPECT_EQ(g.reverse(b), b);
    const std::uint64_t after = counted();
    ASSERT_EQ(after - before, counted_before ? 1U : 0U) << "packet " << i;
    tcp += counted_before;
  }
  EXPECT_GT(tcp, 5000U);
}

}  // namespace
}  // namespace penstock::test
