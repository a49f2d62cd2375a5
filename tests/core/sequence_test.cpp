// SPDX-License-Identifier: GPL-2.0-only
// A fuzzer over sequences of packets (R35): a reference sender and receiver with the gateway
// between them, an attacker who writes what it likes, losses, segments that take another
// path, and a law that changes its mind. From each state that is reached, true packets must
// within a round trip restore the receiver's own window, or its growth by R26, and under a
// tight law the law's window. PENSTOCK_FUZZ_STEPS sets how many packets are played.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "core/gateway/gateway.h"
#include "core/packet/ends.h"

namespace {

constexpr std::uint64_t kUsualSteps = 1'000'000;
constexpr u32 kMss = 1448;
constexpr u32 kTightBytes = 20'000;
constexpr int kRampRounds = 32;  // each doubles a window of 30 bits at most

std::uint64_t steps() {
  const char* text = std::getenv("PENSTOCK_FUZZ_STEPS");
  return text ? std::strtoull(text, nullptr, 10) : kUsualSteps;
}

class Path {
 public:
  Path(std::uint64_t seed, u32 mode) : random_(seed), scale_(below(15)) {
    const u32 isn = static_cast<u32>(random_());
    config_.law = PST_LAW_NONE;
    config_.mode = mode;
    config_.flow_interval_ns = PST_NS_PER_S;
    pst_port_init(&port_, &queue_);
    pst_options options{};
    options.mss_bytes = kMss;
    options.scale = static_cast<u8>(scale_);
    pst_gateway_syn(&flow_, true, isn, &options, queue_.now_ns);
    pst_gateway_syn(&flow_, false, 0, &options, queue_.now_ns);
    una_ = next_ = received_ = edge_ = isn + 1;
    const pst_ack_header answer{una_, own_field_, true, false};
    ack(answer);
    grant(una_, own_field_);
  }

  // One packet of anybody.
  void step() {
    queue_.now_ns += below(2'000'000);
    switch (below(16)) {
      case 0:
      case 1:
        return forge_ack();
      case 2:
      case 3:
        return forge_data(number());
      case 4: {  // data and its ACK, a little ahead of all that was granted
        const u32 seq = flow_.flow.edge + below(1U << below(32));
        forge_data(seq);
        ack({seq + 1, static_cast<u16>(random_()), false, below(2) != 0});
        return;
      }
      case 5:
        return forge_end();
      case 6:
        own_field_ = static_cast<u16>(below(8) ? 20'000 + below(45'000) : below(3));
        return;
      case 7:
        allowed_bytes_ = below(2) ? below(kTightBytes) : below(1U << 30);
        return;
      case 8:
      case 9:
      case 10:
        return acknowledge(below(8) != 0, below(16) != 0);
      default:
        return send(1 + below(3 * kMss), below(16) != 0, below(16) != 0);
    }
  }

  // Only true packets from here on, and a law that allows all. Returns what is wrong.
  std::string restore() {
    settle_down(PST_MAX_BYTES);
    if (stalled_) return "told of less room than a segment needs";
    for (int round = 0; round < kRampRounds; ++round) {
      if (out_.field == own_field_) return "";
      if (out_.limit != PST_BY_RAMP && !is_above_ramp(out_.limit))
        return "held back by limit " + std::to_string(out_.limit);
      round_trip();
    }
    return "the receiver's own window does not come back";
  }

  // The same under a law that allows little: no state may free a flow.
  std::string tighten() {
    settle_down(kTightBytes);
    round_trip();  // of what was granted before, all is used up now
    const u64 least = std::max<u64>(kTightBytes, pst_floor_bytes(&flow_.flow, config_.mode));
    const u64 most = pst_round_up(least, 1ULL << scale_);
    const u64 bytes = u64{out_.field} << scale_;
    return bytes <= most ? "" : "free, with " + std::to_string(bytes);
  }

 private:
  // In these cases the window is more than the ramp permits.
  static bool is_above_ramp(u32 limit) { return limit == PST_BY_FLOOR || limit == PST_BY_EDGE; }
  u32 below(u32 n) { return static_cast<u32>(random_() % n); }
  u32 room() const { return pst_seq_after(edge_, next_) ? edge_ - next_ : 0; }

  // One round trip of true packets from whatever state was reached.
  void settle_down(u64 allowed_bytes) {
    allowed_bytes_ = allowed_bytes;
    own_field_ = 60'000;
    retransmit();
    acknowledge(true, true);
    stalled_ = room() < std::min<u64>(kMss, u64{own_field_} << scale_);
    round_trip();
  }

  // All that the window permits is sent, the first part of it acknowledged, then the rest.
  void round_trip() {
    const u32 part = std::max<u32>(room() / 4, 1);
    for (int i = 0; i < 3 && room(); ++i) send(part, true, true);
    acknowledge(true, true);
    while (room()) send(std::min<u32>(room(), 1U << 29), true, true);
    acknowledge(true, true);
  }

