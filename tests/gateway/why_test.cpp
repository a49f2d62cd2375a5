// SPDX-License-Identifier: GPL-2.0-only
// Reasons in words, the log that they are read from, and the files that hold it.
#include "linux/gateway/tool/record/why.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "linux/common/clock.h"
#include "linux/gateway/tool/record/minute.h"
#include "linux/gateway/tool/record/rotating.h"

namespace penstock::gw {
namespace {

Summary full_line() {
  Summary s;
  s.state = State::kLive;
  s.seconds = 60;
  s.rate_bps = 20e6;
  s.sent_bps = 19.6e6;
  s.controlled_ratio = 1;
  s.delay_mean_ns = 5.1e6;
  s.delay_95_ns = 6.4e6;
  s.target_ns = 5e6;
  s.flows_mean = 8;
  return s;
}

bool has(const Summary& s, const std::string& words) {
  const bool found = reason_of(s).find(words) != std::string::npos;
  if (!found) ADD_FAILURE() << words << " is not in: " << reason_of(s);
  return found;
}

TEST(Reasons, AFullLineIsShared) {
  EXPECT_EQ(reason_of(full_line()),
            "The line was full (98 % of 20.0 Mbit/s), shared by 8 flows, about 2.50 Mbit/s for "
            "each. The queue held packets for 5.10 ms on average, 6.40 ms at most in 95 % of the "
            "samples; its target is 5.00 ms. Nothing was dropped.");
}

TEST(Reasons, AnIdleLineIsNotTheCause) {
  Summary s = full_line();
  s.sent_bps = 1e6;
  has(s, "not full (5 % of 20.0 Mbit/s): what was slow here was slow elsewhere.");
}

TEST(Reasons, ARateThatIsNotKnown) {
  Summary s = full_line();
  s.rate_bps = 0;
  EXPECT_EQ(reason_of(s),
            "The rate further down was not known, so all passed unchanged (19.6 Mbit/s). "
            "Nothing was dropped.");
}

TEST(Reasons, TrafficThatNoWindowControls) {
  Summary s = full_line();
  s.controlled_ratio = 0.4;
  s.drops = 1;
  has(s, "60 % of the bytes were of traffic that no window controls.");
  has(s, "1 packet was dropped: much of the traffic does not obey windows.");
}

TEST(Reasons, DropsByWhatIsKnown) {
  Summary s = full_line();
  s.drops = 12;
  s.flows_opened = 40;
  has(s, "12 packets were dropped: 40 flows opened, whose first segments precede every ACK.");
  s.state = State::kObserve;
  has(s, "12 packets were dropped: it only observes, so no window was reduced.");
  s.modelled = true;
  has(s, "12 packets would have been dropped: it only observes");
}

TEST(Reasons, TroubleAndItsRemedy) {
  Summary s = full_line();
  s.delay_mean_ns = 40e6;
  s.trouble = "the law stands at its floor";
  has(s, "far above its target of 5.00 ms");
  has(s, "Warning: the law stands at its floor.");
  s.state = State::kDegraded;
  EXPECT_TRUE(reason_of(s).starts_with("Degraded: the law stands at its floor. "));
  EXPECT_EQ(reason_of({}), "Nothing was controlled: not attached.");
}

TEST(Minutes, OfAnAttachmentThatEndsCountWhatItSent) {
  Snapshot s;
  s.state = State::kLive;
  s.attachment.since_ns = 1;
  s.counters.value[GW_COUNT_data_bytes] = 1000;
  Minute minute;
  minute.look(s, 0);
  s.counters.value[GW_COUNT_forward_bytes] = 5000;
  s.counters.value[GW_COUNT_flows_opened] = 2;
  minute.look(s, kNsPerS);
  minute.look({}, 2 * kNsPerS);
  EXPECT_EQ(minute.summary().sent_bps, 8 * 5000 / 2);
  EXPECT_EQ(minute.summary().flows_opened, 2U);
  EXPECT_EQ(minute.line()["acks_by"]["method"], 0U);
}

Snapshot dropping(bool observe, std::uint64_t drops, std::uint64_t opened) {
  Snapshot s;
  s.state = observe ? State::kObserve : State::kLive;
  s.attachment.since_ns = 1;
  s.attachment.config.gateway.observe = observe;
  s.drops = drops;
  s.counters.value[GW_COUNT_flows_opened] = opened;
  return s;
}

// Drops of a time that only observed are no fault of control.
TEST(Minutes, EndWhereObservingEnds) {
  Minute minute;
  minute.look(dropping(true, 0, 0), 0);
  minute.look(dropping(true, 40, 7), kNsPerS);
  EXPECT_FALSE(minute.ends_before(dropping(true, 41, 7)));
  EXPECT_FALSE(minute.ends_before({})) << "a detach is in the minute that it ends";
  ASSERT_TRUE(minute.ends_before(dropping(false, 41, 7)));
  EXPECT_EQ(minute.line()["state"], "observe");
  EXPECT_EQ(minute.line()["queue_drops"], 40U);
  Minute next;
  EXPECT_FALSE(next.ends_before(dropping(false, 41, 7)));
  next.look(dropping(false, 41, 7), 2 * kNsPerS);
  next.look(dropping(false, 41, 7), 3 * kNsPerS);
  EXPECT_EQ(next.line()["state"], "live");
  EXPECT_EQ(next.line()["queue_drops"], 0U);
}

Line at(const char* kind, std::uint64_t time_s) {
  Line line{{"kind", kind}, {"time_ns", time_s * kNsPerS}};
  if (line["kind"] == "minute") line["begin_ns"] = (time_s - 60) * kNsPerS;
  return line;
}

std::string times(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines)
    text += line["kind"].get<std::string>().substr(0, 1) +
            std::to_string(line["time_ns"].get<std::uint64_t>() / kNsPerS) + " ";
  return text;
}

TEST(Why, TheMinutesAroundAndTheEventsBefore) {
  std::vector<Line> log{at("head", 0), at("event", 100), at("event", 3000)};
  for (std::uint64_t s = 60; s <= 3600; s += 60) log.push_back(at("minute", s));
  EXPECT_EQ(times(lines_about(log, 3000 * kNsPerS)), "m2940 m3000 e3000 m3060 m3120 ");
  EXPECT_EQ(times(lines_about(log, 700 * kNsPerS)), "e100 m660 m720 m780 ");
  EXPECT_EQ(lines_about(log, {}).size(), 12U) << "eleven minutes and the event of ten minutes ago";
  EXPECT_TRUE(lines_about({}, {}).empty());
}

TEST(Why, ATimeIsTheLastOneThatHasBeen) {
  setenv("TZ", "UTC", 1);
  tzset();
  const std::uint64_t noon_ns = (20'000 * 86'400ULL + 43'200) * kNsPerS;  // 2024-10-04
  const std::uint64_t minute_ns = 60 * kNsPerS;
  EXPECT_EQ(parse_moment_ns("11:59", noon_ns), noon_ns - minute_ns);
  EXPECT_EQ(parse_moment_ns("12:01", noon_ns), noon_ns - (24 * 60 - 1) * minute_ns);
  EXPECT_EQ(parse_moment_ns("2024-10-03 12:00", noon_ns), noon_ns - 24 * 60 * minute_ns);
  setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  tzset();
  const std::uint64_t summer_ns =
      1'711'872'000 * kNsPerS;  // 2024-03-31 10:00, of a day of 23 hours
  EXPECT_EQ(parse_moment_ns("20:15", summer_ns), parse_moment_ns("2024-03-30 20:15", summer_ns));
  for (const char* wrong : {"", "noon", "25:00", "12:00:00", "2024-10-03"})
    EXPECT_THROW(parse_moment_ns(wrong, noon_ns), std::invalid_argument) << wrong;
}

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(RotatingFiles, KeepTheNewestLinesWithinTheirSize) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("penstock-rotating-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = folder / "log";
  {
    RotatingFile file(path, 30, 3);
    for (int i = 0; i < 9; ++i) {
      file.make_room(4);
      EXPECT_EQ(file.is_new(), i % 2 == 0);
      file.write("ln" + std::to_string(i) + "\n");
    }
  }
  EXPECT_EQ(content(path), "ln8\n");
  EXPECT_EQ(content(path + ".1"), "ln6\nln7\n");
  EXPECT_EQ(content(path + ".2"), "ln4\nln5\n");
  EXPECT_FALSE(std::filesystem::exists(path + ".3"));
  RotatingFile again(path, 30, 3);
  again.make_room(3);
  again.write("ln9");
  EXPECT_EQ(content(path), "ln8\nln9") << "after a restart it goes on";
  RotatingFile(path, 30, 3).write("l10\n");
  EXPECT_EQ(content(path), "ln8\nln9\nl10\n") << "and leaves a line that was cut off";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace penstock::gw
