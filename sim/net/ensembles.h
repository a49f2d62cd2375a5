// SPDX-License-Identifier: GPL-2.0-only
// Owns the state that connections of one host share, core/sharing, by name: the hosts at the ends,
// or the LAN of the sending one, and the way of sharing. Knows the connections whose others are to
// be told of their events at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "core/base.h"
#include "core/sharing/ensemble.h"

namespace penstock::net {

class Ensembles {
 public:
  using Name = std::array<std::uint32_t, 3>;

  struct pst_ensemble& of(const Name& name) { return all_[name].shared; }  // its address stays

  void add(std::uint32_t flow, const Name& name) {
    if (flow >= of_flow_.size()) of_flow_.resize(flow + 1);
    PST_REQUIRE(!of_flow_[flow]);
    of_flow_[flow] = &all_[name];
    all_[name].flows.push_back(flow);
  }

  bool tells() const { return !of_flow_.empty(); }  // else after_event() need not be called

  // `flow` has had an event, which was its last one if it is `over`. Calls `tell` for each of the
  // others, beginning with the one after it, if their shares may have changed.
  template <class Tell>
  void after_event(std::uint32_t flow, bool over, Tell tell) {
    if (flow >= of_flow_.size() || !of_flow_[flow]) return;
    Ensemble& e = *of_flow_[flow];
    const auto at = std::find(e.flows.begin(), e.flows.end(), flow);
    PST_REQUIRE(at != e.flows.end());
    auto next = static_cast<std::size_t>(at - e.flows.begin()) + !over;
    const std::size_t others = e.flows.size() - 1;
    if (over) {
      e.flows.erase(at);
      of_flow_[flow] = nullptr;
    }
    if (e.epoch == e.shared.epoch && !e.shared.credit_bytes) return;
    e.epoch = e.shared.epoch;
    for (std::size_t i = 0; i < others; ++i, ++next) tell(e.flows[next % e.flows.size()]);
  }

 private:
  struct Ensemble {
    struct pst_ensemble shared{};
    std::vector<std::uint32_t> flows;  // those to be told, in the order in which they opened
    std::uint32_t epoch = 0;  // that they know
  };

  std::map<Name, Ensemble> all_;
  std::vector<Ensemble*> of_flow_;
};

}  // namespace penstock::net
