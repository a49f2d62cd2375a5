// SPDX-License-Identifier: GPL-2.0-only
// Words of commands that are printed to be pasted into a shell.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace penstock {

// A word as a shell takes it. Names of devices may have any sign but blanks, / and :, as `a;b`.
inline std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain = "@%+=:,./_-";
  const auto is_plain = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlain.find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\"'\"'") : std::string(1, c);
  return quoted + "'";
}

}  // namespace penstock
