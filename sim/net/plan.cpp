// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/plan.h"

#include <algorithm>

#include "sim/net/served_queue.h"

namespace penstock::net {

bool Plan::served(std::uint32_t link) const {
  if (served_links.contains(link)) return true;
  const auto gateway = gateways.find(link);
  if (gateway == gateways.end()) return false;
  return ServedQueue::needed(gateway->second) || (has_window_headers() && !limits.at(link).phantom);
}

bool Plan::has_window_headers() const {
  const auto has = [](const tcp::SenderConfig& sender) { return sender.window_option; };
  return std::any_of(senders.begin(), senders.end(), has) ||
         std::any_of(traffic.begin(), traffic.end(),
                     [has](const TrafficSpec& group) { return has(group.sender); });
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
