// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/link/units.h"

#include <gtest/gtest.h>

#include "gateway/link/options.h"

namespace penstock {
namespace {

TEST(Units, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_time_ns("20ms"), 20'000'000u);
  EXPECT_EQ(parse_time_ns("0.5us"), 500u);
  EXPECT_EQ(parse_size_bytes("97kB"), 97'000u);
  EXPECT_EQ(parse_size_bytes("1MiB"), 1u << 20);
  EXPECT_EQ(parse_rate_bps("1gbit"), 1'000'000'000u);
  EXPECT_DOUBLE_EQ(parse_ratio("0.1%"), 0.001);
  EXPECT_DOUBLE_EQ(parse_ratio("0.25"), 0.25);
}

TEST(Units, RefusesWhatIsNoQuantity) {
  for (const char* text : {"", "20", "ms", "-1ms", "20 ms", "nanms", "1e99s", "20msx"})
    EXPECT_THROW(parse_time_ns(text), UsageError) << text;
  for (const char* text : {"100%", "1", "-0.1", "0.1%%", "x"})
    EXPECT_THROW(parse_ratio(text), UsageError) << text;
  for (const char* text : {"", "-1", "1x", "99999999999999999999"})
    EXPECT_THROW(parse_count(text), UsageError) << text;
}

link::Options options_of(std::vector<const char*> words) {
  words.insert(words.begin(), "penstock-link");
  return link::parse_options(static_cast<int>(words.size()), words.data());
}

TEST(LinkOptions, BackOverridesWhereverItStands) {
  const auto made = options_of({"--delay-back", "5ms", "a:e0", "b:e1", "--delay=20ms"});
  EXPECT_EQ(made.forward.delay_ns, 20'000'000u);
  EXPECT_EQ(made.back.delay_ns, 5'000'000u);
  EXPECT_EQ(made.a.name_space, "a");
  EXPECT_EQ(made.b.device, "e1");
  EXPECT_NE(made.forward.seed, made.back.seed);
}

TEST(LinkOptions, SaysWhatIsWrong) {
  EXPECT_THROW(options_of({"a:e0"}), UsageError);
  EXPECT_THROW(options_of({"a:e0", "b:e0", "--dely", "5ms"}), UsageError);
  EXPECT_THROW(options_of({"a:e0", "b:e0", "--delay"}), UsageError);
  EXPECT_THROW(options_of({"a:e0", "b:a-name-that-is-too-long"}), UsageError);
  EXPECT_THROW(options_of({"a:e0", "b:e0", "--queue", "9kB"}), UsageError);
}

}  // namespace
}  // namespace penstock
