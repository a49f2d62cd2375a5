// SPDX-License-Identifier: GPL-2.0-only
// COBALT in floating point, written from the description of its papers: CoDel whose count falls
// as it rose, and BLUE. Seconds. Without a clock of its own: `due` is the time of the next signal.
#pragma once

#include <algorithm>
#include <cmath>

namespace penstock::twins {

struct Cobalt {
  double target = 0.005, interval = 0.1, packet = 0.0;
  double raise = 1.0 / 256, lower = 1.0 / 4096;

  double p = 0.0, due = 0.0, stepped = 0.0;
  double count = 0.0;
  bool above = false;
  int gaps = 0;    // so far
  bool close = false;  // a time was too near to a limit for integers to tell

  enum class Verdict { kForward, kMark, kDrop };

  double gap() {
    ++gaps;
    return interval / std::sqrt(std::max(count, 1.0));
  }
  // Each gap falls short by up to a nanosecond, and by the root's last place.
  bool passed(double now, double limit) {
    close |= std::abs(now - limit) < 1e-4 * interval + 1e-9 * (gaps + 2);
    return now >= limit;
  }
  bool may_step(double now) {
    if (!(now - stepped > target)) return false;
    stepped = now;
    return true;
  }

  void overflow(double now) {
    if (may_step(now)) p = std::min(p + raise, 1.0);
    above = true;
    due = now;
    count = std::max(count, 1.0);
  }

  void nothing_queued(double now) {
    if (p > 0 && may_step(now)) p = std::max(p - lower, 0.0);
    above = false;
    if (count > 0 && passed(now, due)) fall();
  }

  void fall() {
    count -= 1;
    due += gap();
  }

  bool rests(double now) { return p <= 0 && count <= 0 && passed(now, due); }

  Verdict dequeue(double now, double waited, bool ect, double draw) {
    const bool over = waited > std::max(target, 4 * packet);
    const bool was_due = count > 0 && passed(now, due);
    bool behind = passed(now, due);
    Verdict verdict = Verdict::kForward;
    if (over && !above) due = now + gap();
    above = over;
    if (over && count <= 0) count = 1;
    if (was_due && over) {
      verdict = ect ? Verdict::kMark : Verdict::kDrop;
      count += 1;
      due += gap();
    } else if (was_due) {
      while (count > 0 && passed(now, due)) fall();
    }
    if (was_due) behind = passed(now, due);
    if (draw < p) verdict = Verdict::kDrop;
    if (count <= 0)
      due = now + interval;
    else if (behind && verdict != Verdict::kDrop)
      due = now;
    return verdict;
  }
};

}  // namespace penstock::twins
