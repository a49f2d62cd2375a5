// SPDX-License-Identifier: GPL-2.0-only
// Connections that open: how many first flights are expected, and under a flood of SYNs.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "core/describe.h"
#include "core/gateway/handshake.h"

namespace {

constexpr u64 kMs = 1'000'000;
constexpr u32 kMss = 1448;

// `penstock` on a link of 20 Mbit/s with 97 kB and 40 ms.
class Opening : public testing::Test {
 protected:
  Opening() {
    queue_.limit_bytes = 97'000;
    queue_.rate_bytes_per_s = 2'500'000;
    queue_.mss_bytes = kMss;
    queue_.flows = 1;
    queue_.now_ns = 1000 * kMs;
    pst_variant_config(&config_, PST_VARIANT_PENSTOCK, queue_.limit_bytes);
    pst_port_init(&port_, &queue_);
    state_.law.penstock.rtt_ns_q16 = 40 * kMs << 16;
  }

  void syn(pst_gateway_flow& f) {
    const pst_options o = options();
    const pst_data_header h{.seq = 999,
                            .payload_bytes = 0,
                            .segment_bytes = 0,
                            .ecn = 0,
                            .fin = false,
                            .push = false,
                            .reset = false,
                            .syn = &o};
    pst_gateway_forward(&port_, &f, nullptr, &queue_, &h);
  }
  // In segments, the first flight that the SYN-ACK allows.
  u32 answer(pst_gateway_flow& f) {
    const pst_options o = options();
    const pst_ack_header h{.ack = 1000, .field = 65'535, .syn = true, .pure = false};
    return pst_port_back_segment(&port_, &f, nullptr, nullptr, &queue_, &h, 0, &o).out.field / kMss;
  }
  // The same for a connection that its receiver opens: by its SYN, and the ACK of the answer.
  void receiver_syn(pst_gateway_flow& f) {
    const pst_options o = options();
    pst_port_back_syn(&port_, &f, 4999, &o, queue_.now_ns);
  }
  u32 receiver_opens(pst_gateway_flow& f) {
    receiver_syn(f);
    syn(f);
    f.rtt.opened_ns -= 40 * kMs;  // a handshake of 40 ms
    f.rtt.answered_ns -= 20 * kMs;
    return request(f, 0);
  }
  u32 request(pst_gateway_flow& f, u32 payload_bytes) {
    const pst_ack_header h{.ack = 1000, .field = 512, .syn = false, .pure = !payload_bytes};
    return (static_cast<u32>(
                pst_port_back_segment(&port_, &f, nullptr, nullptr, &queue_, &h, 0, nullptr)
                    .out.field)
            << 7) /
           kMss;
  }
  u32 acked_window(pst_gateway_flow& f, u32 number) {
    const pst_ack_header h{.ack = number, .field = 65'535, .syn = false, .pure = true};
    return static_cast<u32>(
               pst_port_back_segment(&port_, &f, nullptr, nullptr, &queue_, &h, 0, nullptr)
                   .out.field)
           << 7;
  }
  void data(pst_gateway_flow& f, u32 segments = 10) {
    for (u32 i = 0; i < segments; ++i)
      pst_gateway_data(&port_, &f, nullptr, &queue_, 1000 + i * kMss, kMss, kMss, 0, queue_.now_ns);
  }
  // `open` opens a connection and returns its first flight.
  template <class Open>
  void flood(Open open) {
    for (int ms = 0; ms < 5000; ++ms) {
      pst_gateway_flow forged{};
      open(forged);
      if (ms % 100 == 0) {
        pst_gateway_flow used{};
        const u32 first = open(used);
        data(used, 1);
        if (ms >= 3000) {
          EXPECT_EQ(first, 10U) << ms << " ms";
        }
      }
      go_on(1);
      if (ms >= 3000) {
        EXPECT_GT(scale(), 0.7) << ms << " ms";
      }
    }
  }
  void go_on(u64 ms) {
    for (u64 i = 0; i < ms; ++i) {
      queue_.now_ns += kMs;
      while (state_.law_tick_ns <= queue_.now_ns) pst_port_tick(&port_, &queue_);
    }
  }
  u32 opening() {
    pst_flow_count_advance(&state_.count, queue_.now_ns);
    return pst_flow_count_opening(&state_.count);
  }
  // Of the link's 2.5 MB/s, what a flow has that uses each window at once; `each_ms` every one.
  template <class Each>
  double bulk_part(u64 ms, Each each_ms) {
    constexpr u64 kWireBytes = 1500;
    pst_gateway_flow f{};
    syn(f);
    u32 next = 1000, edge = next + answer(f) * kMss, acked = next;
    u64 free_ns = queue_.now_ns;
    std::deque<std::pair<u64, u32>> to_come;  // when an ACK is to come, and of what
    for (u64 i = 0; i < ms; ++i) {
      for (; !to_come.empty() && to_come.front().first <= queue_.now_ns; to_come.pop_front()) {
        acked = to_come.front().second;
        edge = acked + acked_window(f, acked);
      }
      for (; next + kMss <= edge; next += kMss) {
        pst_gateway_data(&port_, &f, nullptr, &queue_, next, kMss, kMss, 0, queue_.now_ns);
        free_ns = pst_max(free_ns, queue_.now_ns) + kWireBytes * PST_NS_PER_S / 2'500'000;
        to_come.emplace_back(free_ns + 40 * kMs, next + kMss);
        queue_.bytes += kWireBytes;
      }
      each_ms(i);
      go_on(1);
      queue_.bytes = pst_sub_floor(free_ns, queue_.now_ns) * 2'500'000 / PST_NS_PER_S;
    }
    return static_cast<double>(acked - 1000) * 1500 / kMss / 2500 / static_cast<double>(ms);
  }
  u64 promised() const { return state_.law.penstock.promised_bytes; }
  // Of 1: what is left of the windows of flows that run.
  double scale() const {
    const u64 pipe_bytes = pst_pipe_bytes(&queue_, 40 * kMs, state_.law.penstock.target_bytes);
    return static_cast<double>(pst_penstock_free_bytes(&state_.law.penstock, &queue_, pipe_bytes)) /
           static_cast<double>(pipe_bytes);
  }

  pst_port port_{};
  pst_gateway_config& config_ = port_.config;
  pst_gateway_state& state_ = port_.state;
  pst_queue queue_{};

 private:
  static pst_options options() {
    pst_options o{};
    o.mss_bytes = kMss;
    o.scale = 7;
    return o;
  }
};

TEST_F(Opening, ConnectionsCountUntilTheirDataOrForOneToTwoIntervals) {
  pst_gateway_flow flows[3]{};
  go_on(500);
  for (pst_gateway_flow& f : flows) syn(f);
  syn(flows[0]);  // repeated
  EXPECT_EQ(opening(), 3U);
  go_on(600);
  data(flows[0]);
  EXPECT_EQ(opening(), 2U);
  go_on(1000);
  EXPECT_EQ(opening(), 0U);
  state_.count.silent_q15 = 0;
  pst_gateway_flow late{};
  syn(late);
  data(flows[1]);
  EXPECT_EQ(opening(), 1U) << "data of one that counts no longer";
  syn(flows[2]);
  EXPECT_EQ(opening(), 2U) << "it opens again";
}

// Of a handshake by SYNs of two numbers, as of one.
TEST_F(Opening, ASynThatDisplacesAnotherIsOfTheSameConnection) {
  const u64 now = queue_.now_ns;
  pst_handshake h{};
  pst_gateway_flow f{};
  const pst_syn lost{.at_ns = now, .isn = 7, .payload_bytes = 0, .forward = true, .options = {}};
  const pst_syn real{.at_ns = now, .isn = 999, .payload_bytes = 0, .forward = true, .options = {}};
  const pst_syn answer{.at_ns = now, .isn = 9, .payload_bytes = 0, .forward = false, .options = {}};
  pst_handshake_on_syn(&h, &f, &state_.count, &lost);
  pst_handshake_on_syn(&h, &f, &state_.count, &real);
  EXPECT_EQ(opening(), 1U);
  EXPECT_TRUE(pst_handshake_on_answer(&h, &f, &state_.count, &answer, 1000));
  EXPECT_EQ(opening(), 1U);
  data(f);
  EXPECT_EQ(opening(), 0U);
  EXPECT_EQ(state_.count.syns_running, 1U);
}

TEST_F(Opening, ARepeatedSynAckPromisesNothingMore) {
  pst_gateway_flow f{};
  syn(f);
  EXPECT_EQ(answer(f), 10U);
  const u64 once = promised();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(answer(f), 10U);
  EXPECT_EQ(promised(), once);
  data(f);
  EXPECT_EQ(promised(), 0U);
  EXPECT_EQ(answer(f), 10U) << "its first flight is under way, and R26 bounds what follows";
  EXPECT_EQ(promised(), 0U);
}

TEST_F(Opening, AReceiverThatOpensIsGrantedAFirstFlightToo) {
  pst_gateway_flow flows[3]{};
  for (pst_gateway_flow& f : flows) receiver_syn(f);
  EXPECT_EQ(opening(), 3U);
  for (pst_gateway_flow& f : flows) EXPECT_EQ(receiver_opens(f), 10U);
  EXPECT_EQ(opening(), 3U);
  data(flows[0]);
  EXPECT_EQ(opening(), 2U);
}

TEST_F(Opening, ARequestPromisesNothingMore) {
  pst_gateway_flow f{};
  EXPECT_EQ(receiver_opens(f), 10U);
  const u64 once = promised();
  EXPECT_GT(once, 10 * kMss);
  queue_.bytes = 90'000;
  EXPECT_EQ(request(f, 500), 10U) << "the edge that was granted stays";
  EXPECT_EQ(promised(), once);
  data(f);
  EXPECT_EQ(promised(), 0U);
}

// 64 downloads at once, of which no more than the queue holds may come at once.
TEST_F(Opening, DownloadsThatOpenTogetherShareTheRoom) {
  std::vector<pst_gateway_flow> flows(64);
  for (pst_gateway_flow& f : flows) receiver_syn(f);
  u32 segments = 0;
  for (pst_gateway_flow& f : flows) segments += receiver_opens(f);
  EXPECT_EQ(segments, 128U);
}

TEST_F(Opening, WhatFewConnectionsDoSaysLittleOfOthers) {
  pst_gateway_flow silent{};
  syn(silent);
  go_on(2000);
  EXPECT_EQ(state_.count.silent_q15, PST_Q15_ONE / (1 + PST_FEW_OPENINGS));
  go_on(3000);
  syn(silent = {});
  data(silent);
  EXPECT_EQ(state_.count.silent_q15, 0U) << "and is forgotten";
}

// 1000 handshakes per second of which none is used, and ten that are.
TEST_F(Opening, AFloodOfSynsIsFoundOutWithinThreeIntervals) {
  flood([this](pst_gateway_flow& f) {
    syn(f);
    return answer(f);
  });
}

// 2100 per second: until it is found out, a flow that fills the link keeps most of it.
TEST_F(Opening, AFloodOfSynsLeavesARunningFlowMostOfTheLink) {
  const double alone = bulk_part(4000, [](u64) {});
  EXPECT_GT(alone, 0.95);
  const double beside = bulk_part(4000, [this](u64 ms) {
    if (ms < 1000) return;
    for (int i = 0; i < 2 + (ms % 10 == 0); ++i) {
      pst_gateway_flow forged{};
      syn(forged);
      answer(forged);
    }
    EXPECT_GT(scale(), 0.75) << ms << " ms";
  });
  EXPECT_GT(beside, 0.8 * alone);
}

TEST_F(Opening, AFloodFromTheReceiversSideIsFoundOutToo) {
  flood([this](pst_gateway_flow& f) { return receiver_opens(f); });
}

// What a connection does not send of its first flight is not expected for longer.
TEST_F(Opening, TheFirstAckEndsAPromise) {
  pst_gateway_flow f{};
  syn(f);
  EXPECT_EQ(answer(f), 10U);
  const u64 once = promised();
  data(f, 3);
  EXPECT_LT(promised(), once);
  EXPECT_GT(promised(), 0U);
  const u64 coming = state_.law.penstock.coming_bytes;
  acked_window(f, 1000 + 2 * kMss);
  EXPECT_EQ(promised(), 0U);
  EXPECT_LT(state_.law.penstock.coming_bytes, coming) << "nor does the queue to come hold it";
}

// Linux without GSO, held by a small window, sends pairs that end with PSH.
TEST_F(Opening, PshOfAFullSegmentDoesNotSayThatThereIsNoMore) {
  pst_gateway_flow f{};
  syn(f);
  answer(f);
  f.flow.mss_bytes = kMss;
  const auto has_more = [&](u32 seq, u32 bytes, bool push) {
    const pst_data_header h{.seq = seq,
                            .payload_bytes = bytes,
                            .segment_bytes = std::min(bytes, kMss),
                            .ecn = 0,
                            .fin = false,
                            .push = push,
                            .reset = false,
                            .syn = nullptr};
    pst_gateway_forward(&port_, &f, nullptr, &queue_, &h);
    return f.flow.waits;
  };
  EXPECT_TRUE(has_more(1000, kMss, false));
  EXPECT_TRUE(has_more(1000 + kMss, kMss, true));
  EXPECT_FALSE(has_more(1000 + 2 * kMss, 100, true));
  EXPECT_TRUE(has_more(1100 + 2 * kMss, 100, false));
}

// Each second 100 connections of three segments end: beside a flow, N is little more than one.
TEST_F(Opening, ConnectionsThatAreSoonOverCountAsWhatTheySend) {
  state_.count.share_bytes = 60 * kMss;
  for (int i = 0; i < 100; ++i) {
    pst_gateway_flow f{};
    syn(f);
    answer(f);
    data(f, 3);
    pst_gateway_fin(&state_, &f, nullptr, queue_.now_ns);
    go_on(10);
  }
  pst_gateway_flow flows[8]{};
  for (pst_gateway_flow& f : flows) {
    syn(f);
    answer(f);
    data(f, 4);
  }
  const double n = static_cast<double>(state_.count.running_q16) / 65536;
  EXPECT_LT(n, 1) << "eight that have just begun";
  EXPECT_GE(n, 0.53) << "no less than they have sent";
}

}  // namespace
