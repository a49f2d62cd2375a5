// SPDX-License-Identifier: GPL-2.0-only
// Accurate ECN alone, with the values of RFC 9768: negotiation, the field, the option.
#include "sim/tcp/accecn.h"

#include <gtest/gtest.h>

namespace penstock::tcp {
namespace {

Segment with_ace(unsigned ace, std::uint8_t flags = kAck, Ecn ecn = kNotEct) {
  Segment s{};
  s.flags = flags;
  s.ecn = ecn;
  set_ace(s, ace);
  return s;
}

Segment data(Ecn ecn, std::uint16_t bytes = 1'000) {
  Segment s{};
  s.flags = kAck;
  s.ecn = ecn;
  s.payload_bytes = bytes;
  return s;
}

EcnNegotiation accurate(Ecn sent = kNotEct) { return {false, true, true, sent}; }

TEST(EcnNegotiation, HasTheFlagsOfTable2) {
  struct Case {
    unsigned ace;
    EcnMode mode;
    bool capable;
  };
  // Of a SYN that left not ECN-capable: any codepoint but that is the work of a middlebox.
  for (const Case c : std::initializer_list<Case>{{0b010, EcnMode::kAccurate, true},
                                                  {0b011, EcnMode::kAccurate, false},
                                                  {0b100, EcnMode::kAccurate, false},
                                                  {0b110, EcnMode::kAccurate, false},
                                                  {0b101, EcnMode::kAccurate, true},
                                                  {0b001, EcnMode::kClassic, true},
                                                  {0b000, EcnMode::kNone, true},
                                                  {0b111, EcnMode::kNone, true}}) {
    EcnNegotiation ecn = accurate();
    ecn.hear_syn_ack(with_ace(c.ace, kSyn | kAck));
    EXPECT_EQ(ecn.mode(), c.mode) << c.ace;
    EXPECT_EQ(ecn.capable(), c.capable) << c.ace;
  }
  EcnNegotiation marked = accurate(kEct0);
  marked.hear_syn_ack(with_ace(0b110, kSyn | kAck));
  EXPECT_TRUE(marked.capable());  // what left ECN-capable may be marked
}

TEST(EcnNegotiation, AnswersAnyOtherRequestAsOneForAccurateEcn) {
  for (unsigned ace = 0; ace < 8; ++ace) {
    EcnNegotiation server = accurate(), classic(true, false, false, kNotEct);
    server.hear_syn(with_ace(ace, kSyn));
    classic.hear_syn(with_ace(ace, kSyn));
    const EcnMode mode = ace == 0       ? EcnMode::kNone
                         : ace == 0b011 ? EcnMode::kClassic
                                        : EcnMode::kAccurate;
    EXPECT_EQ(server.mode(), mode) << ace;
    EXPECT_EQ(classic.mode(), (ace & 0b011) == 0b011 ? EcnMode::kClassic : EcnMode::kNone) << ace;
  }
}

TEST(EcnNegotiation, SaysHowASynArrived) {
  for (const auto& [ecn, ace] : std::initializer_list<std::pair<Ecn, unsigned>>{
           {kNotEct, 0b010}, {kEct1, 0b011}, {kEct0, 0b100}, {kCe, 0b110}}) {
    EcnNegotiation server = accurate();
    Segment answer{}, again{}, last{};
    answer.flags = again.flags = last.flags = kSyn | kAck;
    server.hear_syn(with_ace(0b111, kSyn, ecn));
    server.answer(answer);
    EXPECT_EQ(ace_of(answer), ace);
    EXPECT_TRUE(has_accecn(answer));
    EXPECT_EQ(tcp_header_bytes(answer), 20U + 12U);
    server.on_loss();
    server.answer(again);
    EXPECT_EQ(ace_of(again), ace);
    EXPECT_FALSE(has_accecn(again));
    server.on_loss();
    server.answer(last);
    EXPECT_EQ(ace_of(last), 0U);
  }
}

TEST(EcnNegotiation, AsksOnceMoreAndThenForNone) {
  EcnNegotiation client = accurate();
  const auto asked = [&client] {
    Segment s = with_ace(0, kSyn);
    client.ask(s);
    return ace_of(s);
  };
  EXPECT_EQ(asked(), 0b111U);
  client.on_loss();
  EXPECT_EQ(asked(), 0b111U);
  client.on_loss();
  EXPECT_EQ(asked(), 0U);
  client.hear_syn_ack(with_ace(0b010, kSyn | kAck));  // of the first SYN
  EXPECT_TRUE(client.accurate());
}

TEST(EcnNegotiation, OfBothKindsOfSynSendsNothingCapable) {
  EcnNegotiation server = accurate(), refused = accurate();
  server.hear_syn(with_ace(0b111, kSyn));
  server.hear_syn(with_ace(0, kSyn));
  EXPECT_TRUE(server.accurate());
  EXPECT_FALSE(server.capable());
  refused.hear_syn(with_ace(0, kSyn));
  refused.hear_syn(with_ace(0b111, kSyn));
  EXPECT_EQ(refused.mode(), EcnMode::kNone);
}

// Table 4.
TEST(EcnNegotiation, TakesTheThirdAck) {
  for (unsigned ace = 0; ace < 8; ++ace) {
    EcnNegotiation server = accurate(kEct0);
    server.hear_syn(with_ace(0b111, kSyn));
    EXPECT_EQ(server.hear_third_ack(with_ace(ace)), ace == 0b110) << ace;
    EXPECT_EQ(server.capable(), ace != 0 && ace != 0b010) << ace;  // 010: it was bleached
  }
  EcnNegotiation late = accurate();
  late.hear_syn(with_ace(0b111, kSyn));
  Segment first = with_ace(0b110);
  first.payload_bytes = 1;
  EXPECT_FALSE(late.hear_third_ack(first));  // a counter, as it has data
  EXPECT_TRUE(late.capable());
}

TEST(EcnNegotiation, FirstFeedbackOfZerosHasPassedAMiddlebox) {
  EcnNegotiation client = accurate(), other = accurate();
  client.hear_feedback(with_ace(0));
  EXPECT_FALSE(client.capable());
  other.hear_feedback(with_ace(5));
  other.hear_feedback(with_ace(0));  // three marks later
  EXPECT_TRUE(other.capable());
}

TEST(AccEcnEcho, CountsFromFiveModuloEight) {
  AccEcnEcho echo(false);
  for (const unsigned expected : {6U, 7U, 0U, 1U, 2U, 3U, 4U, 5U, 6U}) {
    echo.take(data(kCe, 0));  // a pure ACK counts too
    Segment ack{};
    echo.give(ack, true);
    EXPECT_EQ(ace_of(ack), expected);
    EXPECT_FALSE(has_accecn(ack));  // the peer has sent none
  }
  Segment first{};
  AccEcnEcho(true).give(first, false);
  EXPECT_EQ(ace_of(first), 6U);  // of a marked SYN-ACK
}

TEST(AccEcnEcho, AsksForAnAckOfTheFirstMarkAndOfEachSecond) {
  AccEcnEcho echo(false);
  EXPECT_FALSE(echo.take(data(kEct0)));
  EXPECT_TRUE(echo.take(data(kCe)));
  Segment ack{};
  echo.give(ack, false);
  EXPECT_FALSE(echo.take(data(kCe)));
  EXPECT_TRUE(echo.take(data(kCe)));
}

TEST(AccEcnEcho, HasACounterOfBytesForEachCodepoint) {
  AccEcnEcho echo(false);
  echo.see_option();
  echo.take(data(kEct0, 100));
  echo.take(data(kEct1, 20));
  echo.take(data(kCe, 3));
  echo.take(data(kNotEct, 4));
  Segment ack{};
  echo.give(ack, true);
  ASSERT_TRUE(has_accecn(ack));
  EXPECT_EQ(ack.accecn.counters, 3U);
  EXPECT_EQ(ack.accecn.first, 21U);  // ECT(1) from 1, CE from 0, ECT(0) from 1
  EXPECT_EQ(ack.accecn.second, 3U);
  EXPECT_EQ(third_counter(ack), 101U);
}

TEST(AccEcnEcho, MakesRoomBesideTwoBlocks) {
  AccEcnEcho echo(false);
  echo.see_option();
  echo.take(data(kEct1));
  Segment ack{};
  ack.options = kTimestamps | 3;
  echo.give(ack, true);
  EXPECT_EQ(ack.options & kSackCountMask, 2);
  EXPECT_EQ(ack.accecn.counters, 2U);
  EXPECT_EQ(tcp_header_bytes(ack), 60U);  // 20 + 12 + 20 + 8: all that there is
  echo.take(data(kEct0));  // its counter is the third
  Segment full{};
  full.options = kTimestamps | 3;
  echo.give(full, true);
  EXPECT_EQ(full.options & kSackCountMask, 3);
  EXPECT_FALSE(has_accecn(full));
}

TEST(AccEcnEcho, LeavesOutWhatASegmentHasNoRoomFor) {
  AccEcnEcho echo(false);
  echo.see_option();
  Segment s{};
  echo.give(s, true, 11);
  EXPECT_FALSE(has_accecn(s));
  echo.give(s, true, 12);
  EXPECT_TRUE(has_accecn(s));
}

TEST(AccEcnFeedback, CountsWhatTheFieldHasGrownBy) {
  AccEcnFeedback feedback(false);
  EXPECT_EQ(feedback.take(with_ace(5), 2'000, 1'000), 0U);
  EXPECT_EQ(feedback.take(with_ace(6), 2'000, 1'000), 1'000U);
  EXPECT_EQ(feedback.take(with_ace(0), 2'000, 1'000), 2'000U);
  EXPECT_EQ(feedback.ce_packets(), 3U);
}

// Appendix A.2: nine segments of which the field says none may be eight.
TEST(AccEcnFeedback, AssumesTheMostThatTheFieldCanMean) {
  AccEcnFeedback seldom(false), often(false);
  EXPECT_EQ(seldom.take(with_ace(5), 1'000, 1'000), 0U);
  EXPECT_EQ(seldom.take(with_ace(5), 9'000, 1'000), 8'000U);
  EXPECT_EQ(often.take(with_ace(5), 9'000, 1'000), 0U);  // where ACKs are few, as they always are
}

Segment with_option(unsigned ace, std::uint32_t ect1, std::uint32_t ce, std::uint32_t ect0) {
  Segment s = with_ace(ace);
  put_accecn(s, ect1, ce, ect0);
  return s;
}

TEST(AccEcnFeedback, KnowsByTheOptionWhetherTheFieldHasWrapped) {
  AccEcnFeedback none(false), nine(false);
  none.take(with_ace(5), 1'000, 1'000);
  nine.take(with_ace(5), 1'000, 1'000);
  EXPECT_EQ(none.take(with_option(5, 1, 0, 9'001), 9'000, 1'000), 0U);
  EXPECT_EQ(none.ce_packets(), 0U);
  EXPECT_EQ(none.bytes(kEct0), 9'000U);
  EXPECT_EQ(nine.take(with_option(6, 1, 9'000, 1), 9'000, 1'000), 9'000U);
  EXPECT_EQ(nine.ce_packets(), 9U);
}

TEST(AccEcnFeedback, CountersWrapAndNeverGoBack) {
  AccEcnFeedback feedback(false);
  feedback.take(with_option(5, 1, 0, 0x700'000), 1'000, 1'000);
  feedback.take(with_option(5, 1, 0, 0xe00'000), 1'000, 1'000);
  feedback.take(with_option(5, 1, 0, 0x000'010), 1'000, 1'000);
  EXPECT_EQ(feedback.bytes(kEct0), 0x1'000'00fU);
  feedback.take(with_option(5, 1, 0, 0x000'001), 1'000, 1'000);  // older
  EXPECT_EQ(feedback.bytes(kEct0), 0x1'000'00fU);
}

TEST(AccEcnFeedback, ReadsEitherOrder) {
  AccEcnFeedback feedback(false);
  Segment s = with_option(5, 11, 0, 101);
  s.accecn.order1 = 0;  // kind 172: ECT(0) first
  feedback.take(s, 1'000, 1'000);
  EXPECT_EQ(feedback.bytes(kEct0), 10U);
  EXPECT_EQ(feedback.bytes(kEct1), 100U);
}

}  // namespace
}  // namespace penstock::tcp
