// SPDX-License-Identifier: GPL-2.0-only
// R32: random traces through the program in the kernel and through core/ here give the
// same fields and leave the same state, for each method and each mode.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "core/describe.h"
#include "linux/gateway/tool/settings/parts.h"
#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

struct Case {
  const char* method;
  const char* mode;
  bool auto_rate = false;
  bool paces = false;
};

class Agree : public GatewayTest, public testing::WithParamInterface<Case> {};

// The queue as the kernel saw it at this ACK.
pst_queue queue_of(const GatewayUnderTest& g, const gw_shared& seen, std::uint64_t now_ns) {
  pst_queue q{};
  q.now_ns = now_ns;
  q.bytes = seen.queue_bytes;
  q.limit_bytes = g.config().limit_bytes;
  q.rate_bytes_per_s = gw_rate(&g.config(), &seen.port.state);
  q.mss_bytes = g.config().mss_bytes;
  q.flows = 1;
  return q;
}

// Every method that the kernel runs, in every mode that makes a difference to it.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (std::uint32_t variant = 0; variant < PST_VARIANT_COUNT; ++variant) {
    if (!gw::works_in_kernel(variant)) continue;
    pst_gateway_config c;
    pst_variant_config(&c, variant, 0);
    for (const char* mode : {"safe", "strict", "literal"}) {
      all.push_back({pst_variant_rows[variant].name, mode});
      if (!pst_gateway_rewrites(&c)) break;
    }
  }
  for (const char* method : {"penstock", "integral", "share"})
    all.push_back({method, "safe", true});
  all.push_back({"penstock", "safe", false, true});
  all.push_back({"penstock", "safe", true, true});
  return all;
}

// The clock shall not tick between two looks; ticks are core/'s own tests' matter.
std::map<std::string, std::string> without_ticks(const std::string& method) {
  pst_gateway_config c;
  pst_variant_config(&c, pst_variant_find(method.c_str()), 0);
  const std::vector<gw::ParamField> params = gw::params_of(c);
  const bool ticks = std::any_of(params.begin(), params.end(),
                                 [](const auto& param) { return param.name == "interval_ns"; });
  if (ticks) return {{"interval_ns", "1000s"}};
  return {};
}

gw::Settings settings_of(const Case& c) {
  gw::Settings s = slow_link(c.method);
  s.mode = c.mode;
  s.params = without_ticks(c.method);
  if (c.auto_rate) {
    s.rate = "auto";
    s.queue = "existing";
  }
  if (c.paces) {
    s.buffer = "4kB";  // there is no room for a segment of each of three
    s.beyond = "pace-acks";
    s.acks = "wan0";
  }
  return s;
}

// The gateway here: with the program's constants, and what the kernel's port has become.
pst_port port_here(const GatewayUnderTest& g, const gw_shared& state) {
  pst_port port = state.port;
  port.config = g.config().gateway;
  port.config.discipline_params = state.port.config.discipline_params;
  port.config.law_params = state.port.config.law_params;
  return port;
}

// The ACK goes when core said, and leaves the same behind.
void expect_release(const GatewayUnderTest& g, const pst_back& back, const pst_port& port,
                    const pst_pace_flow& pace, const gw_shared& seen,
                    const pst_pace_flow& seen_pace, std::uint64_t now_ns) {
  ASSERT_EQ(g.release_ns(), back.release_ns > now_ns ? back.release_ns : 0);
  ASSERT_EQ(seen.port.pace.turn_ns, port.pace.turn_ns);
  ASSERT_EQ(0, std::memcmp(&seen_pace, &pace, sizeof(pace)));
}

// Data passes, and what has left the queue before is the same here.
void send(GatewayUnderTest& g, const Ends& e, std::uint32_t seq, std::uint16_t bytes) {
  gw_shared state = g.shared();
  const Bytes data = packet(e, {.seq = seq, .ack = 5000, .window = 502, .payload_bytes = bytes});
  g.forward(data);
  const gw_shared seen = g.shared();
  pst_queue q = queue_of(g, seen, seen.port.state.departures.seen_ns);
  pst_gateway_look(&g.config().gateway, &state.port.state, &q);
  if (pst_departure_rate_fits(&state.port.state.departures, q.bytes, q.limit_bytes, data.size()))
    pst_gateway_entered(&g.config().gateway, &state.port.state, data.size());
  ASSERT_EQ(0, std::memcmp(&seen.port.state.departures, &state.port.state.departures,
                           sizeof(state.port.state.departures)));
}

// The flow, controlled again if the gateway has found its scale misread: after round trips, and a
// slow trace takes more of them.
gw_flow controlled(GatewayUnderTest& g, const Ends& e) {
  gw_flow f = g.flow(e);
  if (f.gateway.flow.scale_known) return f;
  f.gateway.flow.scale_known = true;
  g.set_flow(e, f);
  return f;
}

