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

// In a span; of as many as ever wanted more at once.
u64 Fairness::fair_bytes(const Progress& flow) const {
  constexpr u64 kSpanMs = kSamples * kSampleNs / 1'000'000;
  const u64 bytes_per_s = std::min(bytes_per_s_ / most_, flow.most_bytes_per_s);
  return std::max<u64>(bytes_per_s * kSpanMs / 1000, 1);
}

std::optional<Share> Fairness::part(const std::vector<Progress>& flows) const {
  u64 bytes = 0, fair = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (!begun_[i].judged) continue;
    bytes += flows[i].bytes - begun_[i].bytes;
    fair += fair_bytes(flows[i]);
  }
  if (!fair) return std::nullopt;
  return Share{.percent = bytes * 100 / fair, .mixed = true};
}

std::optional<Share> Fairness::least(const std::vector<Progress>& flows) const {
  std::optional<Share> least;
  if (most_ < 2) return least;
  if (mixed_) return part(flows);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (!begun_[i].judged) continue;
    const u64 percent = (flows[i].bytes - begun_[i].bytes) * 100 / fair_bytes(flows[i]);
    if (!least || percent < least->percent) least = Share{.flow = i, .percent = percent};
  }
  return least;
}

}  // namespace penstock::world
