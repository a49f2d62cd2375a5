// SPDX-License-Identifier: GPL-2.0-only
// Steps for a sender: the peer's ACKs go in, expected segments come out.
#pragma once

#include <optional>
#include <utility>

#include "core/describe.h"
#include "sim/tcp/sender.h"
#include "steps.h"

namespace penstock::tcp {

inline constexpr std::uint64_t kTestMss = 1000;

// Small round numbers: 1000-byte segments, NewReno, an RTO of SRTT + 200 ms.
inline SenderConfig test_sender() {
  SenderConfig c;
  pst_sender_defaults(c.method, &c.params);
  c.mss_bytes = kTestMss;
  c.timestamps = false;
  return c;
}

class SenderBench : public Bench<SenderBench, Sender> {
 public:
  static constexpr std::uint32_t kSeqBase = kSenderIsn + 1;
  static constexpr std::uint32_t kAckBase = kReceiverIsn + 1;

  explicit SenderBench(const SenderConfig& c, std::uint64_t size_bytes = 1'000'000,
                       Sender::After after = Sender::After::kClose)
      : SenderBench(std::make_unique<SenderConfig>(c), size_bytes, after) {}

  std::uint32_t window_bytes = 64'000;  // of the ACKs, until a step changes it
  std::uint8_t scale = 0;
  bool timestamps = false;
  std::uint32_t ts_recent = 0;

  Segment answer(std::uint8_t flags, std::uint32_t ack_offset) const {
    Segment s{};
    s.seq = kReceiverIsn + ((flags & kSyn) ? 0 : 1);
    s.ack = kSeqBase + ack_offset;
    s.flags = flags;
    s.window = static_cast<std::uint16_t>(window_bytes >> ((flags & kSyn) ? 0 : scale));
    if (timestamps) {
      s.options = kTimestamps;
      s.ts_val = static_cast<std::uint32_t>(now_ns / 1000);
      s.ts_ecr = ts_recent;
    }
    return s;
  }

 private:
  SenderBench(std::unique_ptr<SenderConfig> c, std::uint64_t size_bytes, Sender::After after)
      : Bench(*c, kSenderIsn, size_bytes, after), config_(std::move(c)) {}

  std::unique_ptr<SenderConfig> config_;
};

using SenderStep = Step<SenderBench>;
using Wait = Advance<SenderBench>;
using Nothing = ExpectNone<SenderBench>;
using Skip = Drain<SenderBench>;

struct Open : SenderStep {
  std::string text() const override { return "open"; }
  void run(SenderBench& b) const override { b.endpoint.open(b.now_ns, b); }
};

struct ExpectSyn : SenderStep {
  std::string text() const override { return "expect SYN"; }
  void run(SenderBench& b) const override {
    const Segment s = b.take();
    if (!(s.flags & kSyn)) throw StepFailed("not a SYN");
    b.ts_recent = s.ts_val;
  }
};

struct SynAck : SenderStep {
  SynAck& sack() { return options_ |= kSackPermitted, *this; }
  SynAck& scale(std::uint8_t shift) { return options_ |= kWindowScale, scale_ = shift, *this; }
  SynAck& timestamps() { return options_ |= kTimestamps, *this; }
  SynAck& mss(std::uint16_t bytes) { return options_ |= kMss, mss_ = bytes, *this; }
  SynAck& window(std::uint32_t bytes) { return window_ = bytes, *this; }
  SynAck& ecn() { return flags_ |= kEce, *this; }
  std::string text() const override { return "SYN-ACK arrives"; }
  void run(SenderBench& b) const override {
    b.window_bytes = window_;
    b.timestamps = options_ & kTimestamps;
    Segment s = b.answer(flags_, 0);
    b.scale = scale_;
    s.options = options_;
    s.syn = {mss_, scale_};
    b.endpoint.on_segment(s, b.now_ns, b);
  }

 private:
  std::uint8_t options_ = 0;
  std::uint8_t flags_ = kSyn | kAck;
  std::uint8_t scale_ = 0;
  std::uint16_t mss_ = 0;
  std::uint32_t window_ = 64'000;
};

// An ACK for the payload below `offset`. The window stays that of the last one.
struct Ack : SenderStep {
  explicit Ack(std::uint32_t offset) : offset_(offset) {}
  Ack& window(std::uint32_t bytes) { return window_ = bytes, *this; }
  Ack& sack(std::uint32_t start, std::uint32_t end) {
    return blocks_.emplace_back(start, end), *this;
  }
  Ack& ece() { return flags_ |= kEce, *this; }
  Ack& echo(std::uint32_t ts) { return echo_ = ts, *this; }
  Ack& without_options() { return bare_ = true, *this; }
  std::string text() const override {
    std::string t = "ACK " + std::to_string(offset_);
    if (window_) t += " window " + std::to_string(*window_);
    for (const auto& [start, end] : blocks_) {
      t += " sack " + std::to_string(start) + ".." + std::to_string(end);
    }
    return t + (flags_ & kEce ? " ECE" : "");
  }
  void run(SenderBench& b) const override {
    if (window_) b.window_bytes = *window_;
    Segment s = b.answer(flags_, offset_);
    if (echo_) s.ts_ecr = *echo_;
    if (bare_) s.options = 0, s.ts_val = s.ts_ecr = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      s.sack[i] = {SenderBench::kSeqBase + blocks_[i].first,
                   SenderBench::kSeqBase + blocks_[i].second};
    }
    s.options = static_cast<std::uint8_t>(s.options | blocks_.size());
    b.endpoint.on_segment(s, b.now_ns, b);
  }

