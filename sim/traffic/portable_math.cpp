// SPDX-License-Identifier: GPL-2.0-only
#include "sim/traffic/portable_math.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/base.h"

namespace penstock::traffic {

namespace {

// ln 2 in two parts; the first has 32 trailing zeros, so that its products are exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kSqrt2 = 0x1.6a09e667f3bcdp+0;
constexpr int kExponentBias = 1023;
constexpr int kFractionBits = 52;
constexpr std::uint64_t kFraction = (1ULL << kFractionBits) - 1;
constexpr std::uint64_t kOneBits = static_cast<std::uint64_t>(kExponentBias) << kFractionBits;

template <std::size_t N>
double polynomial(const double (&coefficients)[N], double x) {  // the highest power first
  double sum = 0.0;
  for (const double c : coefficients) sum = sum * x + c;
  return sum;
}

// Wichura, "Algorithm AS 241: The percentage points of the normal distribution",
// Applied Statistics 37 (1988), routine PPND16.
constexpr double kCentralOver[] = {2.5090809287301226727e3, 3.3430575583588128105e4,
                                   6.7265770927008700853e4, 4.5921953931549871457e4,
                                   1.3731693765509461125e4, 1.9715909503065514427e3,
                                   1.3314166789178437745e2, 3.3871328727963666080e0};
constexpr double kCentralUnder[] = {5.2264952788528545610e3, 2.8729085735721942674e4,
                                    3.9307895800092710610e4, 2.1213794301586595867e4,
                                    5.3941960214247511077e3, 6.8718700749205790830e2,
                                    4.2313330701600911252e1, 1.0};
constexpr double kMiddleOver[] = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                                  2.41780725177450611770e-1, 1.27045825245236838258e0,
                                  3.64784832476320460504e0,  5.76949722146069140550e0,
                                  4.63033784615654529590e0,  1.42343711074968357734e0};
constexpr double kMiddleUnder[] = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                                   1.51986665636164571966e-2, 1.48103976427480074590e-1,
                                   6.89767334985100004550e-1, 1.67638483018380384940e0,
                                   2.05319162663775882187e0,  1.0};
constexpr double kFarOver[] = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                               1.24266094738807843860e-3, 2.65321895265761230930e-2,
                               2.96560571828504891230e-1, 1.78482653991729133580e0,
                               5.46378491116411436990e0,  6.65790464350110377720e0};
constexpr double kFarUnder[] = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                                1.84631831751005468180e-5,  7.86869131145613259100e-4,
                                1.48753612908506148525e-2,  1.36929880922735805310e-1,
                                5.99832206555887937690e-1,  1.0};

}  // namespace

// x = 2^e m with m in [1/sqrt 2, sqrt 2); ln m = 2 atanh((m - 1) / (m + 1)).
double natural_log(double x) {
  PST_REQUIRE(std::isnormal(x) && x > 0.0);
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int e = static_cast<int>(bits >> kFractionBits) - kExponentBias;
  double m = std::bit_cast<double>((bits & kFraction) | kOneBits);
  if (m >= kSqrt2) {
    m *= 0.5;
    ++e;
  }
  const double f = (m - 1.0) / (m + 1.0);
  const double square = f * f;
  double series = 0.0;
  for (int k = 25; k >= 3; k -= 2) series = (series + 1.0 / k) * square;
  return e * kLn2High + (2.0 * f + (2.0 * f * series + e * kLn2Low));
}

// x = k ln 2 + r with |r| <= ln 2 / 2; the Taylor series of exp(r).
double exponential(double x) {
  PST_REQUIRE(x >= -700.0 && x <= 700.0);  // or the power leaves the range of a double
  const double k = std::floor(x * 0x1.71547652b82fep+0 + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double series = 1.0;
  for (int n = 16; n >= 1; --n) series = 1.0 + series * r / n;
  const int half = static_cast<int>(k) / 2;  // 2^k may be out of range where the product is not
  const auto power = [](int e) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(e + kExponentBias) << kFractionBits);
  };
  return series * power(half) * power(static_cast<int>(k) - half);
}

double normal_quantile(double share) {
  PST_REQUIRE(share > 0.0 && share < 1.0);
  const double q = share - 0.5;
  if (q >= -0.425 && q <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kCentralOver, r) / polynomial(kCentralUnder, r);
  }
  const double tail = std::sqrt(-natural_log(q < 0.0 ? share : 1.0 - share));
  const double size =
      tail <= 5.0 ? polynomial(kMiddleOver, tail - 1.6) / polynomial(kMiddleUnder, tail - 1.6)
                  : polynomial(kFarOver, tail - 5.0) / polynomial(kFarUnder, tail - 5.0);
  return q < 0.0 ? -size : size;
}

}  // namespace penstock::traffic