  // The sender takes a window (RFC 9293 section 3.10.7.4).
  void grant(u32 ack, u32 bytes) {
    if (pst_seq_before(ack, una_) || pst_seq_after(ack, next_)) return;
    if (ack != una_ || pst_seq_after(ack + bytes, edge_)) edge_ = ack + bytes;
    una_ = ack;
  }

  void data(u32 seq, u32 bytes) {
    const u32 segment = std::min(bytes, kMss);
    pst_gateway_data(&port_, &flow_, nullptr, &queue_, seq, bytes, segment, 0, queue_.now_ns);
  }

  void send(u32 bytes, bool seen, bool arrives) {
    bytes = std::min(bytes, room());
    if (!bytes && next_ != una_) return retransmit();
    bytes = std::max<u32>(bytes, 1);  // at least the probe of a zero window
    const u32 seq = next_;
    next_ += bytes;
    if (seen) data(seq, bytes);
    if (arrives && seq == received_) received_ = next_;
  }

  void retransmit() {
    if (next_ == una_) return;
    data(una_, next_ - una_);
    if (!pst_seq_before(received_, una_)) received_ = next_;
  }

  pst_rewrite ack(const pst_ack_header& h) {
    pst_rewrite out{};
    pst_back_settle(&config_, &gateway_, &flow_, &h, &queue_);
    if (pst_back_asks(&config_, &gateway_, &flow_, &h, &queue_, &out)) {
      const pst_ack view = pst_gateway_ack_view(&flow_, &queue_, &h);
      out = pst_back_rewrite(&config_, &gateway_, &flow_, &h, &view, allowed_bytes_);
    }
    EXPECT_LE(out.field, h.field) << "R1";
    EXPECT_EQ(out.field == 0, h.field == 0) << "R4, R5";
    pst_back_record(&config_, &port_.state, &flow_, &h, &out, queue_.now_ns);
    return out;
  }

  void acknowledge(bool arrives, bool seen) {
    const pst_ack_header h{received_, own_field_, false, true};
    out_ = seen ? ack(h) : pst_rewrite{own_field_, PST_BY_RECEIVER};
    if (arrives) grant(h.ack, u32{out_.field} << scale_);
  }

  // A number near the flow's own, or anywhere.
  u32 number() {
    switch (below(5)) {
      case 0:
        return static_cast<u32>(random_());
      case 1:
        return flow_.flow.sent + below(4) - 1;
      case 2:
        return flow_.flow.edge + below(4) - 1;
      case 3:
        return una_ + (1U << 31) + below(1U << 17) - (1U << 16);
      default:
        return una_ + below(1U << 20) - (1U << 19);
    }
  }

  void forge_ack() { ack({number(), static_cast<u16>(random_()), false, below(2) != 0}); }
  void forge_data(u32 seq) { data(seq, 1 + below(65'535)); }
  void forge_end() {
    pst_segment s{};
    s.flags = static_cast<u16>(random_());
    s.seq = number();
    s.ack = number();
    s.payload_bytes = below(2) * below(kMss);
    pst_ends_on_segment(&ends_, &flow_.flow, below(2) != 0, &s);
  }

  std::mt19937_64 random_;
  u32 scale_;
  pst_port port_{};
  pst_gateway_config& config_ = port_.config;
  pst_gateway_state& gateway_ = port_.state;
  pst_gateway_flow flow_{};
  pst_queue queue_{};
  pst_ends ends_{};
  u32 una_ = 0, next_ = 0, edge_ = 0;  // the sender's
  u32 received_ = 0;                   // the receiver's
  u16 own_field_ = 60'000;
  u64 allowed_bytes_ = PST_MAX_BYTES;
  pst_rewrite out_{};
  bool stalled_ = false;  // as a sender does that waits for a whole segment's window
};

TEST(Sequences, R35TrueAcksRestoreTheirWindowFromEveryState) {
  const std::uint64_t least = steps();
  std::mt19937_64 lengths(1);
  std::uint64_t played = 0;
  for (std::uint64_t seed = 1; played < least; ++seed) {
    for (const u32 mode : {u32{PST_SAFE}, u32{PST_STRICT}}) {
      Path path(seed, mode);
      for (int part = 0; part < 4; ++part) {
        const std::uint64_t length = 1 + lengths() % 120;
        for (std::uint64_t i = 0; i < length; ++i) path.step();
        played += length;
        Path freely = path, tightly = path;  // the play itself goes on from here
        ASSERT_EQ(freely.restore(), "") << "seed " << seed << " mode " << mode << " part " << part;
        ASSERT_EQ(tightly.tighten(), "") << "seed " << seed << " mode " << mode << " part " << part;
      }
    }
  }
}

}  // namespace
