// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/load/plan.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <vector>

#include "linux/lab/load/pattern.h"

namespace penstock::load {
namespace {

std::vector<Flow> read(const std::string& text) {
  std::istringstream stream(text);
  return read_flows(stream);
}

TEST(Plan, ReadsFlows) {
  const auto flows = read(
      "# a comment\n\n"
      "receive tcp id=3 at=10.0.0.2 port=5003 size=5MB window=64kB segment=1460\n"
      "send udp id=4 to=fd00::2 port=5004 start=1s stop=2s rate=2mbit payload=1400\n");
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_FALSE(flows[0].sends);
  EXPECT_EQ(flows[0].window_bytes, 64'000u);
  EXPECT_EQ(flows[1].address, "fd00::2");
  EXPECT_EQ(flows[1].stop_ns, 2'000'000'000u);
}

TEST(Plan, AFlowMayWaitForAnother) {
  const auto flows = read("send tcp id=7 to=::1 port=2 after=0 pause=2s size=10kB\n");
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0].after, 0u);
  EXPECT_EQ(flows[0].pause_ns, 2'000'000'000u);
  EXPECT_FALSE(read("send tcp to=::1 port=1\n")[0].after);
  EXPECT_THROW(read("receive tcp at=::1 port=1 after=0\n"), std::invalid_argument);
  EXPECT_THROW(read("send udp to=::1 port=1 rate=1mbit payload=8 after=0\n"),
               std::invalid_argument);
}

// The one with to= connects; a UDP flow has no such choice.
TEST(Plan, KnowsWhoOpens) {
  const auto flows = read("send tcp at=::1 port=1\nreceive tcp to=::1 from=::1 port=1 start=1s\n");
  EXPECT_FALSE(flows[0].opens);
  EXPECT_TRUE(flows[1].opens);
  EXPECT_EQ(flows[1].start_ns, 1'000'000'000u);
  EXPECT_THROW(read("receive udp to=::1 port=1\n"), std::invalid_argument);
}

TEST(Plan, NamesTheLineOfAMistake) {
  try {
    read("receive tcp at=::1 port=1\nsend tcp to=::1 port=1 sise=5MB\n");
    FAIL() << "a mistake was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
  }
}

TEST(Plan, RefusesFlowsThatCannotBe) {
  for (const char* line : {"send tcp port=1", "send tcp to=::1", "send tcp to=::1 port=65536",
                           "send udp to=::1 port=1 payload=4 rate=1mbit", "give tcp to=::1"})
    EXPECT_THROW(read(line), std::invalid_argument) << line;
}

TEST(Pattern, IsTheSameHoweverItIsCut) {
  std::vector<std::uint8_t> whole(1000), part(13);
  fill_pattern(5, 0, whole);
  for (std::size_t offset = 0; offset + part.size() <= whole.size(); ++offset) {
    fill_pattern(5, offset, part);
    ASSERT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<long>(offset)));
  }
}

TEST(Pattern, DiffersBetweenFlowsAndPlaces) {
  std::vector<std::uint8_t> one(64), other(64), later(64);
  fill_pattern(1, 0, one);
  fill_pattern(2, 0, other);
  fill_pattern(1, 64, later);
  EXPECT_NE(one, other);
  EXPECT_NE(one, later);
}

TEST(Checksum, IsFnv1a) {
  Checksum sum;
  const std::uint8_t bytes[] = {'f', 'o', 'o', 'b', 'a', 'r'};
  sum.add(bytes);
  EXPECT_EQ(sum.value(), 0x85944171f73967e8u);  // the reference value of FNV's authors
}

}  // namespace
}  // namespace penstock::load
