// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/stepped.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/describe.h"

namespace penstock::net {

namespace {

// The law's own limits: 1/16, and 2^16.
constexpr std::uint64_t kLeastFactorQ32 = 1ULL << 28, kMostFactorQ32 = 1ULL << 48;

std::uint32_t queued(const Network& network, std::uint32_t link) {
  if (!network.plan().limits.contains(network.plan().queue_link(link)))
    throw std::invalid_argument("link " + std::to_string(link) + " has no queue to look at");
  return link;
}

std::vector<std::uint32_t> tcp_flows(const Plan& plan) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t flow = 0; flow < plan.flows.size(); ++flow) {
    const Plan::Flow& f = plan.flows[flow];
    if (!f.is_udp && !plan.tcp_flows[f.index].sender->quic) found.push_back(flow);
  }
  return found;
}

}  // namespace

Stepped::Stepped(const Network& network, std::uint32_t link)
    : plan_(network.plan()),
      link_(queued(network, link)),
      flows_(tcp_flows(plan_)),
      simulation_(plan_) {}

bool Stepped::has_factor() const {
  return simulation_.queue_of(link_).gateway().config().law == PST_LAW_INTEGRAL;
}

void Stepped::set_factor(std::uint64_t factor_q32) {
  PST_REQUIRE(has_factor());
  const pst_method_row& row = pst_law_rows[PST_LAW_INTEGRAL];
  pst_gateway_state& state = simulation_.queue_of(link_).gateway().state();
  for (std::uint32_t i = 0; i < row.state_count; ++i)
    if (pst_name_is(row.states[i].name, "factor_q32"))
      pst_field_set(&state.law, i, pst_clamp(factor_q32, kLeastFactorQ32, kMostFactorQ32));
}

void Stepped::set_cwnds(const double* bytes, std::size_t flows) {
  PST_REQUIRE(flows <= flows_.size());
  constexpr double kMost = static_cast<double>(PST_MAX_BYTES);
  for (std::size_t i = 0; i < flows; ++i) {
    if (!std::isfinite(bytes[i])) continue;
    const double wanted = std::clamp(bytes[i], 0.0, kMost);
    simulation_.sender(flows_[i]).set_cwnd(static_cast<std::uint64_t>(wanted));
  }
}

std::uint64_t Stepped::received_bytes() const {
  std::uint64_t sum = simulation_.received_by_users_bytes();
  for (std::uint32_t flow = 0; flow < plan_.flows.size(); ++flow)
    if (!plan_.flows[flow].is_udp) sum += simulation_.received(flow).received_bytes;
  return sum;
}

void Stepped::look(double* out, std::size_t flows) {
  PST_REQUIRE(flows <= flows_.size());
  const std::uint64_t now_ns = simulation_.now_ns();
  Queue& queue = simulation_.queue_of(link_);
  const std::uint64_t goes_on = simulation_.goes_on(), queue_bytes = queue.bytes(now_ns);
  const QueueCounters& c = queue.counters();
  const std::uint64_t arrivals = c.arrivals, drops = c.drops(), sent_bytes = c.sent_bytes;
  const std::uint64_t received_bytes = this->received_bytes();
#define PENSTOCK_PUT(name) *out++ = static_cast<double>(name);
  PENSTOCK_LINK_LOOKS(PENSTOCK_PUT)
#undef PENSTOCK_PUT
  for (std::size_t i = 0; i < flows; ++i) {
    const std::uint32_t flow = flows_[i];
    const tcp::Sender& sender = simulation_.sender(flow);
    *out++ = static_cast<double>(simulation_.received(flow).received_bytes);
    *out++ = static_cast<double>(sender.srtt_ns());
    *out++ = static_cast<double>(sender.cwnd_bytes());
    *out++ = static_cast<double>(sender.send_window_bytes());
  }
}

}  // namespace penstock::net
