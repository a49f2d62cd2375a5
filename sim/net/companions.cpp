// SPDX-License-Identifier: GPL-2.0-only
#include "sim/net/companions.h"

#include <algorithm>
#include <utility>

#include "core/base.h"

namespace penstock::net {

namespace {

double per_second(std::uint64_t segments, std::uint64_t time_ns) {
  PST_REQUIRE(time_ns > 0);
  return static_cast<double>(segments) * 1e9 / static_cast<double>(time_ns);
}

// The SYN counts, so that one that has sent nothing else is seen (section 7.2.1).
std::uint64_t acknowledged_segments(const tcp::Sender& sender) {
  if (!sender.established()) return 0;
  return 1 + (sender.acked_bytes() + sender.mss_bytes() - 1) / sender.mss_bytes();
}

}  // namespace

// Connections that got nothing are left out, and a single one that remains says nothing about
// company (section 8.7).
void Companions::end_period(const SenderOf& sender_of, std::uint64_t now_ns) {
  PST_REQUIRE(now_ns >= since_ns_);
  const std::uint64_t length_ns = now_ns - since_ns_;
  since_ns_ = now_ns;
  std::vector<std::pair<Company*, std::uint64_t>> served;  // with their segments
  double sum = 0, squares = 0;
  for (Member& one : open_) {
    const std::uint64_t before =
        std::exchange(one.segments, acknowledged_segments(sender_of(one.flow)));
    PST_REQUIRE(one.segments >= before);
    const std::uint64_t segments = one.segments - before;
    if (segments == 0) continue;
    served.emplace_back(one.sums, segments);
    sum += static_cast<double>(segments);
    squares += static_cast<double>(segments) * static_cast<double>(segments);
  }
  if (served.size() < 2 || length_ns == 0) return;
  const double n = static_cast<double>(served.size());
  PST_ENSURE(sum * sum <= n * squares * 1.000001);  // Jain's index is at most 1
  for (const auto& [sums, segments] : served) {
    ++sums->concurrent;
    sums->concurrent_segments += segments;
    sums->concurrent_ns += length_ns;
    sums->concurrent_rates_per_s += per_second(segments, length_ns);
    sums->fairness += sum * sum / (n * squares) / n;  // (2.19)
    sums->periods += 1 / n;
  }
}

// A newcomer joins others that know the path already.
void Companions::enter(std::uint32_t flow, Company& sums, const SenderOf& sender_of,
                       std::uint64_t now_ns) {
  end_period(sender_of, now_ns);
  const bool newcomer = std::any_of(open_.begin(), open_.end(), [&](const Member& one) {
    return sender_of(one.flow).established();
  });
  PST_REQUIRE(find(flow) == open_.end());
  open_.push_back({flow, now_ns, 0, newcomer, &sums});
}

std::vector<Companions::Member>::iterator Companions::find(std::uint32_t flow) {
  return std::find_if(open_.begin(), open_.end(),
                      [flow](const Member& one) { return one.flow == flow; });
}

void Companions::begin(std::uint32_t flow, const SenderOf& sender_of) {
  const auto one = find(flow);
  if (one == open_.end() || !one->newcomer) return;
  const tcp::Sender& sender = sender_of(flow);
  if (!sender.established()) return;
  Company& sums = *one->sums;
  ++sums.begun;
  sums.begun_cwnd_bytes += sender.cwnd_bytes();
  if (sender.ssthresh_bytes() != PST_SSTHRESH_MAX)
    sums.begun_ssthresh_bytes += sender.ssthresh_bytes();
  sums.begun_srtt_ns += sender.srtt_ns();
  sums.begun_rttvar_ns += sender.rttvar_ns();
}

void Companions::leave(std::uint32_t flow, const SenderOf& sender_of, std::uint64_t now_ns) {
  end_period(sender_of, now_ns);
  const auto one = find(flow);
  if (one == open_.end()) return;
  if (one->newcomer) {
    PST_REQUIRE(now_ns >= one->opened_ns && sender_of(flow).established());
    const std::uint64_t segments = acknowledged_segments(sender_of(flow)) - 1;  // without the SYN
    const std::uint64_t life_ns = std::max<std::uint64_t>(now_ns - one->opened_ns, 1);
    Company& sums = *one->sums;
    ++sums.newcomers;
    sums.newcomer_segments += segments;
    sums.newcomer_ns += life_ns;
    sums.newcomer_rates_per_s += per_second(segments, life_ns);
  }
  open_.erase(one);
}

}  // namespace penstock::net