// An early event, whether or not chance makes the discipline decide on one.
void owe_signal(GatewayUnderTest& g) {
  gw_shared state = g.shared();
  ++state.port.state.signals_owed;
  g.set_shared(state);
}

// The queue as it was at that time, which data leaves as it is.
std::uint64_t waiting_bytes(const GatewayUnderTest& g, const gw_shared& before,
                            std::uint64_t now_ns) {
  const std::uint64_t wait_ns = pst_sub_floor(before.drained_q4 >> 4, now_ns);
  return pst_mul_div(pst_min(wait_ns, PST_MAX_NS), g.config().rate_bytes_per_s, PST_NS_PER_S);
}

// A queue of any length; where ACKs are paced by what leaves it, none that shrinks at once: a
// rate measured from that would let a whole window out with one ACK, and none with the others.
void change_queue(const Case& c, GatewayUnderTest& g, std::uint64_t bytes) {
  if (c.auto_rate && c.paces) bytes = pst_max(bytes, waiting_bytes(g, g.shared(), g.now_ns()));
  g.fill_queue(bytes);
}

// The next second is booked, however slowly ACKs follow each other here.
void book_ahead(GatewayUnderTest& g) {
  gw_shared state = g.shared();
  state.port.pace.turn_ns = pst_max(state.port.pace.turn_ns, g.now_ns() + PST_NS_PER_S);
  g.set_shared(state);
}

// Data for the gateway here, for the functions that pst_port_out() takes.
struct DataHere {
  pst_port& port;
  pst_gateway_flow& flow;
  pst_queue before;  // as what has left found it
  pst_data_header h;
  bool sees;

  static pst_verdict see(void* host, pst_queue* q, pst_packet* k) {
    auto& d = *static_cast<DataHere*>(host);
    if (d.sees) pst_port_left(&d.port, &d.before, k);
    EXPECT_TRUE(pst_port_segment(&d.port, &d.flow, nullptr, q, &d.h, k));
    return PST_PASS;
  }
  static pst_verdict judge(void* host, pst_queue* q, pst_packet* k) {
    auto& d = *static_cast<DataHere*>(host);
    return d.sees ? pst_port_arrive(&d.port, q, k) : PST_PASS;
  }
};

// The same data for the gateway here, in core's order: what has left, the flow, the packet.
void data_here(const GatewayUnderTest& g, gw_shared& state, pst_gateway_flow& flow,
               std::uint64_t now_ns, std::uint32_t seq, std::uint16_t bytes,
               std::uint32_t packet_bytes) {
  state.port = port_here(g, state);
  pst_queue q = queue_of(g, state, now_ns);
  q.bytes = waiting_bytes(g, state, now_ns);
  const bool sees = pst_gateway_sees_packets(&state.port.config);
  const pst_data_header h{seq, bytes, bytes, PST_NOT_ECT, false, false, false, nullptr};
  DataHere d{state.port, flow, q, h, sees};
  const std::uint64_t empty_ns =
      pst_rtt_departure_ns(state.arrived_ns, state.arrived_bytes, q.rate_bytes_per_s);
  if (!q.bytes) d.before.now_ns = pst_min(now_ns, empty_ns);
  pst_packet k{};
  k.queued_ns = now_ns;
  k.bytes = packet_bytes;
  pst_port_out(&state.port, &q, &k, false, &d, DataHere::see, DataHere::judge);
  if (!sees) return;
  if (q.bytes + k.bytes > q.limit_bytes) return pst_port_overflow(&state.port, &q, &k);
  q.bytes += k.bytes;
  pst_port_accepted(&state.port, &q, &k);
}

