// SPDX-License-Identifier: GPL-2.0-only
// TFRC's loss rate and equation, written from RFC 5348 sections 3.1 and 5.4, and the weights of
// XCP beside TCP, from Katabi et al. 2002 section 6, in floating point.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>

namespace penstock::twins {

struct LossIntervals {
  double open = 0;            // I_0
  std::deque<double> closed;  // I_1, I_2, ...

  void lose() {
    closed.push_front(std::max(open, 1.0));
    if (closed.size() > 8) closed.pop_back();
    open = 0;
  }

  double rate() const {
    static constexpr double kWeights[] = {1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2};
    if (closed.empty()) return 1 / std::max(open, 1.0);
    double with_open = 0, without = 0, weights = 0;
    for (std::size_t i = 0; i < closed.size(); ++i) {
      with_open += kWeights[i] * (i == 0 ? open : closed[i - 1]);
      without += kWeights[i] * closed[i];
      weights += kWeights[i];
    }
    return weights / std::max(with_open, without);
  }
};

// Bytes that TCP sends in a round trip of R = 1 s, t_RTO = 4 R, b = 1.
inline double tcp_window(double s, double p) {
  const double b = 1, r = 1, t_rto = 4;
  return s / (r * std::sqrt(2 * b * p / 3) +
              t_rto * (3 * std::sqrt(3 * b * p / 8) * p * (1 + 32 * p * p)));
}

// The weight of the T-queue, between the least weights.
inline double weight(double before, double kappa, double cwnd_x, double cwnd_t, double least) {
  const double moved = before + kappa * (cwnd_x - cwnd_t) / (cwnd_x + cwnd_t);
  return std::clamp(moved, least, 1 - least);
}

}  // namespace penstock::twins
