// SPDX-License-Identifier: GPL-2.0-only
// The arithmetic helpers against 128-bit and floating-point results.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "core/flow/flow_count.h"
#include "core/law/penstock.h"
#include "core/math/average.h"
#include "core/math/log2.h"
#include "core/sender/cubic_math.h"

namespace {

__extension__ using Wide = unsigned __int128;

// Any magnitude up to 2^40 is as likely as any other.
std::uint64_t any_size(std::mt19937_64& bits) { return bits() >> (24 + bits() % 40); }

TEST(MulDiv, IsExactWhereTheQuotientIsBelow2To63) {
  std::mt19937_64 bits(1);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t a = any_size(bits), b = any_size(bits), c = any_size(bits);
    const Wide exact = c ? Wide{a} * b / c : 0;
    if (exact >> 63)
      EXPECT_GE(pst_mul_div(a, b, c), 1ULL << 63);
    else
      ASSERT_EQ(pst_mul_div(a, b, c), static_cast<std::uint64_t>(exact))
          << a << ' ' << b << ' ' << c;
  }
}

TEST(MulDiv, TakesItsBoundsAndZero) {
  constexpr std::uint64_t kMax = PST_MAX_BYTES;
  EXPECT_EQ(pst_mul_div(kMax, kMax, kMax), kMax);
  EXPECT_EQ(pst_mul_div(kMax, kMax, 1), ~0ULL);
  EXPECT_EQ(pst_mul_div(kMax, kMax, 0), 0U);
}

TEST(DivNsPerS, IsExact) {
  std::mt19937_64 bits(3);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t v = bits() >> (bits() % 64);
    ASSERT_EQ(pst_div_ns_per_s(v), v / PST_NS_PER_S) << v;
    const std::uint64_t edge = v / PST_NS_PER_S * PST_NS_PER_S;
    ASSERT_EQ(pst_div_ns_per_s(edge), edge / PST_NS_PER_S) << edge;
    if (!edge) continue;
    ASSERT_EQ(pst_div_ns_per_s(edge - 1), (edge - 1) / PST_NS_PER_S) << edge - 1;
  }
  EXPECT_EQ(pst_div_ns_per_s(~0ULL), ~0ULL / PST_NS_PER_S);
}

TEST(BytesIn, IsExact) {
  std::mt19937_64 bits(4);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t rate = any_size(bits), ns = any_size(bits);
    ASSERT_EQ(pst_bytes_in(rate, ns), static_cast<std::uint64_t>(Wide{rate} * ns / PST_NS_PER_S))
        << rate << ' ' << ns;
  }
}

TEST(PipeSegments, AreThoseOfTwoDivisions) {
  std::mt19937_64 bits(5);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t bytes = any_size(bits), segment = 1 + (bits() >> (34 + bits() % 30));
    pst_queue q{};
    q.flows_q16 = PST_Q16_ONE + any_size(bits) / 2;
    const Wide exact = (Wide{bytes} << 32) / q.flows_q16 / segment;
    ASSERT_EQ(pst_pipe_segments_q16(&q, bytes, segment),
              pst_clamp(static_cast<std::uint64_t>(exact), 1, PST_PIPE_MAX_SEGMENTS << 16))
        << bytes << ' ' << q.flows_q16 << ' ' << segment;
  }
}

