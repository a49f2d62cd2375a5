// SPDX-License-Identifier: GPL-2.0-only
#include "sim/traffic/distribution.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/base.h"
#include "sim/traffic/portable_math.h"

namespace penstock::traffic {

namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kMostWhole = 0x1.0p60;
constexpr double kLeastShape = 0.01;  // below it, powers of draws leave the range of a double

void require(bool ok, const char* message) {
  if (!ok) throw std::invalid_argument(message);
}

void require_positive(double value, const char* name) {
  require(std::isfinite(value) && value > 0.0,
          (std::string(name) + " must be above 0 and finite").c_str());
}

void require_shape(double shape) {
  require(shape >= kLeastShape && std::isfinite(shape), "shape must be at least 0.01 and finite");
}

// Cut to where `exponential` holds: e^-700 and e^700 are beyond any size or time.
double bounded_exponential(double x) { return exponential(std::clamp(x, -690.0, 690.0)); }

}  // namespace

Distribution Distribution::constant(double value) {
  require(std::isfinite(value) && value >= 0.0, "a constant must be 0 or more");
  return {Law::kConstant, value, 0.0, kEndless};
}

Distribution Distribution::uniform(double low, double high) {
  require(low >= 0.0 && high >= low && std::isfinite(high),
          "a uniform distribution needs 0 <= low <= high");
  return {Law::kUniform, low, high - low, kEndless};
}

Distribution Distribution::exponential(double mean) {
  require_positive(mean, "mean");
  return {Law::kExponential, mean, 0.0, kEndless};
}

// Of ln X: variance ln(1 + (s / m)^2), mean ln m less half of that.
Distribution Distribution::lognormal(double mean, double deviation) {
  require_positive(mean, "mean");
  require_positive(deviation, "deviation");
  const double ratio = deviation / mean;
  const double variance = natural_log(1.0 + ratio * ratio);
  return {Law::kLognormal, natural_log(mean) - variance / 2.0, std::sqrt(variance), kEndless};
}

Distribution Distribution::gamma(double mean, double deviation) {
  require_positive(mean, "mean");
  require_positive(deviation, "deviation");
  const double ratio = mean / deviation;
  require_shape(ratio * ratio);
  return {Law::kGamma, ratio * ratio, deviation * deviation / mean, kEndless};
}

Distribution Distribution::pareto(double shape, double scale, double limit) {
  require_shape(shape);
  require_positive(scale, "scale");
  require(limit >= scale, "the limit of a Pareto distribution must not lie below its scale");
  return {Law::kPareto, shape, scale, limit};
}

Distribution Distribution::weibull(double shape, double scale) {
  require_shape(shape);
  require_positive(scale, "scale");
  return {Law::kWeibull, shape, scale, kEndless};
}

double Distribution::draw(engine::Draws& draws) const {
  switch (law_) {
    case Law::kConstant:
      return a_;
    case Law::kUniform:
      return a_ + b_ * draws.unit();
    case Law::kExponential:
      return -a_ * natural_log(draws.unit());
    case Law::kLognormal:
      return bounded_exponential(a_ + b_ * normal_quantile(draws.unit()));
    case Law::kGamma:
      return gamma_draw(draws);
    case Law::kPareto:
      return std::min(b_ * bounded_exponential(-natural_log(draws.unit()) / a_), limit_);
    case Law::kWeibull:
      return b_ * bounded_exponential(natural_log(-natural_log(draws.unit())) / a_);
  }
  return a_;
}

// Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 26
// (2000); section 6 for a shape below 1: Gamma(k) = Gamma(k + 1) U^(1/k).
double Distribution::gamma_draw(engine::Draws& draws) const {
  PST_REQUIRE(a_ >= kLeastShape && b_ > 0.0);
  const double shape = a_ < 1.0 ? a_ + 1.0 : a_;
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  const double boost = a_ < 1.0 ? bounded_exponential(natural_log(draws.unit()) / a_) : 1.0;
  for (;;) {
    const double x = normal_quantile(draws.unit());
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (natural_log(draws.unit()) < 0.5 * x * x + d - d * v + d * natural_log(v))
      return b_ * d * v * boost;
  }
}

std::uint64_t Distribution::whole_of(double times, engine::Draws& draws,
                                     std::uint64_t least) const {
  PST_REQUIRE(times > 0.0);
  const double value = std::min(times * draw(draws) + 0.5, kMostWhole);
  PST_ENSURE(value >= 0.5);  // no draw is negative, and none is no number
  return std::max(static_cast<std::uint64_t>(value), least);
}

}  // namespace penstock::traffic
