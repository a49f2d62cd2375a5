// SPDX-License-Identifier: GPL-2.0-only
// PIE in floating point, written from RFC 8033 sections 4, 5 and Appendix A. Seconds.
#pragma once

#include <algorithm>

namespace penstock::twins {

struct Pie {
  double target = 0.015, alpha = 0.125, beta = 1.25, max_burst = 0.15, t_update = 0.015;
  double mean_packet = 1500;
  double mark_threshold = 0.1;
  bool derandomize = true;

  double drop_prob = 0.0, delay = 0.0, delay_old = 0.0, burst = 0.0, accu = 0.0;

  enum class Verdict { kEnqueue, kMark, kDrop };

  Verdict arrive(double queue_bytes, double uniform) {
    if (burst > 0 || !drop_early(queue_bytes, uniform)) return Verdict::kEnqueue;
    accu = 0;
    return drop_prob < mark_threshold ? Verdict::kMark : Verdict::kDrop;
  }

  void leave(double queue_bytes_left, double sojourn) {
    delay = queue_bytes_left > 0 ? sojourn : 0.0;
  }

  void update() {
    double p = alpha * (delay - target) + beta * (delay - delay_old);
    p /= scale();
    if (drop_prob >= 0.1) p = std::min(p, 0.02);
    drop_prob += p;
    if (delay == 0 && delay_old == 0) drop_prob *= 0.98;
    drop_prob = std::clamp(drop_prob, 0.0, 1.0);
    burst = std::max(0.0, burst - t_update);
    if (drop_prob == 0 && delay < target / 2 && delay_old < target / 2) burst = max_burst;
    delay_old = delay;
  }

  // Auto-tuning: the smaller the probability, the finer the step.
  double scale() const {
    if (drop_prob < 0.000001) return 2048;
    if (drop_prob < 0.00001) return 512;
    if (drop_prob < 0.0001) return 128;
    if (drop_prob < 0.001) return 32;
    if (drop_prob < 0.01) return 8;
    if (drop_prob < 0.1) return 2;
    return 1;
  }

 private:
  bool drop_early(double queue_bytes, double uniform) {
    if (delay_old < target / 2 && drop_prob < 0.2) return false;
    if (queue_bytes <= 2 * mean_packet) return false;
    if (derandomize) {
      if (drop_prob == 0) accu = 0;
      accu += drop_prob;
      if (accu < 0.85) return false;
      if (accu >= 8.5) return true;
    }
    return uniform < drop_prob;
  }
};

}  // namespace penstock::twins
