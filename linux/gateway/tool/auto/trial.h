// SPDX-License-Identifier: GPL-2.0-only
// A trial of `auto`: periods that hold a queue, or two, between periods that observe, and what they
// show. Each live period is compared with the mean of the two beside it, as a pair; the mean
// difference has Student's interval (linux/common/paired.h).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linux/gateway/tool/where/finding.h"

namespace penstock::gw {

// A direction in one look.
struct AutoLook {
  bool may_hold = false;  // an attachment of ours stands there
  bool stands = false;  // a queue that it would hold
  bool knows = true;  // its rate is known, or it is not held, which needs none
  std::optional<double> wait_s{};
  double goodput_bps = 0;
  std::size_t flows = 0;  // in bulk
  std::string text{};  // whereabouts()
};

using AutoLooks = std::array<AutoLook, kWays>;

// What was proved, or not, of a direction.
struct AutoEvidence {
  std::size_t pairs = 0;
  double delay_observing_s = 0, delay_live_s = 0, delay_half_width_s = 0;
  double goodput_observing_bps = 0, goodput_live_bps = 0, goodput_half_width_bps = 0;
};

using AutoEvidences = std::array<std::optional<AutoEvidence>, kWays>;

std::string evidence_text(const AutoEvidence& evidence);

// The sums of a period.
struct AutoPeriod {
  int looks = 0;
  std::array<double, kWays> wait_s{}, goodput_bps{};
  std::array<int, kWays> waits{};
  std::array<bool, kWays> loaded{};
  void add(const AutoLooks& seen);
  bool known(Way way) const { return waits[way] > 0; }
  double mean_wait_s(Way way) const { return wait_s[way] / waits[way]; }
  double mean_goodput_bps(Way way) const { return goodput_bps[way] / looks; }
  double mean_total_bps() const { return (goodput_bps[kDown] + goodput_bps[kUp]) / looks; }
};

struct AutoTrial {
  std::array<bool, kWays> of{};
  bool live = false;
  int looks = 0;  // of the period that runs, until it is settled
  int drained = 0, blind = 0;
  int periods = 0;
  bool gaps = false;  // without being held, no queue stood in some look, either way
  AutoPeriod period{}, before{}, held{};
  std::array<std::vector<std::pair<double, double>>, kWays> delays_s, goodputs_bps;
  std::vector<std::pair<double, double>> totals_bps;  // of both directions
  std::vector<std::pair<double, double>> delays_of_all_s;  // the sum over `of`

  bool both() const { return of[kDown] && of[kUp]; }
  // Compares the period that was held with the two beside it.
  void pair();
  AutoEvidence evidence(Way way) const;
};

}  // namespace penstock::gw
