// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/auto/trial.h"

#include <cstdio>

#include "linux/common/paired.h"

namespace penstock::gw {

void AutoPeriod::add(const AutoLooks& seen) {
  ++looks;
  for (const Way way : kBothWays) {
    goodput_bps[way] += seen[way].goodput_bps;
    loaded[way] |= seen[way].flows > 0;
    if (!seen[way].wait_s) continue;
    wait_s[way] += *seen[way].wait_s;
    ++waits[way];
  }
}

std::string evidence_text(const AutoEvidence& e) {
  std::array<char, 200> text{};
  if (e.pairs < 2) {
    std::snprintf(text.data(), text.size(), "delay %.1f -> %.1f ms, goodput %.2f -> %.2f Mbit/s",
                  1e3 * e.delay_observing_s, 1e3 * e.delay_live_s, 1e-6 * e.goodput_observing_bps,
                  1e-6 * e.goodput_live_bps);
    return text.data();
  }
  std::snprintf(text.data(), text.size(),
                "delay %.1f -> %.1f ms (difference %+.1f ± %.1f), goodput %.2f -> %.2f Mbit/s "
                "(%+.2f ± %.2f), %zu pairs",
                1e3 * e.delay_observing_s, 1e3 * e.delay_live_s,
                1e3 * (e.delay_live_s - e.delay_observing_s), 1e3 * e.delay_half_width_s,
                1e-6 * e.goodput_observing_bps, 1e-6 * e.goodput_live_bps,
                1e-6 * (e.goodput_live_bps - e.goodput_observing_bps),
                1e-6 * e.goodput_half_width_bps, e.pairs);
  return text.data();
}

void AutoTrial::pair() {
  double first_s = 0, second_s = 0;
  totals_bps.emplace_back((before.mean_total_bps() + period.mean_total_bps()) / 2,
                          held.mean_total_bps());
  for (const Way way : kBothWays) {
    if (!before.known(way) || !held.known(way) || !period.known(way)) continue;
    delays_s[way].emplace_back((before.mean_wait_s(way) + period.mean_wait_s(way)) / 2,
                               held.mean_wait_s(way));
    goodputs_bps[way].emplace_back(
        (before.mean_goodput_bps(way) + period.mean_goodput_bps(way)) / 2,
        held.mean_goodput_bps(way));
    if (!of[way]) continue;
    first_s += delays_s[way].back().first, second_s += delays_s[way].back().second;
  }
  if (first_s > 0) delays_of_all_s.emplace_back(first_s, second_s);
}

AutoEvidence AutoTrial::evidence(Way way) const {
  const auto& delays = delays_s[way];
  const auto& goodputs = goodputs_bps[way];
  AutoEvidence e;
  e.pairs = delays.size();
  if (e.pairs < 2) {
    if (e.pairs) {
      e.delay_observing_s = delays[0].first, e.delay_live_s = delays[0].second;
      e.goodput_observing_bps = goodputs[0].first, e.goodput_live_bps = goodputs[0].second;
    }
    return e;
  }
  const Difference delay = paired_difference(delays), goodput = paired_difference(goodputs);
  e.delay_observing_s = delay.first, e.delay_live_s = delay.second;
  e.delay_half_width_s = delay.half_width;
  e.goodput_observing_bps = goodput.first, e.goodput_live_bps = goodput.second;
  e.goodput_half_width_bps = goodput.half_width;
  return e;
}

}  // namespace penstock::gw
