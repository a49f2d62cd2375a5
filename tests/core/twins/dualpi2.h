// SPDX-License-Identifier: GPL-2.0-only
// DualPI2 in floating point, written from the pseudocode of RFC 9332 appendix A. Seconds.
#pragma once

#include <algorithm>

namespace penstock::twins {

struct DualPi2 {
  double target = 0.015, alpha = 0.15, beta = 3.0, k = 2.0;
  double min_th = 0.0008, range = 0.0004;
  int th_len = 1;

  double p = 0.0;  // p'
  double prevq = 0.0, lq_count = 0.0, lq_drop_count = 0.0, cq_count = 0.0;

  enum class Verdict { kForward, kMark, kDrop };

  void update(double lq_time, double cq_time) {
    const double curq = std::max(lq_time, cq_time);
    p = std::clamp(p + alpha * (curq - target) + beta * (curq - prevq), 0.0, 1.0);
    prevq = curq;
  }

  double p_c() const { return p * p; }
  double p_cl() const { return std::min(k * p, 1.0); }

  double laqm(double qdelay) const {
    if (qdelay >= min_th + range) return 1.0;
    return qdelay > min_th ? (qdelay - min_th) / range : 0.0;
  }

  static bool recur(double& count, double likelihood) {
    count += likelihood;
    if (count <= 1.0) return false;
    count -= 1.0;
    return true;
  }

  // `lq_len`: the packets that remain.
  Verdict dequeue_low(double waited, int lq_len) {
    const double native = lq_len > th_len ? laqm(waited) : 0.0;
    if (p_cl() >= 1.0 && recur(lq_drop_count, p_c())) return Verdict::kDrop;
    return recur(lq_count, std::max(native, p_cl())) ? Verdict::kMark : Verdict::kForward;
  }

  Verdict dequeue_classic(bool ect) {
    if (!recur(cq_count, p_c())) return Verdict::kForward;
    return ect && p_c() < 1.0 / (k * k) ? Verdict::kMark : Verdict::kDrop;
  }
};

}  // namespace penstock::twins
