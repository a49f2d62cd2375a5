// SPDX-License-Identifier: GPL-2.0-only
// R32: random traces through the program in the kernel and through core/ here give the
// same fields and leave the same state, for each method and each mode.
#include <cstring>
#include <random>

#include "core/control/describe.h"
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

struct Case {
  const char* method;
  const char* mode;
};

class Agree : public GatewayTest, public testing::WithParamInterface<Case> {};

pst_queue queue_of(const GatewayUnderTest& g, const gw_shared& seen) {
  pst_queue q{};
  q.bytes = seen.queue_bytes;
  q.limit_bytes = g.config().limit_bytes;
  q.rate_bytes_per_s = g.config().rate_bytes_per_s;
  q.mss_bytes = g.config().mss_bytes;
  q.flows = pst_max(1, pst_max(seen.count.last, seen.count.running));
  return q;
}

// core/ on the flow and state as they were, with what the kernel saw of the queue.
std::uint16_t expected_field(const GatewayUnderTest& g, gw_flow& f, gw_shared& state,
                             const gw_shared& seen, const pst_ack_header& h, std::uint64_t now_ns) {
  pst_rewrite out{};
  if (!pst_rewrite_bypassed(&f.flow, g.config().mode, &h, &out)) {
    pst_queue q = queue_of(g, seen);
    q.now_ns = now_ns;
    const pst_ack a{.window_bytes = std::uint64_t{h.field} << f.flow.scale,
                    .rtt_ns = pst_rtt_get(&f.rtt),
                    .mss_bytes = f.flow.mss_bytes,
                    .granule_bytes = 1U << f.flow.scale};
    out = pst_rewrite_window(
        &f.flow, g.config().mode, &h,
        pst_control_ack(g.config().method, &g.config().params, &state.state, &q, &a));
  }
  pst_rewrite_commit(&f.flow, &h, out.field);
  return out.field;
}

TEST_P(Agree, OnRandomTraces) {
  const Case& c = GetParam();
  // The clock shall not tick between two looks; ticks are core/'s own tests' matter.
  std::map<std::string, std::string> params;
  const std::string method = c.method;
  if (method == "ewa" || method == "integral") params["interval_ns"] = "1000s";
  GatewayUnderTest g(c.method, c.mode, false, true, params);
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
    const auto field = static_cast<std::uint16_t>(random() % 8 ? random() % 4096 : f.flow.field_in);
    const std::uint32_t number =
        random() % 4 ? sent[which] - static_cast<std::uint32_t>(random() % 3000) : f.flow.ack;
    const pst_ack_header h{.ack = number, .field = field, .syn = false, .pure = true};
    const Seen out = g.ack(e, number, field);
    const gw_shared seen = g.shared();
    const gw_flow after = g.flow(e);
    f.rtt = after.rtt;
    ASSERT_EQ(out.window, expected_field(g, f, state, seen, h, after.seen_ns)) << "event " << i;
    ASSERT_EQ(0, std::memcmp(&seen.state, &state.state, sizeof(state.state))) << "event " << i;
    ASSERT_EQ(after.flow.edge, f.flow.edge);
    ASSERT_EQ(after.flow.ack, f.flow.ack);
    ASSERT_TRUE(out.checksum_right);
  }
  EXPECT_GT(g.count(GW_COUNT_acks_seen), 500U);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, Agree,
    testing::Values(Case{"droptail", "safe"}, Case{"ewt", "safe"}, Case{"ewt", "strict"},
                    Case{"ewt", "literal"}, Case{"ewt_iot", "safe"}, Case{"ewa", "safe"},
                    Case{"awm", "safe"}, Case{"share", "safe"}, Case{"share", "strict"},
                    Case{"integral", "safe"}, Case{"integral", "literal"}),
    [](const auto& one) { return std::string(one.param.method) + "_" + one.param.mode; });

}  // namespace
}  // namespace penstock::test
