// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/outcome.h"

#include <algorithm>
#include <cmath>

#include "core/outcome.h"
#include "linux/gateway/tool/attach/pins.h"
#include "linux/gateway/tool/view/rates.h"

namespace penstock::gw {

namespace {

constexpr std::uint64_t kSpanNs = 10 * PST_NS_PER_S;
constexpr double kMs = 1e3, kPercent = 1e2;
using Percentiles = std::array<double, PST_PERCENTILES>;

// The smallest value that at least so many percent do not exceed.
Percentiles percentiles_ms(std::vector<double> values_s) {
  std::ranges::sort(values_s);
  Percentiles all{};
  for (std::size_t percent = 0; percent < all.size(); ++percent) {
    const std::size_t count = (percent * values_s.size() + 99) / 100;
    all[percent] = kMs * values_s[count ? count - 1 : 0];
  }
  return all;
}

}  // namespace

std::optional<Outcome> outcome_of(const std::vector<double>& paths_s, std::vector<double> waits_s,
                                  double loss_ratio) {
  if (paths_s.empty() || waits_s.empty() || std::isnan(loss_ratio)) return {};
  const Percentiles waits_ms = percentiles_ms(std::move(waits_s));
  Outcome sum{};
  for (const double path_s : paths_s) {
    sum.rpm += pst_rpm(kMs * path_s, waits_ms.data());
    sum.qoo_percent += pst_qoo_percent(kMs * path_s, waits_ms.data(), kPercent * loss_ratio);
  }
  const auto count = static_cast<double>(paths_s.size());
  return Outcome{sum.rpm / count, sum.qoo_percent / count};
}

std::optional<double> path_s(const gw_flow& flow, std::uint64_t since_ns) {
  const std::uint64_t rtt_ns = pst_rtt_get(&flow.gateway.rtt);
  if (!rtt_ns || flow.seen_ns < since_ns) return {};
  return static_cast<double>(rtt_ns) / 1e9;
}

std::vector<double> paths_s_of(const Device& device, std::uint64_t since_ns) {
  std::vector<double> all;
  for (const auto& [key, flow] : Pins(device).known_flows())
    if (const auto one = path_s(flow, since_ns)) all.push_back(*one);
  return all;
}

void OutcomeWindow::look(const Snapshot& s) {
  if (s.attachment.since_ns != since_ns_) looks_.clear();
  since_ns_ = s.attachment.since_ns;
  if (s.state != State::kLive && s.state != State::kObserve) return;
  looks_.push_back({s.taken_ns, queue_wait_s(s), s.count(GW_COUNT_data_bytes),
                    s.count(GW_COUNT_retransmitted_bytes)});
  while (looks_.front().time_ns + kSpanNs < s.taken_ns) looks_.pop_front();
}

std::optional<Outcome> OutcomeWindow::outcome(const std::vector<double>& paths_s) const {
  if (looks_.empty()) return {};
  std::vector<double> waits_s;
  for (const Look& look : looks_)
    if (look.wait_s) waits_s.push_back(*look.wait_s);
  const Look &first = looks_.front(), &last = looks_.back();
  const auto data = static_cast<double>(last.data_bytes - first.data_bytes);
  const auto again = static_cast<double>(last.again_bytes - first.again_bytes);
  return outcome_of(paths_s, std::move(waits_s), again / data);  // NaN without data
}

}  // namespace penstock::gw
