// SPDX-License-Identifier: GPL-2.0-only
// Handshakes some segments of which are forged, or sent by an end that cheats: R7, R35.
#include <gtest/gtest.h>

#include <random>

#include "core/gateway/handshake.h"

namespace {

constexpr u32 kIsn = 999, kAnswerIsn = 4999;
constexpr u8 kScale = 7;

pst_syn syn(bool forward, u32 isn, u8 scale, u16 payload_bytes = 0) {
  pst_syn s{};
  s.at_ns = 1;
  s.isn = isn;
  s.payload_bytes = payload_bytes;
  s.forward = forward;
  s.options.mss_bytes = 1460;
  s.options.scale = scale;
  return s;
}

// Which of the connections open is another test's matter (opening_test.cpp).
pst_flow_count* count() {
  static pst_flow_count all = [] {
    pst_flow_count c{};
    c.interval_ns = PST_NS_PER_S;
    return c;
  }();
  return &all;
}

// The handshake of a flow, opened by the sender of the data (`forward`) or by the receiver.
class Handshake : public testing::TestWithParam<bool> {
 protected:
  bool opener() const { return GetParam(); }
  bool ask(u32 isn, u8 scale, u16 payload_bytes = 0) {
    const pst_syn s = syn(opener(), isn, scale, payload_bytes);
    return pst_handshake_on_syn(&h_, &f_, count(), &s);
  }
  bool answer(u32 isn, u8 scale, u32 ack) {
    const pst_syn s = syn(!opener(), isn, scale);
    return pst_handshake_on_answer(&h_, &f_, count(), &s, ack);
  }
  // By the end that may vary its shift: the receiver's SYN or SYN-ACK.
  void receive(u8 scale, u32 answer_isn = kAnswerIsn) {
    if (opener()) {
      answer(answer_isn, scale, kIsn + 1);
    } else {
      ask(kIsn, scale);
    }
  }
  bool completes(u32 ack = kAnswerIsn + 1) const {
    return pst_handshake_completes(&h_, opener(), ack);
  }

