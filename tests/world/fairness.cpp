// SPDX-License-Identifier: GPL-2.0-only
#include "tests/world/fairness.h"

#include <algorithm>

namespace penstock::world {

std::optional<Share> Fairness::sample(const std::vector<Progress>& flows) {
  if (!samples_) {
    begun_ = flows;
    most_ = 0;
    mixed_ = false;
  }
  u64 wanting = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    wanting += flows[i].wants;
    mixed_ = mixed_ || (flows[i].wants && !flows[i].judged);
    begun_[i].judged = begun_[i].judged && flows[i].judged && flows[i].wants;
  }
  most_ = std::max(most_, wanting);
  if (samples_++ < kSamples) return std::nullopt;
  samples_ = 0;
  return least(flows);
}

std::optional<Share> Fairness::least(const std::vector<Progress>& flows) const {
  constexpr u64 kSpanMs = kSamples * kSampleNs / 1'000'000;
  std::optional<Share> least;
  if (most_ < 2 || mixed_) return least;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (!begun_[i].judged) continue;
    const u64 fair = std::min(bytes_per_s_ / most_, flows[i].most_bytes_per_s);
    const u64 percent =
        (flows[i].bytes - begun_[i].bytes) * 100'000 / std::max<u64>(fair * kSpanMs, 1);
    if (!least || percent < least->percent) least = Share{i, percent};
  }
  return least;
}

}  // namespace penstock::world
