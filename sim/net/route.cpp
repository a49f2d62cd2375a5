// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/route.h"

#include <algorithm>

#include "core/base.h"

namespace penstock::net {

Router::Router(const std::vector<PlainLink>& links, std::size_t nodes)
    : links_(links), out_(links.size()), first_out_(nodes + 1) {
  for (const PlainLink& link : links) ++first_out_[link.src + 1];
  for (std::size_t i = 0; i < nodes; ++i) first_out_[i + 1] += first_out_[i];
  std::vector<std::uint32_t> next(first_out_.begin(), first_out_.end() - 1);
  for (std::uint32_t i = 0; i < links.size(); ++i) out_[next[links[i].src]++] = i;
}

std::span<const std::uint32_t> Router::out(std::uint32_t node) const {
  return std::span(out_).subspan(first_out_[node], first_out_[node + 1] - first_out_[node]);
}

const Router::Tree& Router::tree(std::uint32_t root) {
  const auto [it, fresh] = trees_.try_emplace(root, first_out_.size() - 1, kNoIndex);
  Tree& by = it->second;
  if (!fresh) return by;
  std::vector<std::uint32_t> frontier{root};
  while (!frontier.empty()) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t node : frontier) {
      for (const std::uint32_t link : out(node)) {
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
  // A host with one link shares its router's tree, so thousands of hosts need few trees.
  if (out(src).size() == 1) {
    links.push_back(out(src)[0]);
    root = links_[links[0]].dst;
  }
  const std::size_t first = links.size();
  const Tree& by = tree(root);
  for (std::uint32_t node = dst; node != root; node = links_[links.back()].src) {
    if (by[node] == kNoIndex) return {};
    links.push_back(by[node]);
  }
  PST_ENSURE(links.size() < first_out_.size());  // no node twice
  std::reverse(links.begin() + static_cast<std::ptrdiff_t>(first), links.end());
  PST_ENSURE(links.empty() ||
             (links_[links.front()].src == src && links_[links.back()].dst == dst));
  return links;
}

}  // namespace penstock::net
