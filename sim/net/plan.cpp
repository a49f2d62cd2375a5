// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/plan.h"

#include <algorithm>

#include "sim/net/served_queue.h"

namespace penstock::net {

bool Plan::served(std::uint32_t link) const {
  const auto gateway = gateways.find(link);
  return served_links.contains(link) ||
         (gateway != gateways.end() && ServedQueue::needed(gateway->second));
}

std::uint32_t Plan::queue_link(std::uint32_t link) const {
  const auto station = stations.find(link);
  return station == stations.end() ? link : station->second;
}

bool Plan::is_cell(std::uint32_t node) const {
  if (!mobility) return false;
  const std::vector<std::uint32_t>& cells = mobility->cells;
  return std::find(cells.begin(), cells.end(), node) != cells.end();
}

}  // namespace penstock::net
