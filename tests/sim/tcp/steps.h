// SPDX-License-Identifier: GPL-2.0-only
// The typed steps of a protocol test, and the bench that plays them. Positions are
// offsets in the payload: 0 is its first byte. A step that fails prints the steps
// that led there; a segment that nobody expected is a failure too.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/tcp/config.h"
#include "tests/sim/times.h"

namespace penstock::tcp {

inline constexpr std::uint32_t kSenderIsn = 4'000'000;
inline constexpr std::uint32_t kReceiverIsn = 9'000'000;

inline std::string describe(const Segment& s, std::uint32_t seq_base, std::uint32_t ack_base) {
  std::ostringstream text;
  if (s.flags & kSyn) text << "SYN ";
  if (s.flags & kFin) text << "FIN ";
  text << "seq " << static_cast<std::int32_t>(s.seq - seq_base) << " payload " << s.payload_bytes;
  if (s.flags & kAck) text << " ack " << static_cast<std::int32_t>(s.ack - ack_base);
  text << " window field " << s.window;
  if (s.flags & kEce) text << " ECE";
  if (s.flags & kCwr) text << " CWR";
  if (!(s.flags & kSyn)) {
    for (unsigned i = 0; i < (s.options & kSackCountMask); ++i) {
      text << " sack " << static_cast<std::int32_t>(s.sack[i].start - ack_base) << ".."
           << static_cast<std::int32_t>(s.sack[i].end - ack_base);
    }
  }
  return text.str();
}

template <class Bench>
class Step {
 public:
  virtual ~Step() = default;
  virtual std::string text() const = 0;
  virtual void run(Bench& bench) const = 0;
};

struct StepFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T, class U>
void require_equal(const char* what, const T& found, const U& wanted) {
  if (found == wanted) return;
  std::ostringstream text;
  text << what << " is " << +found << ", expected " << +wanted;
  throw StepFailed(text.str());
}

// Endpoint under test, its clock and what it sent. `Self` is the concrete bench.
template <class Self, class Endpoint>
class Bench : public Output {
 public:
  template <class... Args>
  explicit Bench(Args&&... args) : endpoint(std::forward<Args>(args)...) {}
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  ~Bench() {
    if (!failed_ && !sent.empty()) report("segments left that no step expected");
  }

  Self& operator()(const Step<Self>& step) {
    auto& self = static_cast<Self&>(*this);
    if (failed_) return self;
    steps_.push_back(step.text());
    try {
      step.run(self);
    } catch (const StepFailed& failure) {
      report(failure.what());
    }
    return self;
  }

  void transmit(const Segment& s) override { sent.push_back(s); }

  void advance(std::uint64_t duration_ns) {
    const std::uint64_t until_ns = now_ns + duration_ns;
    while (endpoint.next_timer_ns() <= until_ns) {
      now_ns = std::max(now_ns, endpoint.next_timer_ns());
      endpoint.on_timer(now_ns, *this);
    }
    now_ns = until_ns;
  }

  Segment take() {
    if (sent.empty()) throw StepFailed("nothing was sent");
    const Segment s = sent.front();
    sent.pop_front();
    return s;
  }

  Endpoint endpoint;
  std::uint64_t now_ns = 1'000'000'000;
  std::deque<Segment> sent;

 private:
  void report(const std::string& why) {
    failed_ = true;
    std::ostringstream text;
    text << why << "\nsteps:\n";
    for (const std::string& step : steps_) text << "  " << step << "\n";
    text << "not yet expected:\n";
    for (const Segment& s : sent) {
      text << "  " << describe(s, Self::kSeqBase, Self::kAckBase) << "\n";
    }
    ADD_FAILURE() << text.str();
  }

  std::vector<std::string> steps_;
  bool failed_ = false;
};

// Steps that any bench knows.
template <class B>
struct Advance : Step<B> {
  explicit Advance(double ms) : ms_(ms) {}
  std::string text() const override { return "advance " + std::to_string(ms_) + " ms"; }
  void run(B& b) const override { b.advance(static_cast<std::uint64_t>(ms_ * 1e6)); }

 private:
  double ms_;
};

template <class B>
struct ExpectNone : Step<B> {
  std::string text() const override { return "expect nothing"; }
  void run(B& b) const override {
    if (!b.sent.empty()) throw StepFailed("a segment was sent");
  }
};

// Drops what was sent so far, where a test is about something else.
template <class B>
struct Drain : Step<B> {
  std::string text() const override { return "drain"; }
  void run(B& b) const override { b.sent.clear(); }
};

// `what` computed from the endpoint is `wanted`.
template <class B>
struct ExpectValue : Step<B> {
  using Get = std::uint64_t (*)(const B&);
  ExpectValue(const char* what, Get get, std::uint64_t wanted)
      : what_(what), get_(get), wanted_(wanted) {}
  std::string text() const override {
    return std::string("expect ") + what_ + " " + std::to_string(wanted_);
  }
  void run(B& b) const override { require_equal(what_, get_(b), wanted_); }

 private:
  const char* what_;
  Get get_;
  std::uint64_t wanted_;
};

}  // namespace penstock::tcp
