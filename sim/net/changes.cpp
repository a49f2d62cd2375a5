// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/changes.h"

namespace penstock::net {

Changes::Changes(const Plan& plan, Topology& topology, Events& events, Forwarder& forwarder)
    : topology_(topology), forwarder_(forwarder) {
  for (const auto& [link, changes] : plan.changes) {
    for (const LinkChange& change : changes) {
      events.schedule(kChange, static_cast<std::uint32_t>(changes_.size()), change.at_ns);
      changes_.push_back({link, change});
    }
  }
}

void Changes::apply(std::uint32_t number) {
  PST_REQUIRE(number < changes_.size());
  const auto& [which, to] = changes_[number];
  PST_REQUIRE(which < topology_.links.size() && (!to.rate_bps || *to.rate_bps > 0));
  Link& link = topology_.links[which];
  if (to.rate_bps) link.set_rate(*to.rate_bps);
  if (to.delay_ns) link.delay_ns = *to.delay_ns;
  if (to.loss_ratio) forwarder_.set_loss_ratio(which, *to.loss_ratio);
}

}  // namespace penstock::net