TEST(WireBytes, OfAFlowAreThoseOfADivision) {
  std::mt19937_64 bits(6);
  pst_penstock_params p{};
  pst_penstock_flow f{};
  for (int i = 0; i < 400'000; ++i) {
    if (i % 4 == 0) pst_penstock_take_mss(&f, static_cast<u32>(bits() >> (47 + bits() % 17)));
    p.header_bytes = bits() % 257;
    // Whole segments, and a byte less, are where the quotient changes.
    const u32 bytes =
        static_cast<u32>(bits() % 3 ? bits() >> (32 + bits() % 32)
                                    : (1 + bits() % 70'000) * f.mss_bytes - bits() % 2);
    ASSERT_EQ(pst_penstock_flow_wire_bytes(&p, &f, bytes),
              pst_penstock_wire_bytes(&p, bytes, f.mss_bytes))
        << bytes << ' ' << f.mss_bytes << ' ' << p.header_bytes;
  }
}

TEST(MulQ32, IsTheFloorOfTheProduct) {
  std::mt19937_64 bits(2);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t v = bits() >> (bits() % 64);
    const std::uint64_t r = i % 100 ? bits() >> 32 : PST_Q32_ONE;
    ASSERT_EQ(pst_mul_q32(v, r), static_cast<std::uint64_t>(Wide{v} * r >> 32));
  }
}

TEST(PowerQ32, FollowsThePower) {
  for (const double ratio : {0.0, 0.5, 0.998, 0.9999, 1 - 1e-6, 1.0})
    for (const std::uint64_t n : {0ULL, 1ULL, 2ULL, 499ULL, 100'000ULL, 0xffffffffULL}) {
      const auto ratio_q32 = static_cast<std::uint64_t>(ratio * 4294967296.0);
      const double exact = std::pow(static_cast<double>(ratio_q32) / 4294967296.0, n);
      EXPECT_NEAR(static_cast<double>(pst_power_q32(ratio_q32, n)) / 4294967296.0, exact, 2e-4)
          << ratio << '^' << n;
    }
}

TEST(Log2, IsRightToTwoUnits) {
  for (std::uint64_t v = 1; v < 0xffffffffULL; v += v / 1000 + 1) {
    const double exact = std::log2(static_cast<double>(v)) * 65536;
    ASSERT_LE(static_cast<double>(pst_log2_q16(v)), exact + 1e-6) << v;
    ASSERT_GT(static_cast<double>(pst_log2_q16(v)), exact - 2) << v;
  }
}

TEST(CubeRoot, IsTheFloor) {
  for (std::uint64_t r = 1; r <= 2'642'245; r += r / 500 + 1) {
    EXPECT_EQ(pst_cube_root(r * r * r), r);
    EXPECT_EQ(pst_cube_root(r * r * r - 1), r - 1);
  }
  for (std::uint64_t v = 0; v < 100'000; ++v) {
    const std::uint64_t r = pst_cube_root(v);
    ASSERT_TRUE(r * r * r <= v && v < (r + 1) * (r + 1) * (r + 1)) << v;
  }
  EXPECT_EQ(pst_cube_root(~0ULL), 2'642'245U);
}

TEST(CubicK, InvertsTheCubicFunction) {
  constexpr std::uint64_t kC = 26214ULL * 1448;  // C * SMSS, q16
  for (std::uint64_t distance = 1; distance < 1ULL << 37; distance += distance / 7 + 1) {
    const double exact = std::cbrt(static_cast<double>(distance) / (kC / 65536.0));
    const double k = static_cast<double>(pst_cubic_k_q20(distance, kC)) / 1048576;
    ASSERT_NEAR(k, exact,
                2e-6 + exact * 2e-4 / std::sqrt(static_cast<double>(distance)) + exact * 1e-6)
        << distance;
    const auto back = static_cast<double>(pst_cubic_bytes(pst_cubic_k_q20(distance, kC), kC));
    ASSERT_NEAR(back, static_cast<double>(distance), 4 + 1e-5 * static_cast<double>(distance));
  }
}

TEST(FlowCount, RisesAtOnceAndFallsAfterTwoIntervals) {
  pst_flow_count c{};
  c.interval_ns = 1000;
  pst_flow flows[3]{};
  EXPECT_EQ(pst_flow_count_get(&c, 0), 1U);
  for (pst_flow& f : flows) {
    pst_flow_count_data(&c, &f, 10);
    pst_flow_count_data(&c, &f, 20);
  }
  EXPECT_EQ(pst_flow_count_get(&c, 30), 3U);
  pst_flow_count_data(&c, &flows[0], 1500);
  EXPECT_EQ(pst_flow_count_get(&c, 1999), 3U);
  EXPECT_EQ(pst_flow_count_get(&c, 2000), 1U);
  EXPECT_EQ(pst_flow_count_get(&c, 1'000'000), 1U);
}

TEST(FlowCount, IsNotClearedByAClockThatStepsBack) {
  pst_flow_count c{};
  c.interval_ns = 1000;
  pst_flow flows[2]{};
  for (pst_flow& f : flows) pst_flow_count_data(&c, &f, 5000);
  EXPECT_EQ(pst_flow_count_get(&c, 4999), 2U);
}

}  // namespace
