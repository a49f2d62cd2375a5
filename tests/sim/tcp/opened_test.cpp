// SPDX-License-Identifier: GPL-2.0-only
// Connections that their receiver opens: SYN from it, SYN-ACK from the sender, and an ACK that
// stands for the request.
#include "mini_link.h"
#include "receiver_steps.h"
#include "sender_steps.h"
#include "tests/sim/times.h"

namespace penstock::tcp {
namespace {

constexpr std::uint8_t kAllOptions = kMss | kSackPermitted | kWindowScale | kTimestamps;

// At the sender: the receiver's SYN.
struct PeerSyn : SenderStep {
  PeerSyn& options(std::uint8_t o) { return options_ = o, *this; }
  PeerSyn& scale(std::uint8_t shift) { return scale_ = shift, *this; }
  PeerSyn& flags(std::uint8_t f) { return flags_ = f, *this; }
  std::string text() const override { return "the receiver's SYN arrives"; }
  void run(SenderBench& b) const override {
    Segment s{};
    s.seq = kReceiverIsn;
    s.flags = flags_;
    s.options = options_;
    s.window = 60'000;
    s.syn = {1012, scale_};
    s.ts_val = static_cast<std::uint32_t>(b.now_ns / 1000);
    b.timestamps = options_ & kTimestamps;
    b.scale = scale_;
    b.endpoint.on_segment(s, b.now_ns, b);
  }

 private:
  std::uint8_t options_ = kMss | kWindowScale;
  std::uint8_t scale_ = 0;
  std::uint8_t flags_ = kSyn;
};

struct ExpectAnswer : SenderStep {
  ExpectAnswer& options(std::uint8_t o) { return options_ = o, *this; }
  ExpectAnswer& ece(bool on) { return ece_ = on, *this; }
  std::string text() const override { return "expect the sender's SYN-ACK"; }
  void run(SenderBench& b) const override {
    const Segment s = b.take();
    if ((s.flags & (kSyn | kAck | kCwr)) != (kSyn | kAck)) throw StepFailed("not a SYN-ACK");
    require_equal("sequence number", s.seq, kSenderIsn);
    require_equal("acknowledgment", s.ack, kReceiverIsn + 1);
    if (options_) require_equal("options", s.options, *options_);
    if (ece_) require_equal("ECE", (s.flags & kEce) != 0, *ece_);
    b.ts_recent = s.ts_val;
  }

