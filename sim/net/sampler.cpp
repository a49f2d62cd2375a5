// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/sampler.h"

#include "core/base.h"

namespace penstock::net {

Sampler::Sampler(const Plan& plan, const Topology& topology, Events& events, Queues& queues,
                 const Connections& connections)
    : spec_(plan.samples),
      topology_(topology),
      events_(events),
      queues_(queues),
      connections_(connections) {
  if (!spec_.interval_ns) return;
  series_.queue_bytes.resize(spec_.links.size());
  series_.queue_packets.resize(spec_.links.size());
  series_.window_bytes.resize(spec_.links.size());
  series_.cwnd_bytes.resize(spec_.flows.size());
  series_.send_window_bytes.resize(spec_.flows.size());
  events_.schedule(kSample, 0, 0);
}

void Sampler::sample() {
  const std::uint64_t now_ns = events_.now_ns();
  PST_REQUIRE(series_.time_ns.empty() ||
              now_ns == static_cast<std::uint64_t>(series_.time_ns.back()) + spec_.interval_ns);
  series_.time_ns.push_back(static_cast<std::int64_t>(now_ns));
  for (std::size_t i = 0; i < spec_.links.size(); ++i) {
    const std::uint32_t q = topology_.queue_of(spec_.links[i]);
    const bool queued = q != kNoIndex;
    series_.queue_bytes[i].push_back(queued ? static_cast<std::int64_t>(queues_[q].bytes(now_ns))
                                            : 0);
    series_.queue_packets[i].push_back(queued ? static_cast<std::int64_t>(queues_[q].packets())
                                              : 0);
    series_.window_bytes[i].push_back(
        queued ? static_cast<std::int64_t>(queues_[q].gateway().acks().last_window_bytes()) : 0);
  }
  for (std::size_t i = 0; i < spec_.flows.size(); ++i) {
    const std::uint32_t flow = spec_.flows[i];
    series_.cwnd_bytes[i].push_back(static_cast<std::int64_t>(connections_.cwnd_bytes(flow)));
    series_.send_window_bytes[i].push_back(
        static_cast<std::int64_t>(connections_.send_window_bytes(flow)));
  }
  PST_ENSURE(std::all_of(series_.queue_bytes.begin(), series_.queue_bytes.end(),
                         [this](const auto& s) { return s.size() == series_.time_ns.size(); }));
  events_.schedule(kSample, 0, now_ns + spec_.interval_ns);
}

}  // namespace penstock::net
