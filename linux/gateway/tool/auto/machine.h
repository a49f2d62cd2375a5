// SPDX-License-Identifier: GPL-2.0-only
// When `auto` holds a direction's queue, and when it steps back: a function of what was measured.
//
// A queue that stands for some looks is tried: periods that hold it alternate with periods that
// only observe, which come first and last (trial.h). The queue stays held if the delay is shown to
// be lower, and the goodput of both directions together is not, as either's ACKs take a part of the
// other's line. Proofs are repeated while it is held, and once the other direction fills; trials
// after it was not; both more and more rarely.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linux/gateway/tool/auto/trial.h"
#include "linux/gateway/tool/where/finding.h"

namespace penstock::gw {

enum class AutoState { kObserving, kTrying, kLive, kIdle, kWithdrawn };

const char* auto_state_name(AutoState state);

struct AutoTimes {
  int found = 3;  // looks in a row with a queue, until it is tried;
  int most_found = 12;  // twice as many after a trial in which it came and went, up to this
  int settle = 1;  // first looks of a period, which count for neither;
  int settle_both = 3;  // of both directions: round trips, and so windows, follow both queues
  int blind = 8;  // and so many in which no rate is known, so that nothing is held
  int drain = 3;  // up to so many more, until the queue is halved, or stands again
  int measured = 2;  // looks of a period
  int least_pairs = 2, most_pairs = 5;
  int idle = 30;  // looks without bulk
  int failing = 5;  // looks in a row in which it does not help
  std::uint64_t retry_s = 300, prove_s = 600, most_s = 3600;
};

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
  bool may_begin(const AutoSide& side) const;
  void begin_trials();
  void begin_trial(std::array<bool, kWays> of, const std::string& why);
  void collapse(Way way, const AutoLook& look);
  void fail_both(const std::string& why, const AutoEvidences& evidence);
  void look_at_trial(const AutoLooks& looks);
  void end_period();
  bool may_wait() const;
  void judge();
  void end_trial(const std::string& why);
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

}  // namespace penstock::gw
