// SPDX-License-Identifier: GPL-2.0-only
// What others leave of a line: against a twin in floating point, and a line with a queue, which the
// class fills, leaves and finds again.
#include "core/queue/background.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>

namespace {

constexpr u64 kMs = 1'000'000;
constexpr u64 kPacketBytes = 1500;

// Equations 1 and 2, from the text.
double twin(const pst_background& before, const pst_line& l, u64 packet_bytes) {
  const double rtt = 1e-9 * static_cast<double>(l.rtt_ns);
  const double step = std::clamp(rtt, 0.020, 0.200);
  const double wait = 1e-9 * static_cast<double>(l.wait_ns);
  const double c = static_cast<double>(l.rate_bytes_per_s);
  const double target = std::max(l.target_ns ? 1e-9 * static_cast<double>(l.target_ns) : 0.003,
                                 2 * static_cast<double>(packet_bytes) / c);
  const double line = wait > target ? std::min(c, static_cast<double>(l.sent_bytes_per_s)) : c;
  const double since = 1e-9 * static_cast<double>(l.now_ns - before.stepped_ns);
  const double others = (static_cast<double>(l.line_bytes - before.line_bytes) -
                         static_cast<double>(l.own_bytes - before.own_bytes)) /
                        since;
  const double e = wait < 0.001 && before.nothing_steps >= 2 ? 2 * target / (rtt + step)
                                                             : (target - wait) / (4 * (rtt + step));
  const double grown =
      std::clamp(wait - 1e-9 * static_cast<double>(before.wait_ns), -since / 2, since / 2);
  const double left = std::max(std::max(line - others, 0.0) - line * grown / (2 * since), 0.0);
  const double rate =
      std::max(left + line * e, 0.0) * (1 - static_cast<double>(l.drain_q16) / 65536);
  return std::max(std::clamp(rate, 0.0, line * 9 / 8), static_cast<double>(packet_bytes) / step);
}

TEST(Background, GivesWhatItsTwinDoes) {
  std::mt19937_64 random(1);
  const auto up_to = [&](u64 most) { return std::uniform_int_distribution<u64>(0, most)(random); };
  for (int i = 0; i < 20'000; ++i) {
    pst_background b{up_to(1u << 30), 1 + up_to(u64{1} << 50), up_to(u64{1} << 50),
                     up_to(1u << 30), up_to(100 * kMs),        up_to(3)};
    const pst_background before = b;
    pst_line l{};
    l.now_ns = b.stepped_ns + 20 * kMs + up_to(500 * kMs);
    const u64 own = up_to(1u << up_to(26));
    l.own_bytes = b.own_bytes + own;
    l.line_bytes = b.line_bytes + own + up_to(1u << up_to(26));
    l.rate_bytes_per_s = 1000 + up_to(u64{1} << (10 + up_to(28)));
    l.sent_bytes_per_s = 1 + up_to(l.rate_bytes_per_s);
    l.wait_ns = up_to(1u << up_to(30));
    l.rtt_ns = up_to(1u << up_to(30));
    l.target_ns = i % 3 ? 0 : up_to(50 * kMs);
    l.drain_q16 = i % 5 ? 0 : up_to(16384);
    pst_background_step(&b, &l, kPacketBytes);
    const double right = twin(before, l, kPacketBytes);
    EXPECT_NEAR(static_cast<double>(b.rate_bytes_per_s), right, 4 + 1e-3 * right) << i;
  }
}

// A line whose queue is one number, and a class whose rate arrives a round trip after its step.
class Loop {
 public:
  explicit Loop(double line, double rtt_s = 0.040) : line_(line), rtt_s_(rtt_s) {}

  void run(double seconds, double others) {
    for (const double end_s = now_s_ + seconds; now_s_ < end_s;) tick(others);
  }
  void set_line(double bytes_per_s) { line_ = bytes_per_s; }
  double wait_s() const { return queue_ / line_; }
  double most_wait_s() const { return most_wait_s_; }
  double own() const { return own_sum_ / span_s_; }
  void watch() { own_sum_ = span_s_ = most_wait_s_ = 0; }

 private:
  static constexpr double kTickS = 0.001;

