// SPDX-License-Identifier: GPL-2.0-only
// Steps for a receiver: data arrives, expected ACKs come out.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "sim/tcp/receiver.h"
#include "steps.h"

namespace penstock::tcp {

inline ReceiverConfig test_receiver() {
  ReceiverConfig c;
  c.mss_bytes = 1000;
  c.buffer_bytes = 64'000;
  c.timestamps = false;
  return c;
}

class ReceiverBench : public Bench<ReceiverBench, Receiver> {
 public:
  static constexpr std::uint32_t kSeqBase = kReceiverIsn + 1;
  static constexpr std::uint32_t kAckBase = kSenderIsn + 1;

  explicit ReceiverBench(const ReceiverConfig& c)
      : ReceiverBench(std::make_unique<ReceiverConfig>(c)) {}

  std::uint8_t scale = 0;  // as the SYN-ACK said
  bool timestamps = false;

 private:
  explicit ReceiverBench(std::unique_ptr<ReceiverConfig> c)
      : Bench(*c, kReceiverIsn), config_(std::move(c)) {}

  std::unique_ptr<ReceiverConfig> config_;
};

using ReceiverStep = Step<ReceiverBench>;
using Elapse = Advance<ReceiverBench>;
using Silence = ExpectNone<ReceiverBench>;
using Ignore = Drain<ReceiverBench>;

struct Syn : ReceiverStep {
  Syn& options(std::uint8_t o) { return options_ = o, *this; }
  Syn& ecn() { return flags_ |= kEce | kCwr, *this; }
  std::string text() const override { return "SYN arrives"; }
  void run(ReceiverBench& b) const override {
    Segment s{};
    s.seq = kSenderIsn;
    s.flags = flags_;
    s.options = options_;
    s.ts_val = static_cast<std::uint32_t>(b.now_ns / 1000);
    b.endpoint.on_segment(s, b.now_ns, b);
  }

 private:
  std::uint8_t flags_ = kSyn;
  std::uint8_t options_ = kMss | kSackPermitted | kWindowScale | kTimestamps;
};

struct ExpectSynAck : ReceiverStep {
  ExpectSynAck& options(std::uint8_t o) { return options_ = o, *this; }
  ExpectSynAck& window(std::uint16_t field) { return window_ = field, *this; }
  ExpectSynAck& scale(std::uint8_t shift) { return scale_ = shift, *this; }
  ExpectSynAck& mss(std::uint16_t bytes) { return mss_ = bytes, *this; }
  ExpectSynAck& ece(bool on) { return ece_ = on, *this; }
  std::string text() const override { return "expect SYN-ACK"; }
  void run(ReceiverBench& b) const override {
    const Segment s = b.take();
    if ((s.flags & (kSyn | kAck)) != (kSyn | kAck)) throw StepFailed("not a SYN-ACK");
    require_equal("acknowledgment", s.ack, kSenderIsn + 1);
    if (options_) require_equal("options", s.options, *options_);
    if (window_) require_equal("window", s.window, *window_);
    if (scale_) require_equal("scale", s.syn.scale, *scale_);
    if (mss_) require_equal("MSS", s.syn.mss_bytes, *mss_);
    if (ece_) require_equal("ECE", (s.flags & kEce) != 0, *ece_);
    b.scale = s.options & kWindowScale ? s.syn.scale : std::uint8_t{0};
    b.timestamps = s.options & kTimestamps;
  }

