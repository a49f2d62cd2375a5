// SPDX-License-Identifier: GPL-2.0-only
// R32: random traces through the program in the kernel and through core/ here give the
// same fields and leave the same state, for each method and each mode.
#include <cstring>
#include <random>
#include <set>

#include "core/describe.h"
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

struct Case {
  const char* method;
  const char* mode;
};

class Agree : public GatewayTest, public testing::WithParamInterface<Case> {};

// The queue as the kernel saw it at this ACK.
pst_queue queue_of(const GatewayUnderTest& g, const gw_shared& seen, std::uint64_t now_ns) {
  pst_queue q{};
  q.now_ns = now_ns;
  q.bytes = seen.queue_bytes;
  q.limit_bytes = g.config().limit_bytes;
  q.rate_bytes_per_s = g.config().rate_bytes_per_s;
  q.mss_bytes = g.config().mss_bytes;
  q.flows = 1;
  return q;
}

// The clock shall not tick between two looks; ticks are core/'s own tests' matter.
std::map<std::string, std::string> without_ticks(const std::string& method) {
  const std::set<std::string> ticking{"ewa", "integral", "penstock", "fewa", "sap_law", "voap"};
  if (ticking.contains(method)) return {{"interval_ns", "1000s"}};
  return {};
}

TEST_P(Agree, OnRandomTraces) {
  const Case& c = GetParam();
  GatewayUnderTest g(c.method, c.mode, false, true, without_ticks(c.method));
  std::mt19937 random(7);
  const Ends ends[] = {{.sender_port = 1}, {.ipv6 = true, .sender_port = 2}, {.sender_port = 3}};
  std::uint32_t sent[] = {1000, 1000, 1000};
  for (const Ends& e : ends) g.handshake(e, 7, static_cast<int>(random() % 15));
  for (int i = 0; i < 1500; ++i) {
    const std::size_t which = random() % 3;
    const Ends& e = ends[which];
    if (random() % 3 == 0) {
      const auto bytes = static_cast<std::uint16_t>(1 + random() % 1460);
      g.data(e, sent[which] - (random() % 4 ? 0 : bytes), bytes);
      sent[which] += bytes;
      continue;
    }
    if (random() % 8 == 0) g.fill_queue(random() % 97'000);
    gw_flow f = g.flow(e);
    gw_shared state = g.shared();
    const auto field =
        static_cast<std::uint16_t>(random() % 8 ? random() % 4096 : f.gateway.flow.field_in);
    const std::uint32_t number = random() % 4
                                     ? sent[which] - static_cast<std::uint32_t>(random() % 3000)
                                     : f.gateway.flow.ack;
    const pst_ack_header h{.ack = number, .field = field, .syn = false, .pure = true};
    const Seen out = g.ack(e, number, field);
    const gw_shared seen = g.shared();
    const gw_flow after = g.flow(e);
    pst_queue q = queue_of(g, seen, after.seen_ns);
    const pst_rewrite here =
        pst_gateway_ack(&g.config().gateway, &state.gateway, &f.gateway, &q, &h);
    ASSERT_EQ(out.window, here.field) << "event " << i;
    ASSERT_EQ(after.limit, here.limit) << "event " << i;
    ASSERT_EQ(0, std::memcmp(&seen.gateway, &state.gateway, sizeof(seen.gateway))) << "event " << i;
    ASSERT_EQ(0, std::memcmp(&after.gateway, &f.gateway, sizeof(f.gateway))) << "event " << i;
    ASSERT_TRUE(out.checksum_right);
  }
  EXPECT_GT(g.count(GW_COUNT_acks_seen), 500U);
}

// R6: SYN-ACKs, repeated ones among them, of connections that open at a queue of any length.
TEST_P(Agree, OnHandshakes) {
  const Case& c = GetParam();
  GatewayUnderTest g(c.method, c.mode, false, true, without_ticks(c.method));
  const bool opens =
      pst_law_is(g.config().gateway.law, PST_TRAIT_OPENS) && g.config().gateway.mode != PST_LITERAL;
  std::mt19937 random(8);
  std::uint64_t written = 0;
  for (std::uint16_t port = 1; port <= 300; ++port) {
    const Ends e{.ipv6 = random() % 2 == 0, .sender_port = port};
    const auto mss = static_cast<std::uint16_t>(random() % 2 ? 1460 : 536 + random() % 8500);
    const Bytes options = mss_and_scale(mss, static_cast<int>(random() % 16) - 1);
    g.forward(packet(e, {.seq = 999, .flags = 0x02, .window = 64'240, .options = options}));
    for (bool again = true; again; again = random() % 8 == 0) {
      if (random() % 4 == 0) g.fill_queue(random() % 97'000);
      gw_shared state = g.shared();
      gw_half_open half = g.half_open(e);
      const Tcp t{.from_sender = false,
                  .seq = 4999,
                  .ack = 1000,
                  .flags = 0x12,
                  .window = static_cast<std::uint16_t>(random()),
                  .options = mss_and_scale(mss, static_cast<int>(random() % 16) - 1)};
      const Seen out = look(e, t, g.reverse(packet(e, t)));
      const gw_half_open after = g.half_open(e);
      const gw_shared seen = g.shared();
      const std::uint64_t now_ns = after.gateway.rtt.answered_ns;
      pst_options o{};
      o.mss_bytes = mss;
      const Bytes scale = t.options.size() == 8 ? Bytes{t.options[7]} : Bytes{PST_NO_SCALE};
      o.scale = scale[0];
      pst_gateway_syn(&half.gateway, false, 4999, &o, now_ns);
      pst_queue q = queue_of(g, opens ? seen : state, now_ns);
      const pst_ack_header h{.ack = 1000, .field = t.window, .syn = true, .pure = false};
      const pst_rewrite here =
          pst_gateway_ack(&g.config().gateway, &state.gateway, &half.gateway, &q, &h);
      ASSERT_EQ(out.window, here.field) << "connection " << port;
      ASSERT_TRUE(out.checksum_right);
      ASSERT_EQ(0, std::memcmp(&seen.gateway, &state.gateway, sizeof(seen.gateway))) << port;
      ASSERT_EQ(0, std::memcmp(&after.gateway, &half.gateway, sizeof(half.gateway))) << port;
      ASSERT_TRUE(opens || out.window == t.window) << "R6";
      ASSERT_GE(out.window, std::min<std::uint32_t>(t.window, 2 * half.gateway.flow.mss_bytes));
      written += out.window != t.window;
    }
  }
  EXPECT_EQ(g.count(GW_COUNT_acks_rewritten), written);
  EXPECT_EQ(written > 100, opens);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, Agree,
    testing::Values(Case{"droptail", "safe"}, Case{"ewt", "safe"}, Case{"ewt", "strict"},
                    Case{"ewt", "literal"}, Case{"ewt_iot", "safe"}, Case{"ewa", "safe"},
                    Case{"awm", "safe"}, Case{"share", "safe"}, Case{"share", "strict"},
                    Case{"integral", "safe"}, Case{"integral", "literal"}, Case{"penstock", "safe"},
                    Case{"penstock", "strict"}, Case{"penstock", "literal"}, Case{"fewa", "safe"},
                    Case{"fewa", "literal"}, Case{"sap_law", "safe"}, Case{"voap", "safe"},
                    Case{"pink", "safe"}),
    [](const auto& one) { return std::string(one.param.method) + "_" + one.param.mode; });

}  // namespace
}  // namespace penstock::test
