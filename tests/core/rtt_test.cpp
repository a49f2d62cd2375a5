// SPDX-License-Identifier: GPL-2.0-only
// R31: the round trip that a gateway measures: its two parts, Karn's rule, and the queue's
// wait left out.
#include <gtest/gtest.h>

#include "core/gateway/gateway.h"

namespace {

constexpr std::uint64_t kMs = 1'000'000;

// A connection at time 0: SYN, SYN-ACK after `first`, final ACK after `second` more.
pst_rtt opened(bool reverse_opened, std::uint64_t first, std::uint64_t second) {
  pst_rtt r{};
  pst_rtt_on_syn(&r, true, 1);
  pst_rtt_on_syn(&r, false, 1 + first);
  pst_rtt_on_third(&r, reverse_opened, 1 + first + second);
  return r;
}

TEST(Rtt, TheHandshakeGivesBothParts) {
  const pst_rtt forward = opened(false, 30 * kMs, 10 * kMs);
  EXPECT_EQ(forward.far_ns, 30 * kMs);
  EXPECT_EQ(forward.near_ns, 10 * kMs);
  EXPECT_EQ(pst_rtt_get(&forward), 40 * kMs);
  const pst_rtt reverse = opened(true, 30 * kMs, 10 * kMs);
  EXPECT_EQ(reverse.near_ns, 30 * kMs);
  EXPECT_EQ(pst_rtt_get(&reverse), 40 * kMs);
}

TEST(Rtt, ARepeatedSynGivesNoTime) {
  for (const bool opener : {true, false}) {
    pst_rtt r{};
    pst_rtt_on_syn(&r, true, 1);
    if (!opener) pst_rtt_on_syn(&r, false, 2);
    pst_rtt_on_syn(&r, opener, 3);
    if (opener) pst_rtt_on_syn(&r, false, 4);
    pst_rtt_on_third(&r, false, 5);
    EXPECT_EQ(pst_rtt_get(&r), 0U);
    EXPECT_EQ(r.opened_ns, 1U) << "the connection began with the first";
  }
}

// Pacing lets it pass later than the packet that it is answered by, if that was forged.
TEST(Rtt, ASynAckThatIsDelayedGivesNoPartBelowZero) {
  pst_rtt r{};
  pst_rtt_on_syn(&r, true, 1);
  pst_rtt_on_syn(&r, false, 1 + 30 * kMs);
  pst_rtt_on_third(&r, false, 1 + 10 * kMs);
  EXPECT_EQ(r.near_ns, 1U);
}

TEST(Rtt, OnlyTheFirstPacketAfterTheAnswerCounts) {
  pst_rtt r = opened(false, 30 * kMs, 10 * kMs);
  pst_rtt_on_third(&r, false, 500 * kMs);
  EXPECT_EQ(pst_rtt_get(&r), 40 * kMs);
}

TEST(Rtt, DataIsTimedFromWhenItLeavesTheQueue) {
  pst_rtt r = opened(false, 30 * kMs, 10 * kMs);
  pst_flow f{};
  // 25,000 bytes at 2.5 MB/s wait for 10 ms.
  const std::uint64_t leaves_ns = pst_rtt_departure_ns(100 * kMs, 25'000, 2'500'000);
  EXPECT_EQ(leaves_ns, 110 * kMs);
  pst_rtt_on_data(&r, &f, 1000, leaves_ns);
  pst_rtt_on_ack(&r, 999, 0, 120 * kMs);
  EXPECT_TRUE(r.probing) << "an ACK below the segment's end is none of it";
  pst_rtt_on_ack(&r, 1000, 0, 130 * kMs);
  EXPECT_EQ(pst_rtt_get(&r), 10 * kMs + 20 * kMs);
}

TEST(Rtt, WhatAnAckHasWaitedElsewhereIsNoneOfThePath) {
  pst_rtt r = opened(false, 30 * kMs, 10 * kMs);
  const pst_flow f{};
  pst_rtt_on_data(&r, &f, 1000, 100 * kMs);
  EXPECT_EQ(pst_rtt_on_ack(&r, 1000, 50 * kMs, 170 * kMs), 20 * kMs);
  EXPECT_EQ(pst_rtt_get(&r), 10 * kMs + 20 * kMs);
  pst_rtt_on_data(&r, &f, 2000, 200 * kMs);
  EXPECT_EQ(pst_rtt_on_ack(&r, 2000, 50 * kMs, 230 * kMs), 0U) << "more than all of the trip";
  EXPECT_EQ(pst_rtt_get(&r), 10 * kMs + 20 * kMs);
}

TEST(Rtt, WhatAnAckIsToWaitBehindTheGatewayIsNoneOfThePath) {
  pst_rtt r = opened(true, 30 * kMs, 10 * kMs);
  pst_rtt_on_grant(&r, 5000, true, 1050 * kMs);  // it passes at 1,000 ms, and waits for 50
  pst_rtt_on_arrival(&r, 6448, 1070 * kMs);
  EXPECT_EQ(pst_rtt_near_ns(&r), 20 * kMs);
  pst_rtt_on_grant(&r, 8000, true, 1250 * kMs);
  pst_rtt_on_arrival(&r, 9448, 1240 * kMs);
  EXPECT_EQ(pst_rtt_near_ns(&r), 20 * kMs) << "it has waited less";
}

TEST(Rtt, ARetransmissionEndsTheProbe) {
  pst_rtt r = opened(false, 30 * kMs, 10 * kMs);
  pst_flow f{};
  pst_rtt_on_data(&r, &f, 1000, 100 * kMs);
  pst_flow_on_data(&f, 0, 1000);
  pst_rtt_on_data(&r, &f, 1000, 105 * kMs);
  pst_rtt_on_ack(&r, 1000, 0, 106 * kMs);
  EXPECT_EQ(pst_rtt_get(&r), 40 * kMs);
}

TEST(Rtt, TheLeastOfThisPeriodAndTheLastCounts) {
  pst_rtt r = opened(false, 30 * kMs, 10 * kMs);
  std::uint64_t now_ns = r.period_start_ns + PST_RTT_PERIOD_NS;
  pst_rtt_sample_far(&r, 80 * kMs, now_ns);
  EXPECT_EQ(pst_rtt_get(&r), 40 * kMs) << "the handshake's is of the period before";
  now_ns += PST_RTT_PERIOD_NS;
  pst_rtt_sample_far(&r, 90 * kMs, now_ns);
  EXPECT_EQ(pst_rtt_get(&r), 90 * kMs) << "the path has become longer";
  now_ns += 5 * PST_RTT_PERIOD_NS;
  pst_rtt_sample_far(&r, 200 * kMs, now_ns);
  EXPECT_EQ(pst_rtt_get(&r), 210 * kMs) << "after a pause the period before says nothing";
}

TEST(Rtt, AnAckBeforeTheExpectedDepartureGivesNoSample) {
  pst_rtt r = opened(false, 30 * kMs, 10 * kMs);
  const pst_flow f{};
  pst_rtt_on_data(&r, &f, 1000, 500 * kMs);
  pst_rtt_on_ack(&r, 1000, 0, 400 * kMs);
  EXPECT_EQ(pst_rtt_get(&r), 40 * kMs);
}

TEST(Rtt, AQueueOfAnyLengthIsDividedExactly) {
  __extension__ using Wide = unsigned __int128;
  for (const std::uint64_t bytes : {1ULL, 90'000ULL, (1ULL << 32) - 1, 1ULL << 32, 1ULL << 39})
    for (const std::uint64_t rate : {1ULL << 20, 12'500'001ULL, PST_MAX_BYTES})
      EXPECT_EQ(pst_rtt_departure_ns(7, bytes, rate),
                7 + static_cast<std::uint64_t>(Wide{bytes} * PST_NS_PER_S / rate))
          << bytes << ' ' << rate;
}

TEST(Rtt, AQueueThatTakesLongerThanAnyClockTakesAsLong) {
  constexpr std::uint64_t longest_ns = (1ULL << 63) - 1;
  EXPECT_EQ(pst_rtt_departure_ns(7, PST_MAX_BYTES, 1), 7 + longest_ns);
  EXPECT_LT(pst_rtt_departure_ns(0, PST_MAX_BYTES, 125), longest_ns);
}

TEST(Rtt, NoRateMeansNoWait) { EXPECT_EQ(pst_rtt_departure_ns(7, 1'000'000, 0), 7U); }

// The handshake met a full uplink: 385 ms. The window's edge moves; what lies beyond answers it.
TEST(Rtt, R31TheHandshakesQueueIsForgotten) {
  pst_rtt r = opened(false, 20 * kMs, 385 * kMs);
  pst_rtt_on_grant(&r, 5000, true, 1000 * kMs);
  pst_rtt_on_grant(&r, 6000, true, 1010 * kMs);
  pst_rtt_on_arrival(&r, 5000, 1005 * kMs);
  EXPECT_EQ(r.near_ns, 385 * kMs) << "it could be sent before";
  pst_rtt_on_arrival(&r, 5001, 1006 * kMs);
  EXPECT_EQ(r.near_ns, 385 * kMs) << "a zero-window probe could be, too";
  pst_rtt_on_arrival(&r, 6448, 1020 * kMs);
  EXPECT_EQ(pst_rtt_get(&r), 40 * kMs);
  pst_rtt_on_arrival(&r, 7896, 1021 * kMs);
  EXPECT_EQ(pst_rtt_get(&r), 40 * kMs) << "one sample for each ACK that is timed";
  pst_rtt_on_grant(&r, 8000, true, 1030 * kMs);
  pst_rtt_on_arrival(&r, 9448, 2030 * kMs);
  EXPECT_EQ(pst_rtt_get(&r), 40 * kMs) << "an application that writes late";
}

TEST(Rtt, R31AGatewayTakesItFromAFlowThatFillsItsWindow) {
  pst_port port{};
  pst_gateway_flow f{};
  pst_queue q{};
  port.config.law = PST_LAW_NONE;
  port.config.flow_interval_ns = PST_NS_PER_S;
  pst_port_init(&port, &q);
  pst_options options{};
  options.mss_bytes = 1460;
  pst_gateway_syn(&f, true, 999, &options, kMs);
  pst_gateway_syn(&f, false, 0, &options, 21 * kMs);
  pst_gateway_opened(&f, true, 406 * kMs);
  u32 seq = 1000;
  for (std::uint64_t turn = 0; turn < 4; ++turn) {
    q.now_ns = (500 + 40 * turn) * kMs;
    const pst_ack_header h{seq, 1460, false, true};
    pst_port_back(&port, &f, nullptr, nullptr, &q, &h);
    q.now_ns += 20 * kMs;
    pst_gateway_data(&port, &f, nullptr, &q, seq, 1460, 1460, 0, q.now_ns);
    seq += 1460;
  }
  EXPECT_EQ(f.rtt.near_ns, 20 * kMs);
}

// An ACK at `ms` is timed, as its TSval is another one than that of the ACK before.
void ask(pst_rtt& r, u32 edge, u64 ms, u32 val) {
  for (const u32 each : {val - 1, val}) {
    pst_rtt_on_grant(&r, edge, true, ms * kMs);
    ASSERT_TRUE(r.asks_stamp);
    EXPECT_FALSE(r.stamped);
    pst_rtt_stamp(&r, true, each);
  }
  ASSERT_TRUE(r.stamped);
}

// ACKs at `ms`, each of them answered `near` later by data that has waited `wait` on its way.
void answer(pst_rtt& r, u64 from_ms, u64 until_ms, u64 near_ms, u64 wait_ms) {
  for (u64 ms = from_ms; ms < until_ms; ms += 400) {
    const auto val = static_cast<u32>(ms);
    ask(r, 5000, ms, val);
    const u64 now_ns = (ms + near_ms) * kMs;
    ASSERT_TRUE(pst_rtt_awaits_echo(&r, now_ns));
    EXPECT_FALSE(pst_rtt_is_echo(&r, 5001, val - 1)) << "what an earlier ACK let out";
    ASSERT_TRUE(pst_rtt_is_echo(&r, 5001, val));
    pst_rtt_on_echo(&r, wait_ms * kMs, now_ns);
    EXPECT_FALSE(r.granting);
  }
}

TEST(Rtt, R31WhatAcksWaitInAFullUplinkIsPathWhileItLasts) {
  pst_rtt r = opened(false, 10 * kMs, 30 * kMs);
  answer(r, 10'000, 14'000, 350, 0);
  EXPECT_NEAR(static_cast<double>(pst_rtt_get(&r)), 360 * kMs, kMs);
  answer(r, 14'000, 18'000, 30, 0);
  EXPECT_EQ(pst_rtt_get(&r), 40 * kMs);
  EXPECT_EQ(r.near_ns, 30 * kMs) << "the minimum has not risen";
}

TEST(Rtt, R31WhatDataWaitsBeforeTheGatewayIsNoPath) {
  pst_rtt r = opened(false, 10 * kMs, 30 * kMs);
  answer(r, 10'000, 14'000, 350, 320);
  EXPECT_EQ(pst_rtt_get(&r), 40 * kMs);
}

TEST(Rtt, R31TheFirstAckOfATickIsTimed) {
  pst_rtt r = opened(false, 10 * kMs, 30 * kMs);
  for (const u64 ms : {1000U, 1003U, 1006U, 1009U}) {  // of a clock that ticks every 10 ms
    pst_rtt_on_grant(&r, 5000, true, ms * kMs);
    ASSERT_TRUE(r.asks_stamp) << "not yet";
    pst_rtt_stamp(&r, true, 100);
    EXPECT_FALSE(r.stamped) << "an ACK before may have the same";
  }
  pst_rtt_on_grant(&r, 5000, true, 1012 * kMs);
  pst_rtt_stamp(&r, true, 101);
  EXPECT_TRUE(r.stamped);
  EXPECT_EQ(r.grant_ns, 1012 * kMs);
}

TEST(Rtt, R31JitterIsNoPath) {
  pst_rtt r = opened(false, 10 * kMs, 30 * kMs);
  answer(r, 10'000, 14'000, 41, 0);
  EXPECT_EQ(pst_rtt_get(&r), 40 * kMs);
  answer(r, 14'000, 18'000, 42, 0);
  EXPECT_NEAR(static_cast<double>(pst_rtt_get(&r)), 52 * kMs, kMs);
}

TEST(Rtt, R31ASenderThatDeniesItsAcksShowsThemByItsEdge) {
  pst_rtt r = opened(false, 10 * kMs, 30 * kMs);
  ask(r, 5000, 1000, 1000);
  EXPECT_FALSE(pst_rtt_is_echo(&r, 5001, 0));
  EXPECT_TRUE(pst_rtt_is_echo(&r, 6448, 0));
}

TEST(Rtt, R31AnAckThatIsAnsweredByDataOfUnknownWaitMakesRoomForTheNext) {
  pst_rtt r = opened(false, 10 * kMs, 30 * kMs);
  ask(r, 5000, 1000, 1000);
  pst_rtt_miss_echo(&r, 5001);
  EXPECT_FALSE(r.granting);
  pst_rtt_on_grant(&r, 5000, true, 1005 * kMs);
  EXPECT_FALSE(r.asks_stamp) << "not of each";
  r.granting = false;
  ask(r, 5000, 1200, 1200);
  pst_rtt_miss_echo(&r, 6448);
  pst_rtt_on_arrival(&r, 6448, 1220 * kMs);
  EXPECT_EQ(r.near_ns, 20 * kMs) << "but its edge says what it always did";
}

TEST(Rtt, R31WhatIsSentAgainGivesNoEcho) {
  pst_rtt r = opened(false, 10 * kMs, 30 * kMs);
  ask(r, 5000, 1000, 1000);
  pst_rtt_on_again(&r, 1010 * kMs);
  EXPECT_FALSE(pst_rtt_awaits_echo(&r, 2000 * kMs));
  pst_rtt_on_grant(&r, 6000, true, 1050 * kMs);
  EXPECT_FALSE(r.asks_stamp) << "its congestion window holds new data back";
  pst_rtt_on_grant(&r, 7000, true, 1200 * kMs);
  EXPECT_TRUE(r.asks_stamp);
}

TEST(Rtt, R31WhoNeverFillsHisWindowIsTimedOnceHeHasMore) {
  pst_rtt r = opened(false, 10 * kMs, 30 * kMs);
  pst_rtt_on_grant(&r, 90'000, false, 1000 * kMs);
  EXPECT_FALSE(r.asks_stamp);
  pst_rtt_on_grant(&r, 91'000, true, 1200 * kMs);
  EXPECT_TRUE(r.asks_stamp);
  pst_rtt_stamp(&r, false, 0);
  pst_rtt_on_grant(&r, 92'000, true, 1400 * kMs);
  EXPECT_EQ(r.grant_ns, 1200 * kMs) << "without timestamps his edge alone says something";
}

TEST(Rtt, R31WhoDoesNotFillHisWindowIsTimedAgain) {
  pst_rtt r = opened(false, 10 * kMs, 30 * kMs);
  answer(r, 10'000, 11'000, 30, 0);
  pst_rtt_on_grant(&r, 90'000, false, 12'000 * kMs);
  ASSERT_TRUE(r.granting);
  pst_rtt_on_grant(&r, 91'000, true, 12'200 * kMs);
  EXPECT_TRUE(r.asks_stamp);
  EXPECT_EQ(r.grant_ns, 12'200 * kMs);
}

// R35: who does not know the numbers cannot shorten the round trip.
TEST(Rtt, R31DataBeyondEveryWindowAnswersNoAck) {
  pst_gateway_state state{};
  pst_gateway_flow f{};
  f.rtt = opened(false, 10 * kMs, 30 * kMs);
  f.flow.has_sent = f.flow.has_edge = true;
  f.flow.sent = 5000;
  f.flow.edge = 20'000;
  f.one_way.base_ns = 900 * kMs;
  f.one_way.base_val = 1;
  f.one_way.first_units = static_cast<u32>(900 * kMs >> PST_ONE_WAY_SHIFT);
  f.one_way.tick = PST_TICK_MS;
  f.one_way.judged = PST_ONE_WAY_SURE;
  ask(f.rtt, 15'000, 1000, 1000);
  const pst_stamps forged{.end = 0x4000'0000, .val = 2, .echo = 1000};
  pst_gateway_take_echo(&state, &f, &forged, 1027 * kMs, false);
  EXPECT_EQ(f.rtt.near_ns, 30 * kMs);
  EXPECT_TRUE(f.rtt.granting);
  const pst_stamps own{.end = 6448, .val = 100, .echo = 1000};
  pst_gateway_take_echo(&state, &f, &own, 1027 * kMs, false);
  EXPECT_EQ(f.rtt.near_ns, 27 * kMs);
  EXPECT_FALSE(f.rtt.granting);
}

TEST(Rtt, R31WhoHasNoMoreToSendIsNotTimed) {
  pst_rtt r = opened(false, 10 * kMs, 30 * kMs);
  pst_rtt_on_grant(&r, 5000, false, 1000 * kMs);
  EXPECT_FALSE(r.asks_stamp);
  EXPECT_FALSE(pst_rtt_awaits_echo(&r, 3000 * kMs));
}

// A longer path: the minimum of the last two periods rises, not that of all time.
TEST(Rtt, R31APathThatBecomesLongerIsFound) {
  pst_flow f{};
  pst_rtt r{};
  r.near_ns = 20 * kMs;
  const auto samples = [&](u64 from_ms, u64 until_ms, u64 far_ms) {
    for (u64 ms = from_ms; ms < until_ms; ms += 200) {
      const u32 end = f.sent + 1448;
      pst_rtt_on_data(&r, &f, end, ms * kMs);
      pst_flow_take_data(&f, end - 1448, 1448);
      pst_rtt_on_ack(&r, end, 0, (ms + far_ms) * kMs);
    }
  };
  samples(20'000, 25'000, 30);
  EXPECT_EQ(pst_rtt_get(&r), 50 * kMs);
  samples(25'000, 50'000, 80);
  EXPECT_EQ(pst_rtt_get(&r), 100 * kMs);
}

}  // namespace
