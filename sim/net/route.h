// SPDX-License-Identifier: GPL-2.0-only
// Shortest routes by the number of links; ties go to the link added first.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sim/net/specs.h"

namespace penstock::net {

class Router {
 public:
  Router(const std::vector<PlainLink>& links, std::size_t nodes);

  // Links from `src` to `dst`; empty if there is no path, or src == dst.
  std::vector<std::uint32_t> route(std::uint32_t src, std::uint32_t dst);

 private:
  using Tree = std::vector<std::uint32_t>;  // by node: the link that leads to it

  const Tree& tree(std::uint32_t root);
  std::span<const std::uint32_t> out(std::uint32_t node) const;

  const std::vector<PlainLink>& links_;
  std::vector<std::uint32_t> out_;        // links, by the node they leave
  std::vector<std::uint32_t> first_out_;  // by node, and one more
  std::map<std::uint32_t, Tree> trees_;  // by root
};

}  // namespace penstock::net
