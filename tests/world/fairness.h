// SPDX-License-Identifier: GPL-2.0-only
// R36 as a world sees it. While several connections want more and all of them are controlled, none
// of them gets much less than its share of the link. Beside others the controlled ones together get
// theirs.
#pragma once

#include <optional>
#include <vector>

#include "tests/world/script.h"

namespace penstock::world {

// A connection, seen from outside.
struct Progress {
  u64 bytes = 0;  // that have arrived
  bool wants = false;
  bool judged = false;  // it is controlled
  u64 most_bytes_per_s = 0;  // that its receiver's buffer permits
};

// A span in which some wanted more all the time.
struct Share {
  u64 flow = 0;  // index of the one that got the least; of a mixed span none
  u64 percent = 100;  // of its share, or of what its receiver permits
  bool mixed = false;  // not all were controlled: of all shares of those that were
};

class Fairness {
 public:
  explicit Fairness(u64 bytes_per_s) : bytes_per_s_(bytes_per_s) {}
  // Once in `kSampleNs`. What holds for a span that is over.
  std::optional<Share> sample(const std::vector<Progress>& flows);

  static constexpr u64 kSampleNs = 500'000'000;

 private:
  std::optional<Share> least(const std::vector<Progress>& flows) const;
  std::optional<Share> part(const std::vector<Progress>& flows) const;
  u64 fair_bytes(const Progress& flow) const;

  static constexpr u64 kSamples = 20;  // of a span
  u64 bytes_per_s_;
  u64 samples_ = 0;
  u64 most_ = 0;  // that wanted more at the same time
  bool mixed_ = false;  // not all of them were controlled
  std::vector<Progress> begun_;
};

}  // namespace penstock::world
