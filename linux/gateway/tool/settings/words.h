// SPDX-License-Identifier: GPL-2.0-only
// The words of settings: choices among names, and refusals that say what would be right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

[[noreturn]] inline void refuse(const std::string& key, const std::string& why) {
  throw Error(kUsage, key + ": " + why);
}

// "one, two, three"
template <typename Names>
std::string listed(const Names& names) {
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

// The place among `names` of the value, or of `fallback` if there is none.
template <typename Names>
std::uint32_t choice(const std::string& key, const std::optional<std::string>& value,
                     const Names& names, const char* fallback) {
  const std::string text = value.value_or(fallback);
  const auto found = std::ranges::find(names, text);
  if (found == std::end(names)) refuse(key, "'" + text + "' is not one of " + listed(names));
  return static_cast<std::uint32_t>(found - std::begin(names));
}

}  // namespace penstock::gw
