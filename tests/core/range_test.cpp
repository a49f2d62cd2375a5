// SPDX-License-Identifier: GPL-2.0-only
// Every method at the ends of every range: nothing overflows (built with the
// sanitizers), and what comes out keeps its promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/describe.h"
#include "core/sender/control.h"

namespace {

using Values = std::vector<u64>;

// Parameter sets: all defaults, all least, all largest, and each end alone.
std::vector<Values> parameter_sets(const pst_param_row* rows, std::uint32_t count,
                                   u64 buffer_bytes) {
  Values defaults(count), least(count), largest(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    defaults[i] = pst_param_default(&rows[i], buffer_bytes);
    least[i] = rows[i].min;
    largest[i] = rows[i].max;
  }
  std::vector<Values> sets{defaults, least, largest};
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const u64 end : {rows[i].min, rows[i].max}) {
      sets.push_back(defaults);
      sets.back()[i] = end;
    }
  }
  return sets;
}

constexpr u64 kTimes[] = {0, 1, 40'000'000, PST_MAX_NS, 1ULL << 62};
constexpr std::uint32_t kRandoms[] = {0, 0x80000000U, 0xffffffffU};
constexpr u64 kWindows[] = {0, 1, 65535, 65535ULL << 14};

struct Gateway {
  pst_port port;
  pst_gateway_flow flow;
  pst_queue q;
  pst_rate rate{};
  pst_fair_table table{};

  void arrivals() {
    for (const std::uint32_t bytes : {1U, 1500U, 65535U})
      for (const u8 tos : {u8{PST_NOT_ECT}, u8{PST_ECT0}}) {
        u8 label = tos;
        const pst_packet k{.queued_ns = q.now_ns,
                           .bytes = bytes,
                           .kind = PST_KIND_OTHER,
                           .tos = tos,
                           .restrained = false,
                           .answered = tos != 0,
                           .elastic = false,
                           .stream = 0,
                           .pair = 0,
                           .feedback = nullptr,
                           .flow_rate = &rate,
                           .label = &label,
                           .flow = 0};
        const pst_verdict v = pst_port_arrive(&port, &q, &k);
        EXPECT_TRUE(v != PST_MARK || tos == PST_ECT0);
        EXPECT_TRUE(v != PST_SIGNAL || port.config.signal == PST_SIGNAL_WINDOW);
        pst_port_accepted(&port, &q, &k);
        pst_port_overflow(&port, &q, &k);
        pst_port_leave(&port, &q, &k);
        pst_port_left(&port, &q, &k);
      }
  }

  void acks() {
    for (const u64 window : kWindows)
      for (const std::uint32_t mss : {1U, 1448U, 65535U}) {
        const pst_ack a{window, 0, mss, 1, mss, mss, mss, true, true, false};
        EXPECT_LE(pst_stage_allow(&port, &flow, nullptr, &q, &a), window);
      }
  }

  void visit(u64 bytes) {
    q.bytes = bytes;
    q.packets = pst_min(bytes, PST_MAX_PKTS);
    for (const u64 now : kTimes)
      for (const std::uint32_t random : kRandoms) {
        q.now_ns = now;
        q.random = random;
        arrivals();
        pst_port_tick(&port, &q);
        acks();
      }
  }
};

// Of a queue's view as little as it can hold.
constexpr pst_queue least(u64 limit_bytes) {
  pst_queue q{};
  q.limit_bytes = limit_bytes;
  q.flows = 1;
  q.mss_bytes = 1448;
  return q;
}

constexpr pst_queue idle(u64 limit_bytes) {
  pst_queue q = least(limit_bytes);
  q.flows_q16 = PST_Q16_ONE;
  return q;
}

