// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/auto/machine.h"

#include <algorithm>

#include "linux/common/clock.h"
#include "linux/common/paired.h"

namespace penstock::gw {

namespace {

// A smaller loss of goodput is that of the measurement.
constexpr double kSmallLoss = 0.02;
constexpr double kLargeLoss = 0.05;
// An interval that reaches to a larger loss needs more pairs. Of one direction alone so much may
// go to the other, whose ACKs take a part of its line.
constexpr double kUnsure = 0.15;
// Looks in a row in which the other direction fills, until what is held is proved beside it.
constexpr int kFills = 2;
// A live look with so little of what there was ends a trial at once.
constexpr double kCollapse = 0.5;
// A delay that falls by less in so many pairs will not fall.
constexpr double kHopeless = 0.1;
constexpr int kHopelessPairs = 3;
constexpr const char* kComesAndGoes = "The queue came and went, so nothing was shown";

}  // namespace

const char* auto_state_name(AutoState state) {
  constexpr const char* kNames[] = {"observing", "trying", "live", "idle", "withdrawn"};
  return kNames[static_cast<int>(state)];
}

bool AutoMachine::wants_live(Way way) const {
  const AutoSide& side = sides_[way];
  if (trial_ && trial_->of[way]) return trial_->live;
  return side.state == AutoState::kLive || side.state == AutoState::kIdle;
}

void AutoMachine::go(Way way, AutoState to, std::string reason,
                     const std::optional<AutoEvidence>& evidence) {
  AutoSide& side = sides_[way];
  decided_.push_back({now_ns_, way, side.state, to, reason, evidence});
  side.state = to;
  side.since_ns = now_ns_;
  side.reason = std::move(reason);
  if (evidence) side.reason += " (" + evidence_text(*evidence) + ")";
  side.stands = side.quiet = side.failing = 0;
}

void AutoMachine::withdraw(Way way, const std::string& reason,
                           const std::optional<AutoEvidence>& evidence) {
  AutoSide& side = sides_[way];
  side.span_s = side.state == AutoState::kTrying && side.span_s && !side.proved
                    ? std::min(2 * side.span_s, times_.most_s)
                    : times_.retry_s;
  side.due_ns = now_ns_ + side.span_s * kNsPerS;
  side.proved = false;
  side.found = 0;
  go(way, AutoState::kWithdrawn,
     reason + ", so all passes unchanged; tried again in " + std::to_string(side.span_s / 60) +
         " min",
     evidence);
}

// Of a direction that no trial is about.
void AutoMachine::watch(Way way, const AutoLook& look) {
  AutoSide& side = sides_[way];
  side.stands = look.stands && look.may_hold ? side.stands + 1 : 0;
  side.quiet = look.flows ? 0 : side.quiet + 1;
  switch (side.state) {
    case AutoState::kObserving:
      side.reason = look.text;
      break;
    case AutoState::kLive: {
      const bool fails =
          look.knows && look.wait_s && *look.wait_s > std::max(kHeldS, side.unheld_s / 2);
      side.failing = fails ? side.failing + 1 : 0;
      if (side.quiet >= times_.idle)
        go(way, AutoState::kIdle,
           "No bulk for " + std::to_string(times_.idle) + " s: the programs stay for the next one");
      break;
    }
    case AutoState::kIdle:
      if (look.flows) go(way, AutoState::kLive, "There is bulk again");
      break;
    case AutoState::kTrying:
    case AutoState::kWithdrawn:
      break;
  }
}

void AutoMachine::begin_trial(std::array<bool, kWays> of, const std::string& why) {
  trial_.emplace();
  trial_->of = of;
  bool held = false;
  for (const Way way : kBothWays) held |= of[way] && sides_[way].state == AutoState::kLive;
  if (!held) {
    for (const AutoLooks& seen : recent_) trial_->before.add(seen);
    trial_->live = true;
  }
  for (const Way way : kBothWays) {
    if (!of[way]) continue;
    AutoSide& side = sides_[way];
    side.proved = side.state == AutoState::kLive;
    go(way, AutoState::kTrying, why.empty() ? looks_[way].text : why);
  }
}

bool AutoMachine::may_begin(const AutoSide& side) const {
  return side.state == AutoState::kObserving ||
         (side.state == AutoState::kWithdrawn && now_ns_ >= side.due_ns);
}

void AutoMachine::begin_trials() {
  std::array<bool, kWays> found{};
  std::string why;
  for (const Way way : kBothWays) {
    const AutoSide& side = sides_[way];
    if (!looks_[way].may_hold) continue;
    if (side.state == AutoState::kLive && looks_[way].flows) {
      const AutoSide& other = sides_[other_way(way)];
      if (side.failing >= times_.failing)
        why = "It waits as long as without: proved again";
      else if (other.stands >= kFills && other.state == AutoState::kWithdrawn && !side.beside)
        why = std::string("A queue stands ") + way_name(other_way(way)) + " too: proved beside it";
      else if (now_ns_ >= side.due_ns)
        why = "Proved again after " + std::to_string(side.span_s / 60) + " min";
      else
        continue;
      found[way] = true;
    } else if (side.stands >= std::max(side.found, times_.found)) {
      found[way] = may_begin(side);
    }
  }
  // What fills both ways is held best in both: ACKs that wait make a round trip of two queues.
  for (const Way way : kBothWays) {
    const AutoSide& side = sides_[way];
    if (found[other_way(way)] && may_begin(side) && side.stands && looks_[way].may_hold)
      found[way] = true;
  }
  if (found[kDown] && found[kUp] && joint_failed_) {
    found[kUp] = sides_[kDown].state == AutoState::kWithdrawn && now_ns_ < sides_[kDown].due_ns;
    found[kDown] = !found[kUp];
  }
  if (found[kDown] || found[kUp]) begin_trial(found, why);
}

// Ends it without a verdict: what was proved before stays so.
void AutoMachine::end_trial(const std::string& why) {
  joint_failed_ = false;
  for (const Way way : kBothWays) {
    if (!trial_->of[way]) continue;
    AutoSide& side = sides_[way];
    if (trial_->gaps)
      side.found = std::min(2 * std::max(side.found, times_.found), times_.most_found);
    if (side.proved) {
      side.due_ns = now_ns_ + times_.prove_s * kNsPerS;
      go(way, AutoState::kLive, why + ": what was proved before holds");
    } else {
      go(way, AutoState::kObserving, why);
    }
  }
  trial_.reset();
}

// Whether the next trial may wait for a queue that stands for longer.
bool AutoMachine::may_wait() const {
  for (const Way way : kBothWays)
    if (trial_->of[way] && sides_[way].found >= times_.most_found) return false;
  return true;
}

void AutoMachine::judge() {
  const std::size_t pairs = trial_->delays_of_all_s.size();
  if (static_cast<int>(pairs) < times_.least_pairs) return;
  std::array<bool, kWays> helps{};
  std::string harm;
  bool doubtful = false;
  const Difference all = paired_difference(trial_->totals_bps);
  const double lost_bps = all.first - all.second;
  const bool unsure = lost_bps + all.one_sided > kUnsure * all.first;
  if ((lost_bps > kSmallLoss * all.first && lost_bps > all.half_width) ||
      lost_bps > kLargeLoss * all.first)
    harm = "Holding it costs goodput";
  for (const Way way : kBothWays) {
    if (trial_->delays_s[way].size() < 2) continue;
    const AutoEvidence e = trial_->evidence(way);
    const double delay_s = e.delay_live_s - e.delay_observing_s;
    helps[way] = delay_s < -e.delay_half_width_s || e.delay_observing_s < kHeldS;
    const double least_bps = (1 - kUnsure) * e.goodput_observing_bps;
    if (e.goodput_live_bps + e.goodput_half_width_bps < least_bps)
      harm = std::string("Holding it costs ") + way_name(way) + " goodput";
    doubtful |= e.goodput_live_bps < least_bps;
  }
  const bool harmed = !harm.empty();
  // A round trip waits in both queues, of which one may keep the other empty.
  const Difference delay = paired_difference(trial_->delays_of_all_s);
  const bool hopeless = -delay.mean < kHopeless * delay.first;
  bool good = delay.mean < -delay.half_width && !harmed && !unsure;
  for (const Way way : kBothWays) good &= helps[way] || !trial_->of[way];
  const bool last = static_cast<int>(pairs) >= (hopeless ? kHopelessPairs : times_.most_pairs);
  // What more pairs may show does not decide; what all of them do not show is no harm.
  good &= !doubtful || last;
  if (!good && !last) return;
  if (!good && trial_->gaps && may_wait()) return end_trial(kComesAndGoes);
  const auto of = trial_->of;
  AutoEvidences found{};
  for (const Way way : kBothWays)
    if (of[way]) found[way] = trial_->evidence(way);
  trial_.reset();
  if (!good && of[kDown] && of[kUp])
    return fail_both(harmed ? harm : "It is not shown that their queues become shorter", found);
  for (const Way way : kBothWays) {
    if (!of[way]) continue;
    AutoSide& side = sides_[way];
    if (!good) {
      withdraw(way,
               harmed       ? harm
               : helps[way] ? "It is not shown that holding it costs no goodput"
                            : "Holding it does not shorten the queue",
               found[way]);
      continue;
    }
    side.span_s = side.proved ? std::min(2 * side.span_s, times_.most_s) : times_.prove_s;
    side.due_ns = now_ns_ + side.span_s * kNsPerS;
    side.found = 0;
    side.unheld_s = found[way]->delay_observing_s;
    side.beside = !of[other_way(way)] && sides_[other_way(way)].stands;
    joint_failed_ = false;
    go(way, AutoState::kLive,
       of[other_way(way)] ? "The delay of both directions together is lower, and goodput is not"
                          : "The delay is lower, and goodput is not",
       found[way]);
  }
}

void AutoMachine::end_period() {
  AutoTrial& t = *trial_;
  bool loaded = false;
  for (const Way way : kBothWays)
    loaded |= t.of[way] && t.period.loaded[way] && t.period.known(way);
  if (!loaded) return end_trial("The load ended before it was proved");
  if (t.live) {
    t.held = t.period;
  } else if (t.held.looks) {
    t.pair();
  }
  if (!t.live) t.before = t.period;
  t.live = !t.live;
  if (++t.periods > 2 * times_.most_pairs + 2) return end_trial("Too little could be measured");
  t.looks = t.drained = t.blind = 0;
  t.period = {};
  if (t.live) judge();
}

// Held, a direction has less than half of what it had.
void AutoMachine::collapse(Way way, const AutoLook& look) {
  AutoEvidence e;
  e.pairs = 1;
  e.delay_observing_s = trial_->before.mean_wait_s(way);
  e.delay_live_s = look.wait_s.value_or(0);
  e.goodput_observing_bps = trial_->before.mean_goodput_bps(way);
  e.goodput_live_bps = look.goodput_bps;
  const bool both = trial_->both();
  const bool stays = e.delay_live_s > e.delay_observing_s / 2;
  if (!stays && may_wait()) {
    trial_->gaps = true;
    return end_trial(kComesAndGoes);
  }
  trial_.reset();
  joint_failed_ = false;
  if (!both)
    return withdraw(way,
                    std::string("Held, it lost more than half of its goodput") +
                        (stays ? ", and waited as long: others fill the same line" : ""),
                    e);
  AutoEvidences found;
  found[way] = e;
  fail_both(std::string("Held, ") + way_name(way) + " lost more than half of its goodput", found);
}

void AutoMachine::fail_both(const std::string& why, const AutoEvidences& evidence) {
  joint_failed_ = true;
  for (const Way way : kBothWays)
    go(way, AutoState::kObserving, why + ", both at once: each alone next", evidence[way]);
}

void AutoMachine::look_at_trial(const AutoLooks& looks) {
  AutoTrial& t = *trial_;
  for (const Way way : kBothWays)
    if (t.of[way] && !looks[way].may_hold) return end_trial("Its attachment is gone");
  if (++t.looks <= times_.settle) return;
  bool blind = false;
  for (const Way way : kBothWays) blind |= t.live && t.of[way] && !looks[way].knows;
  if (blind && t.blind++ < times_.blind) return void(--t.looks);
  std::array<bool, kWays> drains{};
  for (const Way way : kBothWays) {
    const AutoLook& look = looks[way];
    drains[way] = t.live && t.of[way] && look.wait_s && t.before.known(way) && !t.period.looks &&
                  *look.wait_s > t.before.mean_wait_s(way) / 2;
  }
  const bool waits = (drains[kDown] || drains[kUp]) && t.drained < times_.drain;
  for (const Way way : kBothWays) {
    const AutoLook& look = looks[way];
    const bool collapsed = t.live && t.of[way] && look.flows && t.before.known(way) &&
                           look.goodput_bps < kCollapse * t.before.mean_goodput_bps(way);
    // The queue that its ACKs wait in may still drain.
    if (collapsed && !(waits && drains[other_way(way)])) return collapse(way, look);
  }
  if (waits) {
    ++t.drained;
    --t.looks;
    return;
  }
  if (t.both() && t.looks <= times_.settle_both) return;
  bool stands = t.live;
  for (const Way way : kBothWays) stands |= looks[way].stands;
  t.gaps |= !stands;
  t.period.add(looks);
  if (t.period.looks >= times_.measured) end_period();
}

std::vector<AutoDecision> AutoMachine::take(const AutoLooks& looks, std::uint64_t time_ns) {
  now_ns_ = time_ns;
  looks_ = looks;
  decided_.clear();
  recent_.push_back(looks);
  if (static_cast<int>(recent_.size()) >= times_.found) recent_.pop_front();
  if (trial_) look_at_trial(looks);
  for (const Way way : kBothWays)
    if (sides_[way].state != AutoState::kTrying) watch(way, looks[way]);
  if (!trial_) begin_trials();
  return decided_;
}

}  // namespace penstock::gw
