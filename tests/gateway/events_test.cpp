// SPDX-License-Identifier: GPL-2.0-only
// What is told of changes, and of drops that control avoids.
#include "linux/gateway/tool/view/events.h"

#include <gtest/gtest.h>

#include "linux/common/clock.h"
#include "linux/gateway/tool/settings/settings.h"
#include "linux/gateway/tool/view/avoided.h"

namespace penstock::gw {
namespace {

Snapshot attached(const std::string& rate, bool observe, const std::string& target = "5ms") {
  Settings settings;
  settings.rate = rate;
  settings.target = target;
  settings.observe = observe;
  const Plan plan = plan_of(settings);
  Snapshot s;
  s.state = observe ? State::kObserve : State::kLive;
  s.attachment.config = plan.config;
  s.attachment.target_ns = plan.target_ns;
  s.attachment.params_given = plan.params_given;
  s.attachment.since_ns = 1;
  return s;
}

// "name: reason; name: reason".
std::string told(const Snapshot& before, const Snapshot& after) {
  std::string text;
  for (const Event& event : events_between(before, after))
    text += (text.empty() ? "" : "; ") + std::string(event.name) + ": " + event.reason;
  return text;
}

TEST(Events, NothingHappensBetweenEqualLooks) {
  EXPECT_EQ(told(attached("20mbit", false), attached("20mbit", false)), "");
  EXPECT_EQ(told({}, {}), "");
}

TEST(Events, AttachAndDetach) {
  Snapshot off;
  off.reason = "not attached";
  const Snapshot on = attached("20mbit", true);
  EXPECT_EQ(told(off, on), "attach: penstock, safe mode, at 20.0 Mbit/s, observing");
  EXPECT_EQ(told(on, off), "detach: not attached");
  Snapshot again = on;
  again.attachment.since_ns = 2;
  EXPECT_EQ(told(on, again),
            "detach: detached, and attached again; "
            "attach: penstock, safe mode, at 20.0 Mbit/s, observing");
}

TEST(Events, SettingsWithTheirOldValues) {
  const Snapshot before = attached("20mbit", true);
  EXPECT_EQ(told(before, attached("10mbit", true)), "set: rate = \"10mbit\" (was \"20mbit\")");
  EXPECT_EQ(told(before, attached("20mbit", true, "8ms")), "set: target = \"8ms\" (was \"5ms\")");
  EXPECT_EQ(told(before, attached("20mbit", false)), "live: set to live: windows are rewritten");
}

TEST(Events, DegradedWithItsReason) {
  const Snapshot good = attached("20mbit", false);
  Snapshot bad = good;
  bad.state = State::kDegraded;
  bad.reason = "the timer of the method has stopped";
  EXPECT_EQ(told(good, bad), "degraded: the timer of the method has stopped");
  EXPECT_EQ(told(bad, bad), "");
  EXPECT_EQ(told(bad, good), "recovered: no longer: the timer of the method has stopped");
}

TEST(Events, TheFloorWithItsRemedy) {
  const Snapshot above = attached("20mbit", false);
  Snapshot at = above;
  at.floor = PST_FLOOR_SEGMENT;
  EXPECT_EQ(told(above, at), "floor: " + at.warning());
  EXPECT_EQ(told(at, above), "floor_left: smaller windows shorten the queue again");
}

// A second at a time; drops so many a second.
class Seconds {
 public:
  void pass(State state, int seconds, std::uint64_t drops_per_s) {
    for (int i = 0; i < seconds; ++i) {
      now_ns_ += kNsPerS;
      drops_ += drops_per_s;
      avoided_.look(state, drops_, now_ns_);
    }
  }
  void replace_queue() { drops_ = 0; }
  nlohmann::ordered_json json() const { return avoided_.json(); }

 private:
  Avoided avoided_;
  std::uint64_t now_ns_ = 0;
  std::uint64_t drops_ = 0;
};

TEST(DropsAvoided, AreNotKnownWithoutBothStates) {
  Seconds s;
  EXPECT_FALSE(s.json()["known"]);
  s.pass(State::kLive, 100, 5);
  EXPECT_FALSE(s.json()["known"]);
  s.pass(State::kObserve, 4, 50);
  EXPECT_FALSE(s.json()["known"]) << "too short";
  s.pass(State::kDegraded, 100, 50);
  EXPECT_FALSE(s.json()["known"]);
}

TEST(DropsAvoided, AreTheDifferenceOfNeighbours) {
  Seconds s;
  s.pass(State::kObserve, 10, 40);
  s.pass(State::kLive, 10, 2);
  EXPECT_EQ(s.json()["drops_per_s"], 38);
  EXPECT_EQ(s.json()["pairs"], 1);
  EXPECT_FALSE(s.json().contains("interval"));
  s.pass(State::kObserve, 10, 50);
  s.replace_queue();
  s.pass(State::kLive, 10, 2);
  EXPECT_EQ(s.json()["drops_per_s"], 43);
  EXPECT_EQ(s.json()["pairs"], 2);
  EXPECT_LT(s.json()["interval"][0], 43);
}

}  // namespace
}  // namespace penstock::gw
