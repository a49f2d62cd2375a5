// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/route.h"

#include <algorithm>

namespace penstock::net {

Router::Router(const std::vector<Link>& links, std::size_t nodes)
    : links_(links), out_(nodes), in_count_(nodes) {
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    out_[links[i].src].push_back(i);
    ++in_count_[links[i].dst];
  }
}

bool Router::is_leaf(std::uint32_t node) const {
  return out_[node].size() == 1;
}

const Router::Tree& Router::tree(std::uint32_t root) {
  const auto [it, fresh] = trees_.try_emplace(root, out_.size(), kNoIndex);
  Tree& by = it->second;
  if (!fresh) return by;
  std::vector<std::uint32_t> frontier{root};
  while (!frontier.empty()) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t node : frontier) {
      for (const std::uint32_t link : out_[node]) {
        const std::uint32_t dst = links_[link].dst;
        if (dst == root || by[dst] != kNoIndex) continue;
        by[dst] = link;
        next.push_back(dst);
      }
    }
    frontier.swap(next);
  }
  return by;
}

std::vector<std::uint32_t> Router::route(std::uint32_t src, std::uint32_t dst) {
  std::vector<std::uint32_t> links;
  std::uint32_t root = src;
  // A host with one link shares its router's tree: thousands of hosts, few trees.
  if (is_leaf(src)) {
    links.push_back(out_[src][0]);
    root = links_[links[0]].dst;
  }
  const std::size_t first = links.size();
  const Tree& by = tree(root);
  for (std::uint32_t node = dst; node != root; node = links_[links.back()].src) {
    if (by[node] == kNoIndex) return {};
    links.push_back(by[node]);
  }
  std::reverse(links.begin() + static_cast<std::ptrdiff_t>(first), links.end());
  return links;
}

}  // namespace penstock::net