  void tick(double others) {
    now_s_ += kTickS;
    while (!coming_.empty() && coming_.front().first <= now_s_) {
      rate_ = coming_.front().second;
      coming_.pop_front();
    }
    const double room = line_ * kTickS, came = (rate_ + others) * kTickS;
    const double left = std::min(queue_ + came, room);
    queue_ += came - left;
    // What passes of each is what came of it, as in a queue in order.
    const double own = came > 0 ? left * rate_ / (rate_ + others) : 0;
    own_bytes_ += own, line_bytes_ += left, own_sum_ += own, span_s_ += kTickS;
    sent_ += (left / kTickS - sent_) * kTickS / 0.05;
    // As departure_rate.h: twice what passes until a queue has stood, then what does while one
    // stands.
    if (queue_ > room) stood_s_ += kTickS;
    if (stood_s_ < 0.05)
      known_ = std::max(2 * sent_, 125'000.0);
    else if (queue_ > room)
      known_ += (left / kTickS - known_) * kTickS / 0.05;
    known_ = std::max(known_, sent_);
    most_wait_s_ = std::max(most_wait_s_, wait_s());
    step();
  }

  void step() {
    pst_line l{};
    l.now_ns = static_cast<u64>(1e9 * now_s_);
    l.rtt_ns = static_cast<u64>(1e9 * rtt_s_);
    if (!pst_background_is_due(&class_, l.rtt_ns, l.now_ns)) return;
    l.line_bytes = static_cast<u64>(line_bytes_);
    l.own_bytes = static_cast<u64>(own_bytes_);
    l.rate_bytes_per_s = static_cast<u64>(known_);
    l.sent_bytes_per_s = static_cast<u64>(sent_);
    l.wait_ns = static_cast<u64>(1e9 * wait_s());
    pst_background_step(&class_, &l, kPacketBytes);
    coming_.emplace_back(now_s_ + rtt_s_, static_cast<double>(class_.rate_bytes_per_s));
  }

  double line_, rtt_s_;
  double now_s_ = 1, queue_ = 0, rate_ = 0, known_ = 125'000, sent_ = 0, stood_s_ = 0;
  double own_bytes_ = 0, line_bytes_ = 0, own_sum_ = 0, span_s_ = 0, most_wait_s_ = 0;
  pst_background class_{};
  std::deque<std::pair<double, double>> coming_;
};

constexpr double kLine = 2.5e6;

TEST(Background, HasTheWholeLineAtItsTargetWhereNobodyElseIs) {
  for (const double rtt_s : {0.005, 0.040, 0.150}) {
    Loop loop(kLine, rtt_s);
    loop.run(15, 0);
    loop.watch();
    loop.run(5, 0);
    EXPECT_GT(loop.own(), 0.97 * kLine) << rtt_s;
    EXPECT_LT(loop.most_wait_s(), 0.005) << rtt_s;
  }
}

TEST(Background, HasWhatOthersLeaveAndGivesWayWithinASecond) {
  Loop loop(kLine);
  loop.run(10, 0);
  loop.watch();
  loop.run(1, 0.8 * kLine);
  // 64 ms of it come before a step and a round trip are over.
  EXPECT_LT(loop.most_wait_s(), 0.1);
  loop.run(1, 0.8 * kLine);
  loop.watch();
  loop.run(5, 0.8 * kLine);
  EXPECT_NEAR(loop.own(), 0.2 * kLine, 0.02 * kLine);
  EXPECT_LT(loop.most_wait_s(), 0.006);
}

TEST(Background, KeepsASegmentInARoundTripWhereOthersFillTheLine) {
  Loop loop(kLine);
  loop.run(5, 0);
  loop.run(3, 1.02 * kLine);
  loop.watch();
  loop.run(1, 1.02 * kLine);
  EXPECT_NEAR(loop.own(), kPacketBytes / 0.040, 0.1 * kPacketBytes / 0.040);
}

TEST(Background, FindsARateThatRisesAndYieldsToOneThatFalls) {
  Loop loop(kLine);
  loop.run(5, 0);
  loop.set_line(4 * kLine);
  loop.run(4, 0);
  loop.watch();
  loop.run(2, 0);
  EXPECT_GT(loop.own(), 0.95 * 4 * kLine);
  loop.set_line(kLine);
  loop.run(4, 0);
  loop.watch();
  loop.run(4, 0);
  EXPECT_GT(loop.own(), 0.95 * kLine);
  EXPECT_LT(loop.most_wait_s(), 0.006);
}

}  // namespace