TEST_P(Agree, OnRandomTraces) {
  const Case& c = GetParam();
  GatewayUnderTest g(settings_of(c));
  std::mt19937 random(7);
  const Ends ends[] = {{.sender_port = 1}, {.ipv6 = true, .sender_port = 2}, {.sender_port = 3}};
  std::uint32_t sent[] = {1000, 1000, 1000};
  const bool by_window = g.config().gateway.signal == PST_SIGNAL_WINDOW;
  const bool by_chance = pst_discipline_sees_packets(g.config().gateway.discipline);
  std::uint64_t carried = 0;
  for (const Ends& e : ends) g.handshake(e, 7, static_cast<int>(random() % 15));
  for (int i = 0; i < 1500; ++i) {
    const std::size_t which = random() % 3;
    const Ends& e = ends[which];
    if (random() % 3 == 0) {
      const auto bytes = static_cast<std::uint16_t>(1 + random() % 1460);
      const std::uint32_t seq = sent[which] - (random() % 4 ? 0U : bytes);
      if (c.auto_rate) {
        send(g, e, seq, bytes);
        sent[which] += bytes;
        continue;
      }
      gw_flow f = controlled(g, e);
      gw_shared state = g.shared();
      g.data(e, seq, bytes);
      sent[which] += bytes;
      if (pst_flow_is_beyond(&f.gateway.flow, seq + bytes)) continue;
      const gw_flow after = g.flow(e);
      const gw_shared seen = g.shared();
      data_here(g, state, f.gateway, after.seen_ns, seq, bytes,
                static_cast<std::uint32_t>(packet(e, {.payload_bytes = bytes}).size()));
      if (!by_chance) {
        ASSERT_EQ(0, std::memcmp(&seen.port.state, &state.port.state, sizeof(seen.port.state)))
            << "data " << i;
      }
      ASSERT_EQ(0, std::memcmp(&after.gateway, &f.gateway, sizeof(f.gateway))) << "data " << i;
      continue;
    }
    if (random() % 8 == 0) change_queue(c, g, random() % 97'000);
    if (c.paces && random() % 16 == 0) book_ahead(g);
    if (by_window && random() % 16 == 0) owe_signal(g);
    gw_flow f = controlled(g, e);
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
    const std::uint64_t owed = state.port.state.signals_owed;
    pst_queue q = queue_of(g, seen, after.seen_ns);
    state.port = port_here(g, state);
    const pst_back here = pst_port_back(&state.port, &f.gateway, &f.pace, nullptr, &q, &h);
    if (f.gateway.rtt.asks_stamp) pst_rtt_stamp(&f.gateway.rtt, false, 0);
    expect_release(g, here, state.port, f.pace, seen, after.pace, after.seen_ns);
    carried += owed - state.port.state.signals_owed;
    ASSERT_EQ(out.window, here.out.field) << "event " << i;
    ASSERT_EQ(after.limit, here.out.limit) << "event " << i;
    ASSERT_EQ(0, std::memcmp(&seen.port.state, &state.port.state, sizeof(seen.port.state)))
        << "event " << i;
    ASSERT_EQ(0, std::memcmp(&after.gateway, &f.gateway, sizeof(f.gateway))) << "event " << i;
    ASSERT_TRUE(out.checksum_right);
  }
  EXPECT_GT(g.count(GW_COUNT_acks_seen), 500U);
  EXPECT_EQ(carried > 0, by_window);
  EXPECT_EQ(g.count(GW_COUNT_acks_held) > 100, c.paces);
  EXPECT_EQ(g.shared().port.state.departures.known_ns > 0, c.auto_rate);
}

// 1 Mbit/s is what drains the queue of these tests; here it is far from what was measured.
TEST_F(GatewayTest, AutoRateIsLookedForByTheClock) {
  gw::Settings s = settings_of({"penstock", "safe", true});
  s.params = {{"interval_ns", "1ms"}};
  GatewayUnderTest g(s);
  g.fill_queue(90'000);
  gw_shared state = g.shared();
  state.port.state.departures.bytes_per_s = 1'000'000;
  state.port.state.departures.seen_bytes = 90'000;
  g.set_shared(state);
  const auto is_found = [&] {
    return std::abs(static_cast<double>(g.shared().port.state.departures.bytes_per_s) - 125'000) <
           12'500;
  };
  for (int i = 0; i < 2000 && !is_found(); ++i) {
    g.pass_time(5'000'000);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(is_found()) << g.shared().port.state.departures.bytes_per_s;
}

TEST_F(GatewayTest, AutoRateOutlivesAChangeOfMethod) {
  GatewayUnderTest g(settings_of({"ewt", "safe", true}));
  gw_shared state = g.shared();
  state.port.state.departures = {777'777, 555'555, PST_NS_PER_S, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  g.set_shared(state);
  g.start();
  const pst_departure_rate kept = g.shared().port.state.departures;
  EXPECT_EQ(kept.bytes_per_s, 777'777U);
  EXPECT_EQ(kept.sent_bytes_per_s, 555'555U);
  EXPECT_EQ(kept.known_ns, PST_NS_PER_S);
  EXPECT_EQ(kept.seen_ns + kept.all_bytes + kept.busy_bytes, 0U) << "when is not known now";
}

// The SYN of a sender, which counts as a connection that opens.
void open(GatewayUnderTest& g, const Ends& e, std::uint16_t mss, int scale) {
  gw_shared state = g.shared();
  const Bytes options = mss_and_scale(mss, scale);
  g.forward(packet(e, {.seq = 999, .flags = 0x02, .window = 64'240, .options = options}));
  const gw_half_open after = g.half_open(e);
  const gw_shared seen = g.shared();
  pst_handshake handshake{};
  pst_gateway_flow flow{};
  ASSERT_TRUE(
      pst_handshake_on_syn(&handshake, &flow, &state.port.state.count, &after.handshake.opener));
  ASSERT_EQ(0, std::memcmp(&seen.port.state.count, &state.port.state.count,
                           sizeof(state.port.state.count)));
  ASSERT_EQ(0, std::memcmp(&after.gateway, &flow, sizeof(flow)));
}

// Its first data, with which it no longer does.
void begin(GatewayUnderTest& g, const Ends& e) {
  constexpr std::uint16_t kBytes = 500;
  g.forward(packet(e, {.seq = 1000, .ack = 5000, .window = 502}));
  gw_flow flow = g.flow(e);
  if (pst_flow_is_beyond(&flow.gateway.flow, 1000 + kBytes)) return;
  gw_shared state = g.shared();
  g.data(e, 1000, kBytes);
  const gw_flow after = g.flow(e);
  const gw_shared seen = g.shared();
  data_here(g, state, flow.gateway, after.seen_ns, 1000, kBytes,
            static_cast<std::uint32_t>(packet(e, {.payload_bytes = kBytes}).size()));
  ASSERT_EQ(0, std::memcmp(&seen.port.state.count, &state.port.state.count,
                           sizeof(state.port.state.count)));
  ASSERT_EQ(0, std::memcmp(&after.gateway, &flow.gateway, sizeof(flow.gateway)));
}

// R6: SYN-ACKs, repeated ones among them, of connections that open at a queue of any length.
TEST_P(Agree, OnHandshakes) {
  const Case& c = GetParam();
  constexpr std::uint64_t kIntervalNs = 2'000'000;  // some of them pass
  GatewayUnderTest g(settings_of(c), false, kIntervalNs);
  const bool opens =
      pst_law_is(g.config().gateway.law, PST_TRAIT_OPENS) && g.config().gateway.mode != PST_LITERAL;
  std::mt19937 random(8);
  std::uint64_t written = 0;
  std::uint32_t most_opening = 0;
  for (std::uint16_t port = 1; port <= 300; ++port) {
    const Ends e{.ipv6 = random() % 2 == 0, .sender_port = port};
    const auto mss = static_cast<std::uint16_t>(random() % 2 ? 1460 : 536 + random() % 8500);
    ASSERT_NO_FATAL_FAILURE(open(g, e, mss, static_cast<int>(random() % 16) - 1)) << port;
    most_opening = std::max(most_opening, g.shared().port.state.count.opening_running);
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
      const std::uint64_t now_ns = after.handshake.answer.at_ns;
      pst_options o{};
      o.mss_bytes = mss;
      const Bytes scale = t.options.size() == 8 ? Bytes{t.options[7]} : Bytes{PST_NO_SCALE};
      o.scale = scale[0];
      pst_gateway_syn(&half.gateway, false, 4999, &o, now_ns);
      pst_queue q = queue_of(g, opens ? seen : state, now_ns);
      const pst_ack_header h{.ack = 1000, .field = t.window, .syn = true, .pure = false};
      state.port = port_here(g, state);
      const pst_back here = pst_port_back(&state.port, &half.gateway, &half.pace, nullptr, &q, &h);
      expect_release(g, here, state.port, half.pace, seen, after.pace, now_ns);
      ASSERT_EQ(out.window, here.out.field) << "connection " << port;
      ASSERT_TRUE(out.checksum_right);
      ASSERT_EQ(0, std::memcmp(&seen.port.state, &state.port.state, sizeof(seen.port.state)))
          << port;
      ASSERT_EQ(0, std::memcmp(&after.gateway, &half.gateway, sizeof(half.gateway))) << port;
      ASSERT_TRUE(opens || out.window == t.window) << "R6";
      ASSERT_GE(out.window, std::min<std::uint32_t>(t.window, 2 * half.gateway.flow.mss_bytes));
      written += out.window != t.window;
    }
    if (!c.auto_rate && random() % 4 == 0) {
      ASSERT_NO_FATAL_FAILURE(begin(g, e)) << port;
    }
  }
  EXPECT_EQ(g.count(GW_COUNT_acks_rewritten), written);
  EXPECT_EQ(written > 100, opens);
  EXPECT_GT(most_opening, 3U);
}

INSTANTIATE_TEST_SUITE_P(Methods, Agree, testing::ValuesIn(cases()), [](const auto& one) {
  return std::string(one.param.method) + "_" + one.param.mode +
         (one.param.auto_rate ? "_auto" : "") + (one.param.paces ? "_paced" : "");
});

}  // namespace
}  // namespace penstock::test