 private:
  std::optional<std::uint8_t> options_;
  std::optional<bool> ece_;
};

TEST(OpenedByReceiver, TheAckIsTheRequest) {
  SenderBench t(test_sender());
  t(Nothing{})(PeerSyn{})(ExpectAnswer{}.options(kMss | kWindowScale))(Wait{100})(Nothing{});
  t(srtt_ms_is(0))(Ack{0}.window(5'000))(ExpectBurst{0, 5})(Nothing{})(srtt_ms_is(100));
  t(window_is(5'000))(cwnd_is(10'000));
}

TEST(OpenedByReceiver, TheWindowOfThatAckIsScaled) {
  SenderBench t(test_sender());
  t(PeerSyn{}.scale(8))(ExpectAnswer{})(Wait{100})(Ack{0}.window(3'072))(window_is(3'072));
  t(ExpectBurst{0, 3})(Nothing{});
}

TEST(OpenedByReceiver, TheSenderAnswersOnlyOptionsThatWereOffered) {
  SenderConfig c = test_sender();
  c.timestamps = true;
  c.ecn = true;
  SenderBench all(c);
  all(PeerSyn{}.options(kAllOptions).flags(kSyn | kEce | kCwr))(
      ExpectAnswer{}.options(kAllOptions).ece(true));
  SenderBench none(c);
  none(PeerSyn{}.options(kMss))(ExpectAnswer{}.options(kMss).ece(false));
}

TEST(OpenedByReceiver, ALostSynAckIsSentAgainWithBackOffAndForEachSyn) {
  SenderBench t(test_sender());
  t(PeerSyn{})(ExpectAnswer{})(Wait{999})(Nothing{})(Wait{1})(ExpectAnswer{});
  t(Wait{1999})(Nothing{})(Wait{1})(ExpectAnswer{})(PeerSyn{})(ExpectAnswer{});
  // RFC 5681 section 3.1: then one segment. Karn: no sample, and RFC 6298 (5.7): 3 s.
  t(Wait{100})(Ack{0})(cwnd_is(1'000))(srtt_ms_is(0))(rto_ms_is(3'000))(ExpectSegment{0, 1000});
}

TEST(OpenedByReceiver, ATimestampTimesASynAckThatWasSentAgain) {
  SenderConfig c = test_sender();
  c.timestamps = true;
  SenderBench t(c);
  t(PeerSyn{}.options(kAllOptions))(ExpectAnswer{})(Wait{1000})(ExpectAnswer{})(Wait{100})(Ack{0});
  t(srtt_ms_is(100))(cwnd_is(1'000))(ExpectSegment{0, 1000});
}

TEST(OpenedByReceiver, AnAckOfSomethingElseIsNoRequest) {
  SenderBench t(test_sender());
  t(Ack{0})(Nothing{})(PeerSyn{})(ExpectAnswer{})(Ack{1})(Nothing{})(Ack{0})(ExpectBurst{0, 10});
  t(PeerSyn{})(ExpectControl{10'000});  // an old duplicate
}

// At the receiver: it opens.
ReceiverConfig opener() {
  ReceiverConfig c = test_receiver();
  c.opens = true;
  return c;
}

struct Begin : ReceiverStep {
  std::string text() const override { return "open"; }
  void run(ReceiverBench& b) const override { b.endpoint.open(b.now_ns, b); }
};

struct ExpectFirst : ReceiverStep {
  explicit ExpectFirst(std::uint8_t options) : options_(options) {}
  std::string text() const override { return "expect the receiver's SYN"; }
  void run(ReceiverBench& b) const override {
    const Segment s = b.take();
    if ((s.flags & (kSyn | kAck)) != kSyn) throw StepFailed("not a SYN");
    require_equal("sequence number", s.seq, kReceiverIsn);
    require_equal("options", s.options, options_);
    require_equal("window", s.window, 64'000);
    b.scale = s.options & kWindowScale ? s.syn.scale : std::uint8_t{0};
  }

 private:
  std::uint8_t options_;
};

struct Answer : ReceiverStep {
  explicit Answer(std::uint8_t options, std::uint8_t flags = kSyn | kAck)
      : options_(options), flags_(flags) {}
  std::string text() const override { return "the sender's SYN-ACK arrives"; }
  void run(ReceiverBench& b) const override {
    Segment s{};
    s.seq = kSenderIsn;
    s.ack = kReceiverIsn + 1;
    s.flags = flags_;
    s.options = options_;
    s.ts_val = static_cast<std::uint32_t>(b.now_ns / 1000);
    b.timestamps = options_ & kTimestamps;
    if (!(options_ & kWindowScale)) b.scale = 0;
    b.endpoint.on_segment(s, b.now_ns, b);
  }

 private:
  std::uint8_t options_;
  std::uint8_t flags_;
};

constexpr std::uint8_t kPlain = kMss | kSackPermitted | kWindowScale;

TEST(OpeningReceiver, AcknowledgesTheSynAckWithAScaledWindow) {
  ReceiverBench t(opener());
  t(Begin{})(ExpectFirst{kPlain})(Elapse{100})(Answer{kPlain});
  t(ExpectAck{0}.window(64'000))(Elapse{10'000})(Silence{});
  t(Data{0, 1000})(Silence{})(Data{1000, 1000})(ExpectAck{2000});
}

TEST(OpeningReceiver, ALostSynIsSentAgainWithBackOff) {
  ReceiverBench t(opener());
  t(Begin{})(ExpectFirst{kPlain})(Elapse{999})(Silence{})(Elapse{1})(ExpectFirst{kPlain});
  t(Elapse{1999})(Silence{})(Elapse{1})(ExpectFirst{kPlain})(Answer{kPlain})(ExpectAck{0});
  t(Elapse{10'000})(Silence{});
}

TEST(OpeningReceiver, EachSynAckIsAcknowledged) {
  ReceiverConfig c = opener();
  c.timestamps = true;
  ReceiverBench t(c);
  t(Begin{})(ExpectFirst{kAllOptions})(Elapse{100})(Answer{kAllOptions})(
      ExpectAck{0}.echoes(1'100'000));
  t(Elapse{1000})(Answer{kAllOptions})(ExpectAck{0}.echoes(2'100'000));
}

TEST(OpeningReceiver, OptionsThatTheAnswerLacksAreOff) {
  ReceiverConfig c = opener();
  c.timestamps = true;
  c.buffer_bytes = 64'000;
  ReceiverBench t(c);
  t(Begin{})(ExpectFirst{kAllOptions})(Answer{kMss})(ExpectAck{0}.window(64'000));
  t(Data{1000, 1000})(ExpectAck{0});  // no SACK
}

TEST(OpeningReceiver, EcnIsAgreedUponByItsAnswer) {
  for (const bool agreed : {false, true}) {
    ReceiverConfig c = opener();
    c.ecn = true;
    ReceiverBench t(c);
    t(Begin{});
    EXPECT_EQ(t.sent.front().flags, kSyn | kEce | kCwr);
    const std::uint8_t flags = agreed ? kSyn | kAck | kEce : kSyn | kAck;
    t(ExpectFirst{kPlain})(Answer{kPlain, flags})(ExpectAck{0});
    t(Data{0, 1000}.ce())(Data{1000, 1000})(ExpectAck{2000}.ece(agreed));
  }
}

TEST(OpeningReceiver, FreezeKnowsTheRoundTripOfAHandshake) {
  for (const double answered_ms : {100.0, 1100.0}) {  // the SYN of the second was sent twice
    ReceiverConfig c = opener();
    c.freeze = true;
    ReceiverBench t(c);
    t(Begin{})(Elapse{answered_ms})(Ignore{})(Answer{kPlain})(ExpectAck{0}.window(64'000));
    t.endpoint.expect_handover(t.now_ns + 90 * kMs);
    t(Data{0, 1000})(Ignore{})(Data{1000, 1000});
    EXPECT_EQ(t.sent.back().window == 0, answered_ms == 100.0);
    t(Ignore{});
  }
}

// Between the two ends, with round trips of 40 ms.
struct Download {
  explicit Download(ReceiverConfig rc = {}) : link(sender_of(PST_SENDER_CUBIC), opens(rc), 14'480) {
    link.script = [this](Segment& s, bool) {
      if (s.payload_bytes && !first_data_ns) first_data_ns = link.now_ns;
      const bool lost = n < lose.size() && lose[n] == '1';
      ++n;
      return MiniLink::Fate{.lost = lost, .extra_ns = 0};
    };
  }
  static ReceiverConfig opens(ReceiverConfig rc) {
    rc.opens = true;
    return rc;
  }
  void play() {
    link.open();
    ASSERT_TRUE(link.run(100 * kSecond));
    EXPECT_TRUE(link.sender.done());
    EXPECT_TRUE(link.receiver.finished());
    EXPECT_EQ(link.receiver.counters().delivered_bytes, 14'480U);
  }

  MiniLink link;
  std::string lose{};  // a 1 for each segment that is lost, in their order
  std::size_t n = 0;
  std::uint64_t first_data_ns = 0;
};

TEST(Download, BeginsAfterOneAndAHalfRoundTrips) {
  Download d;
  d.play();
  EXPECT_EQ(d.first_data_ns, 60'000'000U);
  EXPECT_EQ(d.link.sender.counters().retransmissions, 0U);
}

TEST(Download, SurvivesTheLossOfEachPartOfTheHandshake) {
  for (const auto& [lose, begins_ns] : std::initializer_list<std::pair<const char*, std::uint64_t>>{
           {"1", 1'060'000'000},      // the SYN
           {"01", 1'060'000'000},     // the SYN-ACK: both ends repeat theirs at the same time
           {"001", 1'060'000'000}}) {  // the ACK: 1 s after the SYN-ACK, which then is repeated
    Download d;
    d.lose = lose;
    d.play();
    EXPECT_EQ(d.first_data_ns, begins_ns) << lose;
    EXPECT_EQ(d.link.sender.counters().timeouts, 0U) << lose;
  }
}

TEST(Download, TheFirstFlightObeysTheWindowOfTheRequest) {
  ReceiverConfig rc;
  rc.buffer_bytes = 500'000;
  Download d(rc);
  auto script = d.link.script;
  d.link.script = [&](Segment& s, bool to_receiver) {
    if (!to_receiver && !(s.flags & kSyn) && !d.first_data_ns) s.window = 2 * 1448 >> 3;
    return script(s, to_receiver);
  };
  d.link.open();
  ASSERT_TRUE(d.link.run(70'000'000));
  EXPECT_EQ(d.link.sender.flight_bytes(), 2'896U);
}

}  // namespace
}  // namespace penstock::tcp
