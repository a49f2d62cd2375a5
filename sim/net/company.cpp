// SPDX-License-Identifier: GPL-2.0-only
// Connections beside each other, nis-2004 section 7.2: what one that comes to others
// reaches in its life, and what each reaches while the same ones are open. Nothing here
// depends on whether they share anything, so that those that do can be compared with
// those that do not.
#include <algorithm>
#include <utility>

#include "sim/net/simulation.h"

namespace penstock::net {

namespace {

double per_second(std::uint64_t segments, std::uint64_t time_ns) {
  return static_cast<double>(segments) * 1e9 / static_cast<double>(time_ns);
}

}  // namespace

// The SYN counts, so that one that has sent nothing else is seen (section 7.2.1).
std::uint64_t Simulation::acknowledged_segments(std::uint32_t flow) {
  const tcp::Sender& sender = connection(flow).sender;
  if (!sender.established()) return 0;
  return 1 + (sender.acked_bytes() + sender.mss_bytes() - 1) / sender.mss_bytes();
}

// What each open connection got since the last one came or went. Who got nothing is left
// out, and one that is left alone by that says nothing about company (section 8.7).
void Simulation::end_period(Companions& among) {
  const std::uint64_t length_ns = now_ns_ - among.since_ns;
  among.since_ns = now_ns_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> served;  // flows, and their segments
  double sum = 0, squares = 0;
  for (Companion& one : among.open) {
    const std::uint64_t before = std::exchange(one.segments, acknowledged_segments(one.flow));
    const std::uint64_t segments = one.segments - before;
    if (segments == 0) continue;
    served.emplace_back(one.flow, segments);
    sum += static_cast<double>(segments);
    squares += static_cast<double>(segments) * static_cast<double>(segments);
  }
  if (served.size() < 2 || length_ns == 0) return;
  const double n = static_cast<double>(served.size());
  for (const auto& [flow, segments] : served) {
    Company& result = company(flow);
    ++result.concurrent;
    result.concurrent_segments += segments;
    result.concurrent_ns += length_ns;
    result.concurrent_rates_per_s += per_second(segments, length_ns);
    result.fairness += sum * sum / (n * squares) / n;  // (2.19)
    result.periods += 1 / n;
  }
}

// A connection that is about to send its SYN. It is a newcomer if others there know the
// path already.
void Simulation::enter_company(std::uint32_t flow) {
  Companions& among = companions(flow);
  end_period(among);
  const bool newcomer = std::ranges::any_of(among.open, [this](const Companion& one) {
    return connection(one.flow).sender.established();
  });
  among.open.push_back({flow, now_ns_, 0, newcomer});
}

void Simulation::begin_in_company(std::uint32_t flow) {
  const std::vector<Companion>& open = companions(flow).open;
  const auto one = std::ranges::find(open, flow, &Companion::flow);
  if (one == open.end() || !one->newcomer) return;
  const tcp::Sender& sender = connection(flow).sender;
  if (!sender.established()) return;
  Company& result = company(flow);
  ++result.begun;
  result.begun_cwnd_bytes += sender.cwnd_bytes();
  if (sender.ssthresh_bytes() != PST_SSTHRESH_MAX)
    result.begun_ssthresh_bytes += sender.ssthresh_bytes();
  result.begun_srtt_ns += sender.srtt_ns();
  result.begun_rttvar_ns += sender.rttvar_ns();
}

// The connection has an ACK for all. Only now its user goes on, or it would meet itself.
void Simulation::leave_company(std::uint32_t flow) {
  Companions& among = companions(flow);
  end_period(among);
  const auto one = std::ranges::find(among.open, flow, &Companion::flow);
  if (one == among.open.end()) return;
  if (one->newcomer) {
    const std::uint64_t segments = acknowledged_segments(flow) - 1;  // without the SYN
    const std::uint64_t life_ns = std::max<std::uint64_t>(now_ns_ - one->opened_ns, 1);
    Company& result = company(flow);
    ++result.newcomers;
    result.newcomer_segments += segments;
    result.newcomer_ns += life_ns;
    result.newcomer_rates_per_s += per_second(segments, life_ns);
  }
  among.open.erase(one);
  const std::uint32_t user = life(flow).user;
  if (users_[user].source.waits()) plan_transfer(user, now_ns_);
}

}  // namespace penstock::net
