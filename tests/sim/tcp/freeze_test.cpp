// SPDX-License-Identifier: GPL-2.0-only
// Freeze-TCP's receiver, nis-2004 section 15.3.4. The round trip is 50 ms.
#include "receiver_steps.h"

namespace penstock::tcp {
namespace {

ReceiverConfig freezing() {
  ReceiverConfig c = test_receiver();
  c.freeze = true;
  c.freeze_wakes = 3;
  c.delayed_ack_segments = 1;
  return c;
}

struct HandoverAt : ReceiverStep {
  explicit HandoverAt(std::uint64_t ms) : ms_(ms) {}
  std::string text() const override { return "a handover will come"; }
  void run(ReceiverBench& b) const override {
    b.endpoint.expect_handover(b.now_ns + ms_ * 1'000'000);
  }

 private:
  std::uint64_t ms_;
};

struct HandoverDone : ReceiverStep {
  std::string text() const override { return "the host has a cell again"; }
  void run(ReceiverBench& b) const override { b.endpoint.on_handover_done(b.now_ns, b); }
};

ExpectAck closed(std::uint32_t offset) { return ExpectAck{offset}.window(0); }
ExpectAck open(std::uint32_t offset) { return ExpectAck{offset}.window(64'000); }

void expect_woken(ReceiverBench& t, std::uint32_t offset) {
  t(open(offset))(open(offset))(open(offset))(Silence{});
}

TEST(Freeze, ClosesTheWindowOneRoundTripBefore) {
  ReceiverBench t(freezing());
  accept(t);
  t(HandoverAt{100})(Data{0, 1000})(open(1000));
  t(Elapse{49})(Data{1000, 1000})(open(2000));
  t(Elapse{1})(Data{2000, 1000})(closed(3000));
  // What the sender had sent by then is inside of what was granted.
  t(Elapse{49})(Data{3000, 1000})(closed(4000));
  t(Elapse{1})(Data{4000, 1000})(open(5000));  // the time has passed
}

TEST(Freeze, IsSilentUnlessThereIsSomethingToAcknowledge) {
  ReceiverBench t(freezing());
  accept(t);
  t(HandoverAt{100})(Elapse{60})(Silence{});
}

TEST(Freeze, AnACKDoesNotWaitForTheHandover) {
  ReceiverConfig c = freezing();
  c.delayed_ack_segments = 2;
  ReceiverBench t(c);
  accept(t);
  t(HandoverAt{60})(Data{0, 1000})(Silence{})(Elapse{20})(Data{1000, 1000})(closed(2000));
  t(Data{2000, 1000})(closed(3000));
}

TEST(Freeze, ThreeACKsWakeTheSenderUntilDataArrives) {
  ReceiverBench t(freezing());
  accept(t);
  t(HandoverAt{40})(Data{0, 1000})(closed(1000));
  t(Elapse{540})(HandoverDone{});
  expect_woken(t, 1000);
  t(Elapse{99})(Silence{})(Elapse{1});  // two round trips
  expect_woken(t, 1000);
  t(Data{1000, 1000})(open(2000))(Elapse{1000})(Silence{});
}

TEST(Freeze, GivesUpAfterSoManyTimes) {
  ReceiverBench t(freezing());
  accept(t);
  t(Data{0, 1000})(open(1000))(HandoverDone{});
  for (int i = 0; i < 3; ++i) {
    expect_woken(t, 1000);
    t(Elapse{100});
  }
  t(Elapse{10'000})(Silence{});
  t(HandoverDone{});  // the next handover has its own
  expect_woken(t, 1000);
}

TEST(Freeze, MeasuresTheRoundTripByTimestamps) {
  ReceiverConfig c = freezing();
  c.timestamps = true;
  ReceiverBench t(c);
  accept(t);
  // Samples of 200 ms: the mean goes from 50 to 199 ms.
  std::int32_t at = 0;
  std::uint32_t echo = 0;
  for (std::uint32_t i = 0; i < 40; ++i, at += 1000) {
    t(Elapse{200});
    echo = static_cast<std::uint32_t>(t.now_ns / 1000) - 200'000;
    t(Data{at, 1000}.echo(echo))(Ignore{});
  }
  const auto end = static_cast<std::uint32_t>(at);
  t(HandoverAt{201})(Data{at, 1000}.echo(echo))(open(end + 1000));
  t(Elapse{5})(Data{at + 1000, 1000}.echo(echo))(closed(end + 2000));
}

TEST(Freeze, IsAnOption) {
  ReceiverConfig c = freezing();
  c.freeze = false;
  ReceiverBench t(c);
  accept(t);
  t(HandoverAt{10})(Data{0, 1000})(open(1000))(HandoverDone{})(Silence{});
}

}  // namespace
}  // namespace penstock::tcp
