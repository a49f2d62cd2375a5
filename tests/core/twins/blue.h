// SPDX-License-Identifier: GPL-2.0-only
// BLUE in floating point, written from Feng, Shin, Kandlur and Saha 2002, Fig. 5.
#pragma once

#include <algorithm>

namespace penstock::twins {

struct Blue {
  double raise, lower;         // d1, d2
  double freeze_ns;
  double threshold_packets;    // L
  bool signal_raises;
  double p = 0.0;
  double last_update_ns = 0.0;

  void on_loss(double now_ns) { step(now_ns, raise); }
  // The link is idle at every nanosecond from `from_ns` on and before `to_ns`.
  void on_idle_link(double from_ns, double to_ns) {
    for (double t = std::max(from_ns, last_update_ns + freeze_ns + 1); t < to_ns;
         t += freeze_ns + 1)
      step(t, -lower);
  }

  bool signals(double now_ns, double queue_packets, double uniform) {
    if (queue_packets > threshold_packets) on_loss(now_ns);
    const bool hit = uniform < p;
    if (hit && signal_raises) on_loss(now_ns);
    return hit;
  }

 private:
  void step(double now_ns, double change) {
    if (now_ns - last_update_ns <= freeze_ns) return;
    p = std::clamp(p + change, 0.0, 1.0);
    last_update_ns = now_ns;
  }
};

}  // namespace penstock::twins
