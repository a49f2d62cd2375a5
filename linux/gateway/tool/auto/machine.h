// SPDX-License-Identifier: GPL-2.0-only
// When `auto` holds a direction's queue, and when it steps back: a function of what was measured.
//
// A queue that stands for some looks is tried: periods that hold it alternate with periods that
// only observe, which come first and last. Each live period is compared with the mean of the two
// beside it, as a pair; the mean difference has Student's interval (linux/common/paired.h). The
// queue stays held if the delay is shown to be lower, and the goodput of both directions together
// is not, as either's ACKs take a part of the other's line. Proofs are repeated while it is held,
// and once the other direction fills; trials after it was not; both more and more rarely.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linux/gateway/tool/where/finding.h"

namespace penstock::gw {

enum class AutoState { kObserving, kTrying, kLive, kIdle, kWithdrawn };

const char* auto_state_name(AutoState state);

// A direction in one look.
struct AutoLook {
  bool may_hold = false;  // an attachment of ours stands there
  bool stands = false;    // a queue that it would hold
  bool knows = true;      // its rate is known, or it is not held, which needs none
  std::optional<double> wait_s{};
  double goodput_bps = 0;
  std::size_t flows = 0;  // in bulk
  std::string text{};     // whereabouts()
};

using AutoLooks = std::array<AutoLook, kWays>;

struct AutoTimes {
  int found = 3;             // looks in a row with a queue, until it is tried;
  int most_found = 12;       // twice as many after a trial in which it came and went, up to this
  int settle = 1;            // first looks of a period, which count for neither;
  int settle_both = 3;  // of both directions: round trips, and so windows, follow both queues
  int blind = 8;  // and so many in which no rate is known, so that nothing is held
  int drain = 3;  // up to so many more, until the queue is halved, or stands again
  int measured = 2;  // looks of a period
  int least_pairs = 2, most_pairs = 5;
  int idle = 30;  // looks without bulk
  int failing = 5;  // looks in a row in which it does not help
  std::uint64_t retry_s = 300, prove_s = 600, most_s = 3600;
};

// What was proved, or not, of a direction.
struct AutoEvidence {
  std::size_t pairs = 0;
  double delay_observing_s = 0, delay_live_s = 0, delay_half_width_s = 0;
  double goodput_observing_bps = 0, goodput_live_bps = 0, goodput_half_width_bps = 0;
};

using AutoEvidences = std::array<std::optional<AutoEvidence>, kWays>;

struct AutoDecision {
  std::uint64_t time_ns = 0;
  Way way = kDown;
  AutoState from = AutoState::kObserving, to = AutoState::kObserving;
  std::string reason{};
  std::optional<AutoEvidence> evidence{};
};

// What the machine keeps of a direction.
struct AutoSide {
  AutoState state = AutoState::kObserving;
  std::uint64_t since_ns = 0;
  std::string reason{"Nothing was seen yet."};
  std::uint64_t due_ns = 0;  // withdrawn: of the next trial; live: of the next proof
  std::uint64_t span_s = 0;  // until that
  int stands = 0, quiet = 0, failing = 0;
  int found = 0;  // looks that it takes now; 0 as at first
  double unheld_s = 0;  // the delay that was proved to be without it
  bool proved = false;  // before this trial
  bool beside = false;  // proved beside a queue of the other direction that is not held
};

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

// Periods that hold a queue, or two, between periods that observe.
struct AutoTrial {
  std::array<bool, kWays> of{};
  bool live = false;
  int looks = 0;  // of the period that runs, until it is settled
  int drained = 0, blind = 0;
  int periods = 0;
  bool gaps = false;  // without being held, no queue stood in some look
  AutoPeriod period{}, before{}, held{};
  std::array<std::vector<std::pair<double, double>>, kWays> delays_s, goodputs_bps;
  std::vector<std::pair<double, double>> totals_bps;  // of both directions
  std::vector<std::pair<double, double>> delays_of_all_s;  // the sum over `of`

  bool both() const { return of[kDown] && of[kUp]; }
};

class AutoMachine {
 public:
  explicit AutoMachine(const AutoTimes& times = {}) : times_(times) {}

  // A look of a second that ended at `time_ns`. Returns what was decided.
  std::vector<AutoDecision> take(const AutoLooks& looks, std::uint64_t time_ns);

  // Whether the direction is to be held from now on.
  bool wants_live(Way way) const;
  AutoState state(Way way) const { return sides_[way].state; }
  // Why, of the last decision, or what is seen meanwhile.
  const std::string& reason(Way way) const { return sides_[way].reason; }
  std::uint64_t since_ns(Way way) const { return sides_[way].since_ns; }
  // When a withdrawn direction is tried again.
  std::uint64_t retry_ns(Way way) const { return sides_[way].due_ns; }

 private:
  void watch(Way way, const AutoLook& look);
  void begin_trials();
  void begin_trial(std::array<bool, kWays> of, const std::string& why);
  void collapse(Way way, const AutoLook& look);
  void fail_both(const std::string& why, const AutoEvidences& evidence);
  void look_at_trial(const AutoLooks& looks);
  void end_period();
  bool may_wait() const;
  void judge();
  void end_trial(const std::string& why);
  AutoEvidence evidence(Way way) const;
  void go(Way way, AutoState to, std::string reason,
          const std::optional<AutoEvidence>& evidence = {});
  void withdraw(Way way, const std::string& reason, const std::optional<AutoEvidence>& evidence);

  AutoTimes times_;
  std::array<AutoSide, kWays> sides_;
  std::optional<AutoTrial> trial_;
  AutoLooks looks_{};
  std::deque<AutoLooks> recent_;  // what is compared with the first live period
  std::uint64_t now_ns_ = 0;
  bool joint_failed_ = false;  // both at once: then each alone
  std::vector<AutoDecision> decided_;
};

std::string evidence_text(const AutoEvidence& evidence);

}  // namespace penstock::gw