 private:
  std::optional<std::uint8_t> options_;
  std::optional<std::uint16_t> window_;
  std::optional<std::uint8_t> scale_;
  std::optional<std::uint16_t> mss_;
  std::optional<bool> ece_;
};

// Payload from `offset`; without payload a plain ACK, or a window probe.
struct Data : ReceiverStep {
  Data(std::int32_t offset, std::uint16_t payload_bytes)
      : offset_(offset), payload_bytes_(payload_bytes) {}
  Data& fin() { return flags_ |= kFin, *this; }
  Data& cwr() { return flags_ |= kCwr, *this; }
  Data& ce() { return ecn_ = kCe, *this; }
  Data& ts(std::uint32_t value) { return ts_ = value, *this; }
  Data& echo(std::uint32_t value) { return echo_ = value, *this; }
  std::string text() const override {
    std::string t =
        "data " + std::to_string(offset_) + " payload " + std::to_string(payload_bytes_);
    return t + (flags_ & kFin ? " FIN" : "") + (ecn_ == kCe ? " CE" : "");
  }
  void run(ReceiverBench& b) const override {
    Segment s{};
    s.seq = ReceiverBench::kAckBase + static_cast<std::uint32_t>(offset_);
    s.ack = ReceiverBench::kSeqBase;
    s.payload_bytes = payload_bytes_;
    s.flags = flags_;
    s.ecn = ecn_;
    if (b.timestamps) {
      s.options = kTimestamps;
      s.ts_val = ts_.value_or(static_cast<std::uint32_t>(b.now_ns / 1000));
      s.ts_ecr = echo_.value_or(0);
    }
    b.endpoint.on_segment(s, b.now_ns, b);
  }

 private:
  std::int32_t offset_;
  std::uint16_t payload_bytes_;
  std::uint8_t flags_ = kAck;
  std::uint8_t ecn_ = kEct0;
  std::optional<std::uint32_t> ts_;
  std::optional<std::uint32_t> echo_;
};

struct ExpectAck : ReceiverStep {
  explicit ExpectAck(std::uint32_t offset) : offset_(offset) {}
  // Right edge in the stream: ACK plus scaled window.
  ExpectAck& edge(std::uint64_t offset) { return edge_ = offset, *this; }
  ExpectAck& window(std::uint64_t bytes) { return window_ = bytes, *this; }
  ExpectAck& ece(bool on) { return ece_ = on, *this; }
  ExpectAck& echoes(std::uint32_t ts) { return echo_ = ts, *this; }
  ExpectAck& sack(std::uint32_t start, std::uint32_t end) {
    return blocks_.emplace_back(start, end), *this;
  }
  std::string text() const override {
    std::string t = "expect ACK " + std::to_string(offset_);
    for (const auto& [start, end] : blocks_) {
      t += " sack " + std::to_string(start) + ".." + std::to_string(end);
    }
    return t;
  }
  void run(ReceiverBench& b) const override {
    const Segment s = b.take();
    const std::uint32_t ack = s.ack - ReceiverBench::kAckBase;
    const std::uint64_t window = std::uint64_t{s.window} << b.scale;
    require_equal("acknowledgment", ack, offset_);
    require_equal("number of SACK blocks", std::size_t{s.options} & kSackCountMask, blocks_.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      require_equal("start of block", s.sack[i].start - ReceiverBench::kAckBase, blocks_[i].first);
      require_equal("end of block", s.sack[i].end - ReceiverBench::kAckBase, blocks_[i].second);
    }
    if (window_) require_equal("window", window, *window_);
    if (edge_) require_equal("right edge", ack + window, *edge_);
    if (ece_) require_equal("ECE", (s.flags & kEce) != 0, *ece_);
    if (echo_) require_equal("timestamp echo", s.ts_ecr, *echo_);
  }

 private:
  std::uint32_t offset_;
  std::optional<std::uint64_t> window_;
  std::optional<std::uint64_t> edge_;
  std::optional<bool> ece_;
  std::optional<std::uint32_t> echo_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks_;
};

struct Pause : ReceiverStep {
  std::string text() const override { return "the application stops reading"; }
  void run(ReceiverBench& b) const override { b.endpoint.pause_reading(); }
};

struct Resume : ReceiverStep {
  std::string text() const override { return "the application reads"; }
  void run(ReceiverBench& b) const override { b.endpoint.resume_reading(b.now_ns, b); }
};

inline void accept(ReceiverBench& b, Syn syn = {}) {
  b(syn)(ExpectSynAck{})(Elapse{50})(Data{0, 0})(Silence{});
}

}  // namespace penstock::tcp
