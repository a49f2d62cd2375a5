// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/senders.h"

#include <algorithm>
#include <utility>

namespace penstock::gw {

std::vector<Sender> Senders::look(const Device& device) {
  std::vector<Sender> all;
  std::map<std::string, std::uint64_t> now;
  for (const auto& [key, flow] : Pins(device).flows()) {
    const std::string name(reinterpret_cast<const char*>(&key), sizeof(key));
    const auto old = sent_bytes_.find(name);
    const std::uint64_t had = old == sent_bytes_.end() ? 0 : old->second;
    all.push_back({key, flow, pst_sub_floor(flow.sent_bytes, had)});
    now[name] = flow.sent_bytes;
  }
  sent_bytes_ = std::move(now);
  std::ranges::sort(all, [](const Sender& a, const Sender& b) {
    return std::pair(a.new_bytes, a.flow.sent_bytes) > std::pair(b.new_bytes, b.flow.sent_bytes);
  });
  return all;
}

}  // namespace penstock::gw
