// SPDX-License-Identifier: GPL-2.0-only
// The table that the lab's tests share, and what the gateway's programs have alone.
#include "linux/common/quantity.h"

#include <gtest/gtest.h>

#include <toml++/toml.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace penstock {
namespace {

struct Kind {
  std::uint64_t (*parse)(std::string_view);
  std::string (*form)(std::uint64_t);
};

// The message of a refusal; empty if there is none.
template <typename Parse>
std::string complaint(Parse parse, std::string_view text) {
  try {
    parse(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Quantity, MeansWhatItMeansInTheLab) {
  const std::map<std::string_view, Kind> kinds = {{"size", {parse_size_bytes, form_size}},
                                                  {"rate", {parse_rate_bps, form_rate}},
                                                  {"time", {parse_time_ns, form_time}}};
  const toml::table table = toml::parse_file(PENSTOCK_QUANTITIES);
  EXPECT_EQ(table.size(), kinds.size());
  for (const auto& [name, cases] : table) {
    const Kind& kind = kinds.at(name.str());
    ASSERT_GE(cases.as_array()->size(), 10U);
    for (const toml::node& node : *cases.as_array()) {
      const toml::table& one = *node.as_table();
      const std::string text = *one["text"].value<std::string>();
      SCOPED_TRACE(text);
      if (const auto error = one["error"].value<std::string>()) {
        EXPECT_EQ(complaint(kind.parse, text), *error);
        continue;
      }
      const auto value = static_cast<std::uint64_t>(*one["value"].value<std::int64_t>());
      EXPECT_EQ(kind.parse(text), value);
      EXPECT_EQ(kind.form(value), *one["short"].value<std::string>());
    }
  }
}

TEST(Quantity, RatiosAndCounts) {
  EXPECT_DOUBLE_EQ(parse_ratio("0.1%"), 0.001);
  EXPECT_DOUBLE_EQ(parse_ratio("0.25"), 0.25);
  EXPECT_EQ(parse_count("8"), 8U);
  for (const char* text : {"", "100%", "1", "-0.1", "0.1%%", "x", "nan"})
    EXPECT_NE(complaint(parse_ratio, text), "") << text;
  for (const char* text : {"", "-1", "1x", "99999999999999999999"})
    EXPECT_NE(complaint(parse_count, text), "") << text;
}

TEST(Quantity, RoundedForPeople) {
  EXPECT_EQ(round_size(0), "0 B");
  EXPECT_EQ(round_size(999), "999 B");
  EXPECT_EQ(round_size(97'000), "97.0 kB");
  EXPECT_EQ(round_size(1'234'567), "1.23 MB");
  EXPECT_EQ(round_size(9'996), "10.0 kB");
  EXPECT_EQ(round_size(99'951), "100 kB");
  EXPECT_EQ(round_size(999'499), "999 kB");
  EXPECT_EQ(round_size(999'999), "1.00 MB");
  EXPECT_EQ(round_rate(20'000'000), "20.0 Mbit/s");
  EXPECT_EQ(round_rate(123'000'000'000), "123 Gbit/s");
}

}  // namespace
}  // namespace penstock
