// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/link/options.h"

#include <gtest/gtest.h>

#include "linux/common/error.h"

namespace penstock::link {
namespace {

// The link that a command line asks for.
Link link_of_words(const std::vector<std::string>& words) {
  CLI::App app;
  Options options;
  add_options(app, options);
  EXPECT_EQ(mistake_in(app, words), "");
  return link_of(options);
}

std::string mistake(const std::vector<std::string>& words) {
  CLI::App app;
  Options options;
  add_options(app, options);
  return mistake_in(app, words);
}

TEST(LinkOptions, BackOverridesWhereverItStands) {
  const Link made = link_of_words({"--delay-back", "5ms", "a:e0", "b:e1", "--delay=20ms"});
  EXPECT_EQ(made.forward.delay_ns, 20'000'000U);
  EXPECT_EQ(made.back.delay_ns, 5'000'000U);
  EXPECT_EQ(made.a.name_space, "a");
  EXPECT_EQ(made.b.device, "e1");
  EXPECT_NE(made.forward.seed, made.back.seed);
}

TEST(LinkOptions, SaysWhatIsWrong) {
  EXPECT_EQ(mistake({"a:e0"}), "B is required");
  EXPECT_NE(mistake({"a:e0", "b:e0", "--dely", "5ms"}), "");
  EXPECT_NE(mistake({"a:e0", "b:e0", "--delay"}), "");
  EXPECT_EQ(mistake({"a:e0", "b:e0", "--delay", "5"}),
            "--delay: a unit is missing in '5'; write for instance '5ms'");
  EXPECT_THROW(link_of_words({"a:e0", "b:a-name-that-is-too-long"}), Error);
  EXPECT_THROW(link_of_words({"a:e0", "b:e0", "--queue", "9kB"}), Error);
}

}  // namespace
}  // namespace penstock::link
