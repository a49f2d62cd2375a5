// SPDX-License-Identifier: GPL-2.0-only
// Distributions of sizes, numbers and pauses. The same draws give the same bits on any
// machine. All but the gamma distribution invert their distribution function.
#pragma once

#include <cstdint>
#include <limits>

#include "sim/engine/draws.h"

namespace penstock::traffic {

class Distribution {
 public:
  static Distribution constant(double value);
  static Distribution uniform(double low, double high);
  static Distribution exponential(double mean);
  static Distribution lognormal(double mean, double deviation);  // of the values, not their logs
  static Distribution gamma(double mean, double deviation);
  // The least value is `scale`; values above `limit` become it.
  static Distribution pareto(double shape, double scale,
                             double limit = std::numeric_limits<double>::infinity());
  static Distribution weibull(double shape, double scale);

  double draw(engine::Draws& draws) const;
  // The draw, rounded to a whole number from `least` to 2^60.
  std::uint64_t whole(engine::Draws& draws, std::uint64_t least) const {
    return whole_of(1.0, draws, least);
  }
  // `times` one draw, likewise.
  std::uint64_t whole_of(double times, engine::Draws& draws, std::uint64_t least) const;

 private:
  enum class Law : std::uint8_t {
    kConstant,
    kUniform,
    kExponential,
    kLognormal,
    kGamma,
    kPareto,
    kWeibull,
  };
  Distribution(Law law, double a, double b, double limit)
      : law_(law), a_(a), b_(b), limit_(limit) {}
  double gamma_draw(engine::Draws& draws) const;

  Law law_;
  double a_;
  double b_;
  double limit_;
};

#define PST_TYPE_DRAWN ::penstock::traffic::Distribution

}  // namespace penstock::traffic
