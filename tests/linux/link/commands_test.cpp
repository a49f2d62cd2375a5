// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/link/commands.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <stdexcept>
#include <vector>

namespace penstock::link {
namespace {

std::string mistake(std::string_view line) {
  try {
    parse_change(line);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(LinkCommands, AreForBothDirectionsUnlessTheySayBack) {
  const LinkChange both = parse_change("delay 60ms");
  EXPECT_EQ(both.forward.delay_ns, 60'000'000U);
  EXPECT_EQ(both.back.delay_ns, 60'000'000U);
  EXPECT_FALSE(both.forward.loss_ratio) << "what is not named stays";
  const LinkChange one = parse_change("  loss 1%  delay-back 5ms loss-back 0");
  EXPECT_FALSE(one.forward.delay_ns);
  EXPECT_EQ(one.back.delay_ns, 5'000'000U);
  EXPECT_EQ(one.forward.loss_ratio, 0.01);
  EXPECT_EQ(one.back.loss_ratio, 0);
  EXPECT_FALSE(one.forward.rate_bps);
  EXPECT_EQ(parse_change("rate 5mbit rate-back 1mbit").forward.rate_bps, 5'000'000U);
}

TEST(LinkCommands, SayWhatIsWrong) {
  EXPECT_EQ(mistake("jitter 5ms"),
            "'jitter' cannot change; there are delay, loss and rate, and delay-back, loss-back and "
            "rate-back");
  EXPECT_EQ(mistake("delay"), "delay: a value is missing");
  EXPECT_EQ(mistake("delay-back 5"),
            "delay-back: a unit is missing in '5'; write for instance '5ms'");
  EXPECT_EQ(mistake("loss 100%"), "loss: '100%' is not a ratio below 1; write it as '0.1%'");
  EXPECT_EQ(mistake(""), "an empty line; such as 'delay 60ms'");
}

TEST(LinkCommands, AreLinesHoweverTheyArrive) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  LineReader reader(ends[0]);
  std::vector<std::string> got;
  const auto take = [&](std::string_view line) { got.emplace_back(line); };
  const auto arrive = [&](std::string_view text) {
    ASSERT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  };
  arrive("delay 6");
  EXPECT_TRUE(reader.read(take));
  EXPECT_TRUE(got.empty());
  arrive("0ms\nloss 1%\nde");
  EXPECT_TRUE(reader.read(take));
  EXPECT_EQ(got, (std::vector<std::string>{"delay 60ms", "loss 1%"}));
  close(ends[1]);
  EXPECT_FALSE(reader.read(take)) << "no more can come";
  close(ends[0]);
}

}  // namespace
}  // namespace penstock::link
