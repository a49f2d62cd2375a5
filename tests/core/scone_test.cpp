// SPDX-License-Identifier: GPL-2.0-only
// Advice to QUIC, beside the draft's pseudocode and its formula in floating point.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>

#include "core/gateway/gateway.h"

namespace {

constexpr u64 kSecond = PST_NS_PER_S;

double rate_of(u32 signal) { return 1e5 * std::pow(10.0, signal / 20.0); }

TEST(Scone, RatesAreThoseOfTheDraft) {
  // Table "Examples of SCONE signals and corresponding rates", as exact numbers.
  constexpr std::pair<double, u32> kExamples[] = {{100e3, 0},   {1e6, 20},       {10e6, 40},
                                                  {100e6, 60},  {1e9, 80},       {10e9, 100},
                                                  {100e9, 120}, {199.527e9, 126}};
  for (const auto& [bps, signal] : kExamples) {
    EXPECT_EQ(pst_scone_signal_of(static_cast<u64>(bps)), signal) << bps;
    const u32 below = signal ? signal - 1 : 0;
    EXPECT_EQ(pst_scone_signal_of(static_cast<u64>(bps * 0.9999)), below) << bps;
  }
  EXPECT_EQ(pst_scone_signal_of(112'202), 1U);
  EXPECT_EQ(pst_scone_signal_of(125'893), 2U);
  EXPECT_EQ(pst_scone_signal_of(141'254), 3U);
  EXPECT_EQ(pst_scone_signal_of(1'122'020), 21U);
}

TEST(Scone, AdvisesNoMoreThanTheRateAndAtMostAStepLess) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> decade(5, 11.29);
  for (int i = 0; i < 100'000; ++i) {
    const auto bps = static_cast<u64>(std::pow(10.0, decade(random)));
    const u32 signal = pst_scone_signal_of(bps);
    EXPECT_LE(rate_of(signal), static_cast<double>(bps) * (1 + 1e-9));
    EXPECT_GT(rate_of(signal + 1), static_cast<double>(bps) * (1 - 1e-5));
  }
}

TEST(Scone, RatesBeyondTheScaleHaveItsEnds) {
  for (const u64 bps : {0ULL, 1ULL, 99'999ULL}) EXPECT_EQ(pst_scone_signal_of(bps), 0U);
  for (const u64 bps : {1'000'000'000'000ULL, 8 * PST_MAX_BYTES, ~0ULL})
    EXPECT_EQ(pst_scone_signal_of(bps), PST_SCONE_MOST);
}

// As the draft's section "Applying Throughput Advice Signals" prints it.
void apply(std::array<std::uint8_t, 5>& packet, std::uint8_t target_signal) {
  const bool is_long = (packet[0] & 0x80) == 0x80;
  const std::uint32_t version = static_cast<std::uint32_t>(packet[1]) << 24 |
                                static_cast<std::uint32_t>(packet[2]) << 16 |
                                static_cast<std::uint32_t>(packet[3]) << 8 | packet[4];
  if (!is_long || (version & 0x7fffffff) != 0x6f7dc0fd) return;
  const auto packet_signal = static_cast<std::uint8_t>((packet[0] & 0x3f) << 1 | version >> 31);
  if (target_signal >= packet_signal) return;
  packet[0] = static_cast<std::uint8_t>((packet[0] & 0xc0) | target_signal >> 1);
  packet[1] = static_cast<std::uint8_t>((packet[1] & 0x7f) | target_signal << 7);
}

TEST(Scone, BitsAreThoseOfTheDraftsPseudocode) {
  for (u32 first = 0; first < 256; ++first)
    for (u32 top = 0; top < 2; ++top)
      for (u32 target = 0; target < PST_SCONE_UNKNOWN; ++target) {
        const auto second = static_cast<std::uint8_t>(0x6f | top << 7);
        std::array<std::uint8_t, 5> expected = {static_cast<std::uint8_t>(first), second, 0x7d,
                                                0xc0, 0xfd};
        const auto word = static_cast<u16>(first << 8 | second);
        u16 after = word;
        if ((first & 0x80) && target < pst_scone_signal(word)) after = pst_scone_with(word, target);
        apply(expected, static_cast<std::uint8_t>(target));
        ASSERT_EQ(after, expected[0] << 8 | expected[1]) << first << " " << top << " " << target;
      }
}

// A UDP header, and a SCONE packet with IDs of these lengths.
std::array<std::uint8_t, PST_SCONE_HEAD_BYTES> head(u32 version, std::uint16_t udp_bytes,
                                                    std::uint8_t target_id_bytes = 8,
                                                    std::uint8_t first = 0xff) {
  return {0x11,
          0x51,
          0xc3,
          0x50,
          static_cast<std::uint8_t>(udp_bytes >> 8),
          static_cast<std::uint8_t>(udp_bytes),
          0,
          0,
          first,
          static_cast<std::uint8_t>(version >> 24),
          static_cast<std::uint8_t>(version >> 16),
          static_cast<std::uint8_t>(version >> 8),
          static_cast<std::uint8_t>(version),
          target_id_bytes};
}

TEST(Scone, OnlyBothVersionsInALongHeaderBeginAPacket) {
  for (const u32 version : {0x6f7dc0fdU, 0xef7dc0fdU}) {
    EXPECT_TRUE(pst_scone_begins(head(version, 100).data(), 100));
    EXPECT_FALSE(pst_scone_begins(head(version, 100, 8, 0x7f).data(), 100)) << "short header";
    EXPECT_FALSE(pst_scone_begins(head(version, 100).data(), 99)) << "longer than the IP packet";
    EXPECT_FALSE(pst_scone_begins(head(version, 13).data(), 100)) << "ends before the IDs";
    for (u32 bit = 0; bit < 31; ++bit)
      EXPECT_FALSE(pst_scone_begins(head(version ^ 1U << bit, 100).data(), 100)) << bit;
  }
  EXPECT_FALSE(pst_scone_begins(head(1, 100).data(), 100)) << "QUIC version 1";
}

TEST(Scone, AnotherPacketMustFollow) {
  for (const std::uint8_t target : std::array<std::uint8_t, 4>{0, 8, 20, 255})
    for (const std::uint8_t source : std::array<std::uint8_t, 3>{0, 8, 255}) {
      const auto whole = static_cast<std::uint16_t>(8 + 7 + target + source);
      EXPECT_FALSE(pst_scone_is_whole(head(0x6f7dc0fd, whole, target).data(), source));
      EXPECT_TRUE(pst_scone_is_whole(
          head(0x6f7dc0fd, static_cast<std::uint16_t>(whole + 1), target).data(), source));
      EXPECT_EQ(pst_scone_source_at(head(0x6f7dc0fd, whole, target).data()), 14U + target);
    }
}

TEST(Scone, TheAdviceIsTheMeanShareOfAPeriod) {
  pst_scone s{};
  std::mt19937_64 random(2);
  std::uniform_int_distribution<u64> share(1, 2'500'000);
  std::uniform_int_distribution<u64> gap(kSecond, 3 * kSecond);
  u64 now = 5 * kSecond;
  pst_scone_look(&s, 1, now);
  double sum = 0, seconds = 0;
  while (!s.share_bytes_per_s) {
    const u64 passed = gap(random);
    now += passed;
    const u64 bytes_per_s = share(random);
    ASSERT_TRUE(pst_scone_is_due(&s, now));
    ASSERT_EQ(pst_scone_advice_bps(&s, PST_MAX_BYTES), 0U) << "before a whole period";
    pst_scone_look(&s, bytes_per_s, now);
    sum += static_cast<double>(bytes_per_s) * static_cast<double>(passed) / 1e9;
    seconds += static_cast<double>(passed) / 1e9;
  }
  EXPECT_GE(seconds, 67);
  EXPECT_LT(seconds, 70);
  EXPECT_NEAR(static_cast<double>(s.share_bytes_per_s), sum / seconds, 1e-3 * sum / seconds);
}

TEST(Scone, TheAdviceHoldsForAPeriod) {
  pst_scone s{};
  u64 now = kSecond;
  for (; now <= 69 * kSecond; now += kSecond) pst_scone_look(&s, 1'000'000, now);
  ASSERT_NEAR(static_cast<double>(s.share_bytes_per_s), 1e6, 1);
  const u64 held = s.share_bytes_per_s;
  for (; now <= 133 * kSecond; now += kSecond) {
    pst_scone_look(&s, 10'000, now);
    ASSERT_EQ(s.share_bytes_per_s, held) << now;
  }
  for (; now <= 136 * kSecond; now += kSecond) pst_scone_look(&s, 10'000, now);
  EXPECT_LT(s.share_bytes_per_s, 40'000U);
  EXPECT_EQ(pst_scone_advice_bps(&s, 1000), 8000U) << "a link that was made slower";
}

TEST(Scone, APeriodWithoutALookIsUnknown) {
  pst_scone s{};
  u64 now = kSecond;
  for (; now <= 69 * kSecond; now += kSecond) pst_scone_look(&s, 1'000'000, now);
  ASSERT_TRUE(s.share_bytes_per_s);
  pst_scone_look(&s, 1'000'000, now + 68 * kSecond);
  EXPECT_EQ(pst_scone_advice_bps(&s, PST_MAX_BYTES), 0U);
}

int changes_in(u64 from_ns, u64 to_ns, u64 step_ns, pst_scone_path& p) {
  int taken = 0;
  for (u64 now = from_ns; now < to_ns; now += step_ns) taken += pst_scone_path_takes(&p, now);
  return taken;
}

TEST(Scone, APathIsChangedAFewTimesAPeriod) {
  pst_scone_path p{};
  u64 now = kSecond;
  EXPECT_EQ(changes_in(now, now + kSecond, 1'000'000, p), 3) << "the first packets";
  EXPECT_EQ(changes_in(now + kSecond, now + PST_SCONE_PERIOD_NS, 1'000'000, p), 3);
  for (int period = 1; period < 4; ++period) {
    now = kSecond + period * PST_SCONE_PERIOD_NS;
    EXPECT_EQ(changes_in(now, now + PST_SCONE_PERIOD_NS, 1'000'000, p), 4) << period;
  }
}

TEST(Scone, EndpointsThatSendTwiceAPeriodMissNothing) {
  pst_scone_path p{};
  EXPECT_EQ(changes_in(kSecond, 601 * kSecond, 20 * kSecond, p), 30);
}

TEST(Scone, NIsWhatFairCountsOrTheLaw) {
  pst_port port{};
  pst_gateway_config& c = port.config;
  pst_gateway_state& s = port.state;
  c.discipline = PST_DISCIPLINE_FAIR;
  c.discipline_params.fair.average_ns = kSecond / 10;
  s.discipline.fair.end_ns = 10 * kSecond;
  s.discipline.fair.last_q16 = 4 << 16;
  EXPECT_TRUE(pst_scone_has_share(&c));
  EXPECT_EQ(pst_scone_share(2'500'000, pst_port_flows_q16(&port, 10 * kSecond)), 625'000U);
  EXPECT_EQ(pst_port_flows_q16(&port, 11 * kSecond), PST_Q16_ONE) << "nothing was sent since";
  c.discipline = PST_DISCIPLINE_DROPTAIL;
  EXPECT_FALSE(pst_scone_has_share(&c));
  c.law = PST_LAW_SHARE;
  EXPECT_TRUE(pst_scone_has_share(&c));
  s.count.interval_ns = kSecond;
  s.count.epoch = 21;
  s.count.end_ns = 21 * kSecond;
  s.count.last_q16 = 5 << 16;
  EXPECT_EQ(pst_scone_share(2'500'000, pst_port_flows_q16(&port, 20 * kSecond)), 500'000U);
}

}  // namespace
