// SPDX-License-Identifier: GPL-2.0-only
// Owns the series over time of the links and flows that are sampled. Is told when the next sample
// is due.
#pragma once

#include <utility>

#include "sim/net/connections.h"
#include "sim/net/result.h"

namespace penstock::net {

class Sampler {
 public:
  Sampler(const Plan& plan, const Topology& topology, Events& events, Queues& queues,
          const Connections& connections);
  void sample();
  Series take() { return std::move(series_); }

 private:
  const SampleSpec& spec_;
  const Topology& topology_;
  Events& events_;
  Queues& queues_;
  const Connections& connections_;
  Series series_;
};

}  // namespace penstock::net