 private:
  std::uint32_t offset_;
  std::uint8_t flags_ = kAck;
  std::optional<std::uint32_t> window_;
  std::optional<std::uint32_t> echo_;
  bool bare_ = false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks_;
};

struct ExpectSegment : SenderStep {
  ExpectSegment(std::uint32_t offset, std::uint16_t payload_bytes)
      : offset_(offset), payload_bytes_(payload_bytes) {}
  ExpectSegment& fin() { return fin_ = true, *this; }
  ExpectSegment& cwr(bool on) { return cwr_ = on, *this; }
  ExpectSegment& ecn(std::uint8_t codepoint) { return ecn_ = codepoint, *this; }
  std::string text() const override {
    return "expect segment " + std::to_string(offset_) + " payload " +
           std::to_string(payload_bytes_) + (fin_ ? " FIN" : "");
  }
  void run(SenderBench& b) const override {
    const Segment s = b.take();
    require_equal("sequence number", s.seq - SenderBench::kSeqBase, offset_);
    require_equal("payload", s.payload_bytes, payload_bytes_);
    require_equal("FIN", (s.flags & kFin) != 0, fin_);
    if (cwr_) require_equal("CWR", (s.flags & kCwr) != 0, *cwr_);
    if (ecn_) require_equal("ECN codepoint", s.ecn, *ecn_);
    if (b.timestamps) b.ts_recent = s.ts_val;
  }

 private:
  std::uint32_t offset_;
  std::uint16_t payload_bytes_;
  bool fin_ = false;
  std::optional<bool> cwr_;
  std::optional<std::uint8_t> ecn_;
};

// `count` whole segments in a row from `offset`.
struct ExpectBurst : SenderStep {
  ExpectBurst(std::uint32_t offset, unsigned count) : offset_(offset), count_(count) {}
  std::string text() const override {
    return "expect " + std::to_string(count_) + " segments from " + std::to_string(offset_);
  }
  void run(SenderBench& b) const override {
    for (unsigned i = 0; i < count_; ++i) {
      ExpectSegment(offset_ + i * static_cast<std::uint32_t>(kTestMss), kTestMss).run(b);
    }
  }

 private:
  std::uint32_t offset_;
  unsigned count_;
};

// A segment without data: an ACK, or a window probe below the window.
struct ExpectControl : SenderStep {
  explicit ExpectControl(std::int32_t offset) : offset_(offset) {}
  std::string text() const override {
    return "expect a segment without data at " + std::to_string(offset_);
  }
  void run(SenderBench& b) const override {
    const Segment s = b.take();
    require_equal("payload", s.payload_bytes, 0U);
    require_equal("flags", static_cast<unsigned>(s.flags), static_cast<unsigned>(kAck));
    require_equal("sequence number", static_cast<std::int32_t>(s.seq - SenderBench::kSeqBase),
                  offset_);
  }

 private:
  std::int32_t offset_;
};

inline ExpectValue<SenderBench> cwnd_is(std::uint64_t bytes) {
  return {"cwnd", [](const SenderBench& b) { return b.endpoint.cwnd_bytes(); }, bytes};
}
inline ExpectValue<SenderBench> ssthresh_is(std::uint64_t bytes) {
  return {"ssthresh", [](const SenderBench& b) { return b.endpoint.ssthresh_bytes(); }, bytes};
}
inline ExpectValue<SenderBench> pipe_is(std::uint64_t bytes) {
  return {"pipe", [](const SenderBench& b) { return b.endpoint.pipe_bytes(); }, bytes};
}
inline ExpectValue<SenderBench> flight_is(std::uint64_t bytes) {
  return {"flight", [](const SenderBench& b) { return b.endpoint.flight_bytes(); }, bytes};
}
inline ExpectValue<SenderBench> window_is(std::uint64_t bytes) {
  return {"send window", [](const SenderBench& b) { return b.endpoint.send_window_bytes(); },
          bytes};
}
inline ExpectValue<SenderBench> rto_ms_is(std::uint64_t ms) {
  return {"RTO in ms", [](const SenderBench& b) { return b.endpoint.rto_ns() / kMs; }, ms};
}
inline ExpectValue<SenderBench> srtt_ms_is(std::uint64_t ms) {
  return {"SRTT in ms", [](const SenderBench& b) { return b.endpoint.srtt_ns() / kMs; }, ms};
}

// Handshake over a path of 100 ms; the first window is left in the output.
inline void connect(SenderBench& b, SynAck reply = {}) {
  b(Open{})(ExpectSyn{})(Wait{100})(reply)(ExpectControl{0});
}

}  // namespace penstock::tcp
