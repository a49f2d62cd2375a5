// SPDX-License-Identifier: GPL-2.0-only
#include "tests/world/judge.h"

#include <algorithm>
#include <vector>

#include "tests/world/world.h"

namespace penstock::world {

namespace {

// How much later than without the gateway the last connection may end: some time-outs, and
// the time that the link takes for all of the data, a few times.
constexpr u64 kSlackNs = 30 * kSecond;
constexpr u64 kLinkTimes = 4;
// Without the gateway, no connection is waited for longer than this after the last event.
constexpr u64 kPatienceNs = 300 * kSecond;

// R36: so much of its share a controlled flow has at least, for ten seconds.
constexpr u64 kLeastPercent = 50;
// Beside flows that are not controlled, of all their shares together. The worst world known
// has 26, and 2 where fair holds nobody.
constexpr u64 kLeastMixedPercent = 25;
// fair counts the flows of two of its averaging times. Over longer round trips it forgets some
// meanwhile, and beside senders that ignore marks the bound above does not hold.
constexpr u64 kCountedUs = 200'000;

// The laws that give each flow its share; the others react to a queue that all have in common.
bool divides(const Script& s) {
  const std::string method = kMethods[s.settings.method];
  return method == "penstock" || method == "integral" || method == "share";
}

// What keeps shares from those that no window controls, if the gateway can remember all flows.
bool holds_others(const Script& s) {
  const Settings& w = s.settings;
  const bool deaf =
      std::any_of(s.flows.begin(), s.flows.end(), [](const Flow& f) { return f.deaf != 0; });
  return kMethods[w.method] == std::string("penstock") && w.flows >= s.flows.size() &&
         (!deaf || 2 * (w.near_us + w.far_us) <= kCountedUs);
}

u64 link_ns(const Script& s) {
  u64 bytes = 0;
  for (const Flow& f : s.flows) bytes += f.near_bytes + f.far_bytes;
  return bytes * 8 * kMs / s.settings.rate_kbps;
}

u64 longest_pause_ns(const Script& s) {
  u64 us = 0;
  for (const Flow& f : s.flows)
    us = std::max({us, f.pause_us, f.stall_us, f.again ? f.start_us + f.pause_us : 0});
  return us * kUs;
}

using Fails = std::function<bool(const Script&)>;

// Cuts parts of `list` out, half of it first, as long as the script still fails.
template <typename T>
void cut(Script& script, const Fails& fails, std::vector<T> Script::* list, std::size_t least) {
  for (std::size_t size = ((script.*list).size() + 1) / 2; size; size /= 2) {
    for (std::size_t at = 0; at < (script.*list).size();) {
      Script less = script;
      auto& from = less.*list;
      const auto first = from.begin() + static_cast<std::ptrdiff_t>(at);
      from.erase(first, first + static_cast<std::ptrdiff_t>(std::min(size, from.size() - at)));
      if (from.size() >= least && fails(less))
        script = less;
      else
        at += size;
    }
  }
}

// Tries `field` of each in `list` at `simple`.
template <typename T>
void simplify(Script& script, const Fails& fails, std::vector<T> Script::* list, u64 T::* field,
              u64 simple) {
  for (std::size_t i = 0; i < (script.*list).size(); ++i) {
    Script less = script;
    if ((less.*list)[i].*field == simple) continue;
    (less.*list)[i].*field = simple;
    if (fails(less)) script = less;
  }
}

// It ends without the gateway, and does not vanish before it has ended with it.
bool is_judged(const Script& s, const Outcome& alone, std::size_t flow) {
  return alone.ended_ns[flow] != kNever && !s.flows[flow].quits_us;
}

}  // namespace

Verdict judge(const Script& script) {
  Verdict v;
  const u64 healed_ns = script.settings.heal_us * kUs;
  const u64 patience_ns = healed_ns + longest_pause_ns(script) + link_ns(script) + kPatienceNs;
  const Outcome alone = World(script, false).play(patience_ns);
  u64 last_ns = healed_ns;
  for (std::size_t i = 0; i < alone.ended_ns.size(); ++i) {
    if (!is_judged(script, alone, i)) continue;
    last_ns = std::max(last_ns, alone.ended_ns[i]);
    ++v.judged;
  }
  const u64 bound_ns = last_ns + kSlackNs + kLinkTimes * link_ns(script);
  const Outcome with = World(script, true).play(bound_ns);
  v.simulated_ns = with.until_ns;
  v.packets = with.packets;
  v.broken = with.broken;
  if (v.broken.empty() && divides(script) && with.least_percent < kLeastPercent)
    v.broken = "R36: a controlled flow gets " + std::to_string(with.least_percent) +
               " % of its share of the link";
  if (v.broken.empty() && holds_others(script) && with.least_mixed_percent < kLeastMixedPercent)
    v.broken = "R36: beside others, controlled flows get " +
               std::to_string(with.least_mixed_percent) + " % of their shares of the link";
  for (std::size_t i = 0; i < with.ended_ns.size() && v.broken.empty(); ++i)
    if (is_judged(script, alone, i) && with.ended_ns[i] == kNever)
      v.broken = "flow " + std::to_string(script.flows[i].number) + " has not ended after " +
                 std::to_string(bound_ns / kSecond) + " s; without the gateway it ends after " +
                 std::to_string(alone.ended_ns[i] / kSecond) + " s";
  return v;
}

Script shrunk(const Script& script, const Fails& fails) {
  Script s = script;
  for (std::size_t size = 0; size != s.flows.size() + s.events.size();) {
    size = s.flows.size() + s.events.size();
    cut(s, fails, &Script::flows, 1);
    cut(s, fails, &Script::events, 0);
  }
  simplify(s, fails, &Script::flows, &Flow::pause_us, 0);
  simplify(s, fails, &Script::flows, &Flow::far_bytes, 0);
  simplify(s, fails, &Script::flows, &Flow::stall_us, 0);
  simplify(s, fails, &Script::flows, &Flow::quits_us, 0);
  simplify(s, fails, &Script::flows, &Flow::unseen, 0);
  simplify(s, fails, &Script::flows, &Flow::deaf, 0);
  simplify(s, fails, &Script::flows, &Flow::sack, 0);
  simplify(s, fails, &Script::flows, &Flow::ecn, 0);
  simplify(s, fails, &Script::flows, &Flow::ipv6, 0);
  simplify(s, fails, &Script::flows, &Flow::far_opens, 0);
  simplify(s, fails, &Script::flows, &Flow::near_mss, 1460);
  simplify(s, fails, &Script::flows, &Flow::far_mss, 1460);
  return s;
}

Script shrunk(const Script& script) {
  return shrunk(script, [](const Script& s) { return !judge(s).broken.empty(); });
}

}  // namespace penstock::world