constexpr pst_queue usual() {
  pst_queue q = least(97'000);
  q.rate_bytes_per_s = 500'000;
  q.flows = 24;
  q.flows_q16 = 24 * PST_Q16_ONE;
  q.opening = 9;
  q.silent_q15 = 30'000;
  return q;
}

constexpr pst_queue filled() {
  pst_queue q = least(PST_MAX_BYTES);
  q.others_fill = true;
  return q;
}

// And as much.
constexpr pst_queue greatest(u64 limit_bytes, bool observed) {
  pst_queue q = least(limit_bytes);
  q.limit_packets = PST_MAX_PKTS;
  q.rate_bytes_per_s = PST_MAX_BYTES;
  q.flows = PST_MAX_PKTS;
  q.flows_q16 = ~0ULL;
  q.opening = ~0U;
  q.others_use_q15 = 65535;
  q.silent_q15 = PST_Q15_ONE;
  q.others_fill = true;
  q.observed = observed;
  q.paced = true;
  return q;
}

constexpr pst_queue kQueues[] = {
    idle(1),  greatest(1, true),
    usual(),  greatest(97'000, false),
    filled(), greatest(PST_MAX_BYTES, true),
};

void run_gateway(const pst_gateway_config& config, const pst_queue& queue) {
  Gateway g;
  g.port.config = config;
  g.flow = {};
  g.q = queue;
  g.q.table = &g.table;
  pst_port_init(&g.port, &g.q);
  for (const u64 bytes :
       {u64{0}, queue.limit_bytes / 2, queue.limit_bytes, u64{0}, u64{PST_MAX_BYTES}})
    g.visit(bytes);
}

void check_rows(const pst_method_row& row) {
  for (std::uint32_t i = 0; i < row.param_count; ++i) {
    const pst_param_row& p = row.params[i];
    EXPECT_TRUE(pst_param_in_range(&p, pst_param_default(&p, 97'000))) << p.name;
    EXPECT_EQ(pst_param_find(row.params, row.param_count, p.name), i);
    EXPECT_NE(std::string(p.help), "");
    EXPECT_NE(std::string(p.source), "");
  }
}

pst_gateway_config plain() {
  pst_gateway_config config;
  pst_variant_config(&config, PST_VARIANT_DROPTAIL, 97'000);
  return config;
}

class Disciplines : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Disciplines, KeepTheirPromisesAtTheEndsOfTheirRanges) {
  const pst_method_row& row = pst_discipline_rows[GetParam()];
  check_rows(row);
  for (const std::uint32_t signal : {PST_SIGNAL_DROP, PST_SIGNAL_ECN, PST_SIGNAL_WINDOW})
    for (const pst_queue& queue : kQueues)
      for (const Values& values : parameter_sets(row.params, row.param_count, queue.limit_bytes)) {
        pst_gateway_config config = plain();
        config.discipline = GetParam();
        config.signal = signal;
        for (std::uint32_t i = 0; i < values.size(); ++i)
          pst_field_set(&config.discipline_params, i, values[i]);
        run_gateway(config, queue);
      }
}

INSTANTIATE_TEST_SUITE_P(Registry, Disciplines,
                         testing::Range(0U, std::uint32_t{PST_DISCIPLINE_COUNT}),
                         [](const auto& p) {
                           return std::string(pst_discipline_rows[p.param].name);
                         });

class Laws : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Laws, KeepTheirPromisesAtTheEndsOfTheirRanges) {
  const pst_method_row& row = pst_law_rows[GetParam()];
  check_rows(row);
  for (const pst_queue& queue : kQueues)
    for (const Values& values : parameter_sets(row.params, row.param_count, queue.limit_bytes)) {
      pst_gateway_config config = plain();
      config.law = GetParam();
      for (std::uint32_t i = 0; i < values.size(); ++i)
        pst_field_set(&config.law_params, i, values[i]);
      run_gateway(config, queue);
    }
}

INSTANTIATE_TEST_SUITE_P(Registry, Laws, testing::Range(0U, std::uint32_t{PST_LAW_COUNT}),
                         [](const auto& p) { return std::string(pst_law_rows[p.param].name); });

TEST(Registry, FlowStateIsSmall) { EXPECT_LE(sizeof(pst_law_flow), 64U); }

TEST(Registry, EveryVariantIsFoundByItsName) {
  for (std::uint32_t i = 0; i < PST_VARIANT_COUNT; ++i)
    EXPECT_EQ(pst_variant_find(pst_variant_rows[i].name), i);
}

// Of an ACK for @acked bytes at @now: the longest and the shortest interval, all and nothing lost.
pst_delivery delivery_at(u64 now, u64 acked, u64 total, std::uint32_t turn) {
  pst_delivery d{};
  d.total_bytes = total;
  d.prior_bytes = turn % 3 ? total - acked : 0;
  d.interval_ns = turn % 2 ? 1 : now;
  d.rtt_ns = turn % 4 ? now : 1;
  d.at_ns = now;
  d.acked_bytes = acked;
  d.lost_bytes = turn % 5 ? 0 : acked;
  d.total_lost_bytes = total;
  d.before_bytes = turn % 2 ? PST_MAX_BYTES : 0;
  d.in_flight_bytes = turn % 3 ? 0 : PST_MAX_BYTES;
  d.wait_ns = turn % 2 ? PST_MAX_NS : 0;
  d.recovery = static_cast<enum pst_recovery>(turn % 3);
  d.app_limited = turn % 7 == 0;
  return d;
}

void run_sender(std::uint32_t method, const Values& values, u64 cwnd, std::uint32_t mss) {
  union pst_sender_params params{};
  union pst_sender_state state{};
  for (std::uint32_t i = 0; i < values.size(); ++i) pst_field_set(&params, i, values[i]);
  pst_cwnd w{cwnd, PST_SSTHRESH_MAX};
  pst_sender_view v{};
  v.mss_bytes = mss;
  v.cwnd_limited = true;
  std::uint32_t turn = 0;
  pst_sender_init(method, &params, &state, &v, &w);
  for (const pst_congestion why : {PST_LOSS, PST_ECN, PST_TIMEOUT}) {
    v.flight_bytes = w.bytes;
    w.ssthresh_bytes = pst_sender_congestion(method, &params, &state, &v, &w, why);
    EXPECT_GE(w.ssthresh_bytes, 2ULL * mss);
    w.bytes = why == PST_TIMEOUT ? mss : w.ssthresh_bytes;
    for (const u64 now : kTimes)
      for (const u64 acked : {u64{1}, u64{mss}, w.bytes}) {
        const u64 before = w.bytes;
        v.now_ns = now;
        v.srtt_ns = pst_min(now, PST_MAX_NS);
        v.acked_bytes = acked;
        v.una = v.delivered_bytes = v.una + acked;
        v.sent = std::max<u64>(v.sent, v.una + w.bytes);  // a smaller window takes nothing back
        v.rtt_ns = v.srtt_ns;
        v.min_rtt_ns = (v.srtt_ns + 1) / 2;
        pst_sender_sample(method, &params, &state, &v, &w);
        const pst_delivery d = delivery_at(now, acked, v.delivered_bytes, turn++);
        v.delivery = pst_sender_has_rate(method) ? &d : nullptr;
        pst_sender_ack(method, &params, &state, &v, &w);
        // Vegas takes a segment away where too much waits, and ends slow start at the path; a
        // method with a rate sets its window again.
        const bool shrinks = method == PST_SENDER_VEGAS || v.delivery;
        EXPECT_GE(w.bytes, shrinks ? pst_min(before, (v.delivery ? 1ULL : 2ULL) * mss) : before);
        pst_pacing pacing{};
        pst_sender_pacing(method, &state, &v, &pacing);
        EXPECT_EQ(pacing.burst_bytes >= mss, v.delivery != nullptr);
        if (v.delivery) pst_sender_restart(method, &params, &state, &v, &w);
        EXPECT_LE(w.bytes, PST_MAX_BYTES + 65535);
      }
    pst_sender_recovered(method, &params, &state, &v, &w);
  }
}

class Senders : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Senders, KeepTheirPromisesAtTheEndsOfTheirRanges) {
  const pst_method_row& row = pst_sender_rows[GetParam()];
  EXPECT_EQ(pst_sender_find(row.name), GetParam());
  for (const Values& values : parameter_sets(row.params, row.param_count, 0))
    for (const u64 cwnd : {u64{1}, u64{14'480}, u64{1} << 30, u64{PST_MAX_BYTES}})
      for (const std::uint32_t mss : {1U, 1448U, 65535U}) run_sender(GetParam(), values, cwnd, mss);
}

// RFC 5681 section 3.2: FlightSize without what limited transmit has sent.
TEST_P(Senders, CountNoMoreInFlightThanTheWindow) {
  const pst_method_row& row = pst_sender_rows[GetParam()];
  for (const Values& values : parameter_sets(row.params, row.param_count, 0))
    for (const pst_congestion why : {PST_LOSS, PST_ECN, PST_TIMEOUT}) {
      u64 thresholds[2];
      for (const bool more : {false, true}) {
        pst_sender_params params{};
        pst_sender_state state{};
        for (std::uint32_t i = 0; i < values.size(); ++i) pst_field_set(&params, i, values[i]);
        pst_cwnd w{144'800, 2 * 144'800};
        pst_sender_view v{};
        v.mss_bytes = 1448;
        pst_sender_init(GetParam(), &params, &state, &v, &w);
        v.flight_bytes = more ? 10 * w.bytes : w.bytes;
        thresholds[more] = pst_sender_congestion(GetParam(), &params, &state, &v, &w, why);
      }
      EXPECT_EQ(thresholds[0], thresholds[1]);
    }
}

INSTANTIATE_TEST_SUITE_P(Registry, Senders, testing::Range(0U, std::uint32_t{PST_SENDER_COUNT}),
                         [](const auto& p) { return std::string(pst_sender_rows[p.param].name); });

}  // namespace
