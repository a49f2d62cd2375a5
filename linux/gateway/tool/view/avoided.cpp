// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/avoided.h"

#include "linux/common/clock.h"
#include "linux/common/paired.h"

namespace penstock::gw {

namespace {

// Packets in flight at a change of state count for neither of its sides.
constexpr std::uint64_t kSettleNs = 2 * kNsPerS;
constexpr std::uint64_t kLeastNs = 3 * kNsPerS;
constexpr std::size_t kMostPeriods = 64;
constexpr std::size_t kFewestPairs = 2;  // for an interval

bool is_measured(State state) { return state == State::kLive || state == State::kObserve; }

}  // namespace

bool Avoided::Period::counts() const { return is_measured(state) && end_ns >= begin_ns + kLeastNs; }

double Avoided::Period::drops_per_s() const {
  return static_cast<double>(drops) * static_cast<double>(kNsPerS) /
         static_cast<double>(end_ns - begin_ns);
}

void Avoided::look(State state, std::uint64_t drops, std::uint64_t time_ns) {
  // A queue that was replaced counts from zero.
  if (state != now_.state || drops < now_.drops_before + now_.drops) {
    if (now_.counts()) done_.push_back(now_);
    if (done_.size() > kMostPeriods) done_.erase(done_.begin());
    now_ = {state, time_ns + kSettleNs, 0, drops, 0};
    return;
  }
  // From the first look after the pause on.
  if (!now_.end_ns) {
    now_.drops_before = drops;
    if (time_ns >= now_.begin_ns) now_.begin_ns = now_.end_ns = time_ns;
    return;
  }
  now_.drops = drops - now_.drops_before;
  now_.end_ns = time_ns;
}

std::vector<std::pair<double, double>> Avoided::pairs() const {
  std::vector<Period> all = done_;
  if (now_.counts()) all.push_back(now_);
  std::vector<std::pair<double, double>> found;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Period& one = all[i - 1];
    const Period& two = all[i];
    if (one.state == two.state) continue;
    const bool live_first = one.state == State::kLive;
    found.emplace_back((live_first ? two : one).drops_per_s(),
                       (live_first ? one : two).drops_per_s());
    ++i;  // each period is of one pair
  }
  return found;
}

nlohmann::ordered_json Avoided::json() const {
  const auto found = pairs();
  if (found.empty())
    return {{"known", false},
            {"reason",
             "not known: no observing period beside a live one was seen; "
             "penstock-gw compare makes some"}};
  nlohmann::ordered_json j = {{"known", true}, {"pairs", found.size()}};
  if (found.size() < kFewestPairs) {
    j["drops_per_s"] = found[0].first - found[0].second;
    return j;
  }
  const Difference d = paired_difference(found);
  j["drops_per_s"] = -d.mean;
  j["interval"] = {-d.mean - d.half_width, -d.mean + d.half_width};
  return j;
}

}  // namespace penstock::gw
