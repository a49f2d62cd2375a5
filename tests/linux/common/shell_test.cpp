// SPDX-License-Identifier: GPL-2.0-only
// Words of printed commands, read back by a shell.
#include "linux/common/shell.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace penstock {
namespace {

std::string echoed(const std::string& word) {
  FILE* pipe = popen(("printf %s " + shell_word(word)).c_str(), "r");
  if (!pipe) return "no shell";
  std::string read;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) read += static_cast<char>(c);
  pclose(pipe);
  return read;
}

TEST(ShellWord, IsOneWordAsItIs) {
  for (const char* word : {"wan0", "wan0.10@eth0", "a;b", "$(exit 3)", "`x`", "it's", "a\\b", "*",
                           "~", "#x", "a&b", "\"", "\xc3\xbc", "!x"})
    EXPECT_EQ(echoed(word), word);
}

TEST(ShellWord, IsQuotedOnlyWhereThatIsNeeded) {
  EXPECT_EQ(shell_word("br-lan.10"), "br-lan.10");
  EXPECT_EQ(shell_word("a;b"), "'a;b'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace penstock