  pst_handshake h_{};
  pst_gateway_flow f_{};
};
INSTANTIATE_TEST_SUITE_P(Openers, Handshake, testing::Bool(),
                         [](const auto& one) { return one.param ? "Sender" : "Receiver"; });

TEST_P(Handshake, R7TheAnsweredSynCounts) {
  for (const u8 forged : {u8{14}, u8{0}, u8{PST_NO_SCALE}}) {
    h_ = {};
    f_ = {};
    EXPECT_TRUE(ask(kIsn, kScale));
    EXPECT_FALSE(ask(77, forged));
    EXPECT_TRUE(answer(kAnswerIsn, kScale, kIsn + 1));
    EXPECT_FALSE(ask(78, forged)) << "nor before the final ACK";
    EXPECT_TRUE(completes());
    EXPECT_EQ(f_.flow.scale, kScale) << int{forged};
  }
}

TEST_P(Handshake, R7ANewConnectionReplacesOneWithoutAnswer) {
  for (const bool was_answered : {false, true}) {
    h_ = {};
    f_ = {};
    ask(77, 3);
    if (was_answered) answer(88, 3, 78);
    ask(kIsn, kScale);
    EXPECT_TRUE(answer(kAnswerIsn, kScale, kIsn + 1));
    EXPECT_TRUE(completes());
    EXPECT_EQ(f_.flow.scale, kScale);
    EXPECT_EQ(f_.flow.reverse_opened, !opener());
  }
}

TEST_P(Handshake, R35AnAnswerToAnotherNumberChangesNothing) {
  ask(kIsn, kScale);
  for (const u32 ack : {0U, kIsn, kIsn + 2, 77U}) EXPECT_FALSE(answer(5, 14, ack)) << ack;
  EXPECT_FALSE(h_.answered);
  EXPECT_TRUE(answer(kAnswerIsn, kScale, kIsn + 1));
  EXPECT_FALSE(answer(5, 14, 77));
  EXPECT_TRUE(completes());
  EXPECT_EQ(f_.flow.scale, kScale);
}

TEST_P(Handshake, R7DataOfTheSynMayBeAcknowledged) {
  ask(kIsn, kScale, 100);
  ask(kIsn, kScale);  // repeated without it
  EXPECT_FALSE(answer(kAnswerIsn, kScale, kIsn + 102));
  EXPECT_TRUE(answer(kAnswerIsn, kScale, kIsn + 101));
  EXPECT_TRUE(completes());
}

// The sender may have taken any of them: one that counted less would free the receiver.
TEST_P(Handshake, R7OfShiftsThatVaryTheLargestCounts) {
  for (const u8 other : {u8{0}, u8{7}, u8{PST_NO_SCALE}})
    for (const bool first : {false, true}) {
      h_ = {};
      f_ = {};
      if (opener()) ask(kIsn, kScale);
      receive(first ? 14 : other);
      receive(first ? other : 14);
      if (!opener()) answer(kAnswerIsn, kScale, kIsn + 1);
      ASSERT_TRUE(completes());
      EXPECT_EQ(f_.flow.scale, 14) << int{other} << first;
    }
}

TEST(Handshakes, R7AnAnswerWithAnotherNumberDoesNotLowerTheScale) {
  pst_handshake h{};
  pst_gateway_flow f{};
  const pst_syn ask = syn(true, kIsn, kScale);
  pst_handshake_on_syn(&h, &f, count(), &ask);
  for (const pst_syn& s : {syn(false, kAnswerIsn, 14), syn(false, kAnswerIsn - 100, 0)})
    pst_handshake_on_answer(&h, &f, count(), &s, kIsn + 1);
  EXPECT_TRUE(pst_handshake_completes(&h, true, kAnswerIsn + 1));
  EXPECT_EQ(f.flow.scale, 14);
}

// Both ends open at once; each answers the other's SYN.
TEST(Handshakes, R7ASimultaneousOpenIsTheFirstOnes) {
  pst_handshake h{};
  pst_gateway_flow f{};
  const pst_syn first = syn(true, kIsn, 3), second = syn(false, kAnswerIsn, 5);
  EXPECT_TRUE(pst_handshake_on_syn(&h, &f, count(), &first));
  EXPECT_FALSE(pst_handshake_on_syn(&h, &f, count(), &second));
  EXPECT_TRUE(pst_handshake_on_answer(&h, &f, count(), &second, kIsn + 1));
  EXPECT_FALSE(pst_handshake_on_answer(&h, &f, count(), &first, kAnswerIsn + 1));
  EXPECT_TRUE(pst_handshake_completes(&h, true, kAnswerIsn + 1));
  EXPECT_EQ(f.flow.scale, 5);
}

// The first SYN was lost beyond the gateway: the other end's is the one that is answered.
TEST(Handshakes, R7AnOpenFromTheOtherSideCounts) {
  pst_handshake h{};
  pst_gateway_flow f{};
  const pst_syn lost = syn(true, kIsn, 3), open = syn(false, kAnswerIsn, 5);
  pst_handshake_on_syn(&h, &f, count(), &lost);
  pst_handshake_on_syn(&h, &f, count(), &open);
  EXPECT_TRUE(pst_handshake_on_answer(&h, &f, count(), &lost, kAnswerIsn + 1));
  EXPECT_TRUE(pst_handshake_completes(&h, false, kIsn + 1));
  EXPECT_TRUE(f.flow.reverse_opened);
  EXPECT_EQ(f.flow.scale, 5);
}

// Who does not see the connection forges SYNs and SYN-ACKs at any time, perhaps after a dead
// connection of the same ports: what completes has the true scale, and what nobody could
// have displaced completes.
TEST(Handshakes, R35NoForgedSynGivesAnotherScale) {
  std::mt19937 random(7);
  const auto below = [&](u32 n) { return static_cast<u32>(random() % n); };
  const auto shift = [&] { return static_cast<u8>(below(16) ? below(15) : PST_NO_SCALE); };
  int completed = 0, displaced = 0;
  for (int play = 0; play < 100'000; ++play) {
    pst_handshake h{};
    pst_gateway_flow f{};
    const bool opener = below(2) != 0;
    const u32 isn = static_cast<u32>(random()), answer_isn = static_cast<u32>(random());
    const pst_syn ask = syn(opener, isn, shift());
    const pst_syn answer =
        syn(!opener, answer_isn, ask.options.scale == PST_NO_SCALE ? u8{PST_NO_SCALE} : shift());
    const u8 receivers = opener ? answer.options.scale : ask.options.scale;
    const u8 scale = answer.options.scale == PST_NO_SCALE ? u8{0} : receivers;
    const auto forge = [&] {
      for (u32 i = below(4); i; --i) {
        const pst_syn s = syn(below(2) != 0, isn + 1 + below(1U << 31), shift());
        if (below(2)) {
          pst_handshake_on_syn(&h, &f, count(), &s);
        } else {
          pst_handshake_on_answer(&h, &f, count(), &s, isn + 2 + below(1U << 31));
        }
      }
    };
    if (below(2)) forge();
    pst_handshake_on_syn(&h, &f, count(), &ask);
    const bool is_first = h.opener.isn == isn && h.opener.forward == opener;
    if (below(2)) forge();
    if (below(4) == 0) pst_handshake_on_syn(&h, &f, count(), &ask);
    const bool is_kept = is_first || h.rival.isn == isn;
    for (u32 i = 1 + below(2); i; --i) pst_handshake_on_answer(&h, &f, count(), &answer, isn + 1);
    forge();
    if (!pst_handshake_completes(&h, opener, answer_isn + 1)) {
      ASSERT_FALSE(is_kept) << "play " << play;
      ++displaced;
      continue;
    }
    ++completed;
    ASSERT_EQ(f.flow.scale, scale) << "play " << play;
    ASSERT_EQ(f.flow.reverse_opened, !opener) << "play " << play;
  }
  EXPECT_GT(completed, 80'000);
  EXPECT_GT(displaced, 100);
}

}  // namespace
