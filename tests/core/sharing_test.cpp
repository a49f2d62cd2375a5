// SPDX-License-Identifier: GPL-2.0-only
// Sharing among connections: random events against a twin in floating point that keeps all
// windows itself, written from nis-2004 Figure 5.1 and RFC 9040; and what every way of
// sharing has to conserve.
#include "sharing_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace {

class Sharing : public testing::TestWithParam<u32> {};
class SharingOfOwnLaws : public testing::TestWithParam<u32> {};

TEST_P(Sharing, ConservesTheWindowsOfTheEnsemble) {
  Host host(GetParam());
  std::mt19937_64 random(7);
  for (int event = 0; event < 200'000; ++event) {
    const u64 what = random() % 100;
    host.now_ns += 1'000'000;
    if (host.all.empty() || (what < 2 && host.all.size() < 40)) {
      host.join(random() % 2 ? random() % 500'000'000 : 0);
    } else {
      const std::size_t i = random() % host.all.size();
      if (random() % 8 == 0) host.ask(random() % host.all.size(), true);
      if (what >= 4) host.ask(i, false);
      pst_tcb& t = host.pull(i);
      ASSERT_GE(t.cwnd.bytes, kMss);
      if (what < 4) {
        host.leave(i);
      } else if (what < 90) {
        t.acked_bytes = t.cwnd.bytes < 1'000'000 ? random() % (2 * kMss) : 0;
        t.cwnd.bytes += t.acked_bytes;
        t.srtt_ns = t.srtt_ns / 2 + random() % 300'000'000 + 1;
        host.push(i);
      } else {
        t.cwnd.ssthresh_bytes = std::max<u64>(t.cwnd.bytes / 2, 2 * kMss);
        t.cwnd.bytes = what < 97 ? t.cwnd.ssthresh_bytes : kMss;
        t.congested = true;
        host.push(i);
        t.congested = false;
      }
    }
    ASSERT_EQ(host.sum(), host.ensemble.cwnd_bytes) << event;
    ASSERT_EQ(host.ensemble.members, host.all.size());
  }
}

TEST_P(SharingOfOwnLaws, AloneItIsAsAnyConnection) {
  Host host(GetParam());
  host.join(50'000'000);
  pst_tcb plain = host.all[0].tcb;
  for (int event = 0; event < 1'000; ++event) {
    pst_tcb& t = host.pull(0);
    for (pst_tcb* each : {&t, &plain}) {
      if (event % 100 == 99)
        each->cwnd.bytes = each->cwnd.ssthresh_bytes =
            std::max<u64>(each->cwnd.bytes / 2, 2 * kMss);
      else
        each->cwnd.bytes += kMss / 2 + 1;
    }
    host.push(0);
    ASSERT_EQ(host.pull(0).cwnd.bytes, plain.cwnd.bytes);
    ASSERT_EQ(host.pull(0).cwnd.ssthresh_bytes, plain.cwnd.ssthresh_bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Sharing, testing::Range(0U, u32{PST_SHARING_COUNT}));
INSTANTIATE_TEST_SUITE_P(All, SharingOfOwnLaws,
                         testing::Values(PST_SHARING_TCBI_TEMPORAL, PST_SHARING_TCBI_ENSEMBLE,
                                         PST_SHARING_FS_TCBI, PST_SHARING_EFCM,
                                         PST_SHARING_LINUX_EFCM_1, PST_SHARING_LINUX_EFCM_3,
                                         PST_SHARING_ENSEMBLE_TCP, PST_SHARING_SPAND));

// Figure 5.1, with all windows at the mean at any time.
struct EfcmTwin {
  double cwnd = 0, ssthresh = 0, srtt = 0;
  int n = 0;

  void join() {
    cwnd += kInitial;
    ssthresh += kInitialSsthresh;
    ++n;
  }
  void ack(double gain, double srtt_j) {
    cwnd += gain;
    srtt = srtt == 0 ? srtt_j : (n - 1.0) / n * srtt + srtt_j / n;
  }
  void loss(double from, double to) {
    cwnd -= from - to;
    ssthresh += to - ssthresh / n;
  }
};

TEST(Efcm, FollowsFigure51) {
  std::mt19937_64 random(3);
  Host host(PST_SHARING_EFCM);
  EfcmTwin twin;
  for (int event = 0; event < 20'000; ++event) {
    if (event % 2'000 == 0) {
      host.join();
      twin.join();
    }
    const std::size_t i = random() % host.all.size();
    pst_tcb& t = host.pull(i);
    if (random() % 200) {
      const u64 gain = random() % 3 ? 0 : kMss;
      const double srtt = 1e8 + static_cast<double>(random() % 1'000'000);
      t.cwnd.bytes += gain;
      t.srtt_ns = static_cast<u64>(srtt);
      twin.ack(static_cast<double>(gain), srtt);
    } else {
      const auto from = static_cast<double>(t.cwnd.bytes);
      t.cwnd.bytes = t.cwnd.ssthresh_bytes = std::max<u64>(t.cwnd.bytes / 2, 2 * kMss);
      twin.loss(from, static_cast<double>(t.cwnd.bytes));
    }
    host.push(i);
    ASSERT_NEAR(static_cast<double>(host.ensemble.cwnd_bytes), twin.cwnd, 1) << event;
    ASSERT_NEAR(static_cast<double>(host.ensemble.srtt_ns), twin.srtt, 1'000);
    if (host.all.size() > 1) {
      ASSERT_NEAR(static_cast<double>(host.ensemble.ssthresh_bytes), twin.ssthresh, twin.n * 200.0);
    }
    // Each within a segment of the mean, once it has looked.
    for (std::size_t k = 0; k < host.all.size(); ++k) host.pull(k);
    for (std::size_t k = 0; k < host.all.size(); ++k)
      ASSERT_NEAR(static_cast<double>(host.window(k)), twin.cwnd / twin.n, 2.0 * kMss);
  }
}

TEST(Efcm, WholeSegmentsGoToOneMemberAfterTheOther) {
  Host host(PST_SHARING_EFCM);
  for (int i = 0; i < 4; ++i) host.join();
  std::vector<u64> before(4), gained(4);
  for (std::size_t i = 0; i < 4; ++i) before[i] = host.pull(i).cwnd.bytes;
  for (int round = 0; round < 4; ++round) {
    host.pull(0).cwnd.bytes += kMss;  // all ACKs are the first member's
    host.push(0);
    for (std::size_t i = 1; i < 4; ++i) host.pull(i);
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(host.window(i) - before[i], kMss);
}

TEST(Efcm, OneThatLeavesLeavesItsWindowToTheOthers) {
  Host host(PST_SHARING_EFCM);
  for (int i = 0; i < 4; ++i) host.join();
  host.leave(2);
  for (std::size_t i = 0; i < 3; ++i) host.pull(i);
  EXPECT_EQ(host.sum(), 4 * kInitial);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(static_cast<double>(host.window(i)), 13'333, 1);
}

TEST(FsTcbi, SharesOnceWhenOneJoinsAndNotAtALoss) {
  Host host(PST_SHARING_FS_TCBI);
  host.join();
  host.pull(0).cwnd.bytes = 50 * kMss;
  host.push(0);
  host.join();
  EXPECT_EQ(host.all[1].tcb.cwnd.bytes, 30 * kMss);
  EXPECT_EQ(host.all[1].tcb.cwnd.ssthresh_bytes, kInitialSsthresh);
  EXPECT_EQ(host.pull(0).cwnd.bytes, 30 * kMss);
  host.pull(1).cwnd.bytes = 15 * kMss;
  host.push(1);
  EXPECT_EQ(host.pull(0).cwnd.bytes, 30 * kMss);
  host.leave(1);
  EXPECT_EQ(host.pull(0).cwnd.bytes, 30 * kMss);
}

TEST(TcbiEnsemble, OnlyTheNewOneGetsTheMean) {
  Host host(PST_SHARING_TCBI_ENSEMBLE);
  host.join(80'000'000);
  host.pull(0).cwnd = {50 * kMss, 40 * kMss};
  host.push(0);
  host.join(20'000'000);
  EXPECT_EQ(host.all[1].tcb.cwnd.bytes, 50 * kMss);
  EXPECT_EQ(host.all[1].tcb.cwnd.ssthresh_bytes, 40 * kMss);
  EXPECT_EQ(host.all[1].tcb.srtt_ns, 80'000'000U);
  EXPECT_EQ(host.pull(0).cwnd.bytes, 50 * kMss);
}

TEST(TcbiTemporal, KeepsWhatTheLastOneHad) {
  Host host(PST_SHARING_TCBI_TEMPORAL);
  host.join(80'000'000);
  host.pull(0).cwnd = {50 * kMss, 40 * kMss};
  host.push(0);
  host.leave(0);
  host.join(20'000'000);
  EXPECT_EQ(host.all[0].tcb.cwnd.bytes, 50 * kMss);
  EXPECT_EQ(host.all[0].tcb.cwnd.ssthresh_bytes, 40 * kMss);
  EXPECT_EQ(host.all[0].tcb.srtt_ns, 80'000'000U);
  host.pull(0).cwnd.bytes = 30 * kMss;
  host.push(0);
  host.leave(0);
  host.join();
  EXPECT_EQ(host.all[0].tcb.cwnd.bytes, 40 * kMss);
}

TEST(LinuxEfcm1, WindowsAreWholeSegmentsAndDifferByOne) {
  std::mt19937_64 random(5);
  Host host(PST_SHARING_LINUX_EFCM_1);
  for (int i = 0; i < 6; ++i) host.join(50'000'000);
  for (int event = 0; event < 50'000; ++event) {
    const std::size_t i = random() % host.all.size();
    pst_tcb& t = host.pull(i);
    if (random() % 300)
      t.cwnd.bytes += kMss * u64{kMss} / t.cwnd.bytes;
    else
      t.cwnd.bytes = t.cwnd.ssthresh_bytes = std::max<u64>(t.cwnd.bytes / 2, 2 * kMss);
    host.push(i);
    u64 least = ~0ULL, most = 0;
    for (std::size_t k = 0; k < host.all.size(); ++k) host.pull(k);
    for (std::size_t k = 0; k < host.all.size(); ++k) {
      ASSERT_EQ(host.window(k) % kMss, 0U) << event;
      least = std::min(least, host.window(k));
      most = std::max(most, host.window(k));
    }
    ASSERT_LE(most - least, kMss) << event;
    ASSERT_LT(host.ensemble.credit_bytes, kMss) << event;
  }
}

TEST(LinuxEfcm3, OneInATimeoutIsOutsideUntilItHasRecovered) {
  Host host(PST_SHARING_LINUX_EFCM_3);
  for (int i = 0; i < 3; ++i) host.join(50'000'000);
  pst_tcb& t = host.pull(1);
  t.timed_out = true;
  t.cwnd = {kMss, 5 * kMss};
  host.push(1);
  EXPECT_EQ(host.ensemble.members, 2U);
  EXPECT_EQ(host.ensemble.cwnd_bytes, 2 * kInitial);
  EXPECT_EQ(host.pull(0).cwnd.bytes, kInitial);
  host.pull(1).cwnd.bytes = 4 * kMss;  // under its own law
  host.push(1);
  EXPECT_EQ(host.pull(1).cwnd.bytes, 4 * kMss);
  host.all[1].tcb.timed_out = false;
  host.push(1);
  EXPECT_EQ(host.ensemble.members, 3U);
  EXPECT_EQ(host.ensemble.cwnd_bytes, 24 * kMss);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(host.pull(i).cwnd.bytes, 8 * kMss);
}

// One NewReno connection, which an ensemble must not outgrow.
struct Single {
  double cwnd = kInitial, ssthresh = kInitialSsthresh;

  void ack(double acked) { cwnd += cwnd < ssthresh ? acked : kMss * acked / cwnd; }
  void loss() { cwnd = ssthresh = std::max(cwnd / 2, 2.0 * kMss); }
};

// ACKs for the members in turn, and once in a while two of them lose in one round trip.
void expect_as_one(u32 sharing) {
  Host host(sharing);
  Single single;
  for (int i = 0; i < 4; ++i) host.join(40'000'000);
  std::mt19937_64 random(9);
  for (int event = 0; event < 40'000; ++event) {
    const std::size_t i = random() % 4;
    pst_tcb& t = host.pull(i);
    t.srtt_ns = 40'000'000;
    if (event % 5'000 == 4'999) {
      for (const std::size_t k : {i, (i + 1) % 4}) {
        pst_tcb& lossy = host.pull(k);
        lossy.cwnd.bytes = lossy.cwnd.ssthresh_bytes = lossy.cwnd.bytes / 2;
        lossy.congested = true;
        host.push(k);
        lossy.congested = false;
      }
      single.loss();
    } else {
      t.acked_bytes = kMss;
      t.cwnd.bytes += t.cwnd.bytes < t.cwnd.ssthresh_bytes ? kMss : kMss * u64{kMss} / t.cwnd.bytes;
      host.push(i);
      single.ack(kMss);
    }
    host.now_ns += 1'000'000;
    const auto cwnd = static_cast<double>(host.ensemble.cwnd_bytes);
    ASSERT_NEAR(cwnd, single.cwnd, 0.05 * single.cwnd) << event;
  }
}

TEST(EnsembleTcp, IsAsAggressiveAsOneConnection) { expect_as_one(PST_SHARING_ENSEMBLE_TCP); }

TEST(CongestionManager, IsAsAggressiveAsOneConnection) {
  expect_as_one(PST_SHARING_CONGESTION_MANAGER);
}

TEST(CongestionManager, DoesNotLookAtTheLawOfItsMembers) {
  Host host(PST_SHARING_CONGESTION_MANAGER);
  host.join(40'000'000);
  pst_tcb& t = host.pull(0);
  t.cwnd.bytes += 50 * kMss;
  t.acked_bytes = kMss;
  host.push(0);
  EXPECT_EQ(host.all[0].tcb.cwnd.bytes, kInitial + kMss);
}

TEST(CongestionManager, WhatAnIdleMemberHadIsTheOthers) {
  Host host(PST_SHARING_CONGESTION_MANAGER);
  for (int i = 0; i < 4; ++i) host.join(40'000'000);
  for (std::size_t i = 1; i < 4; ++i) host.ask(i, true);
  EXPECT_EQ(host.pull(0).cwnd.bytes, kInitial);
  host.ask(2, false);
  EXPECT_EQ(host.all[2].tcb.cwnd.bytes, kInitial / 2);
  EXPECT_EQ(host.pull(0).cwnd.bytes, kInitial / 2);
  host.ask(0, true);
  host.ask(2, true);
  host.ask(1, false);
  EXPECT_EQ(host.all[1].tcb.cwnd.bytes, kInitial);
  host.leave(1);
  host.ask(0, false);
  EXPECT_EQ(host.all[0].tcb.cwnd.bytes, kInitial);
}

TEST(AsOne, AnEnsembleIsRememberedForAWhile) {
  for (const u32 sharing : {PST_SHARING_ENSEMBLE_TCP, PST_SHARING_CONGESTION_MANAGER}) {
    for (const u64 pause_s : {59, 61}) {
      Host host(sharing);
      host.join(40'000'000);
      pst_tcb& t = host.pull(0);
      t.acked_bytes = 30 * kMss;
      t.cwnd.bytes += t.acked_bytes;
      host.push(0);
      host.leave(0);
      host.now_ns += pause_s * 1'000'000'000;
      host.join();
      EXPECT_EQ(host.all[0].tcb.cwnd.bytes, pause_s < 60 ? 40 * kMss : kInitial);
    }
  }
}

TEST(Spand, TheServerKeepsAMeanOfTheReports) {
  Host host(PST_SHARING_SPAND);
  double mean = 0;
  std::mt19937_64 random(2);
  for (int report = 0; report < 1'000; ++report) {
    host.join();
    if (report) {
      ASSERT_NEAR(static_cast<double>(host.all[0].tcb.cwnd.bytes), std::max<double>(mean, kInitial),
                  8);
    }
    pst_tcb& t = host.pull(0);
    t.cwnd.bytes = kMss + random() % 200'000;
    host.push(0);
    const auto own = static_cast<double>(t.cwnd.bytes);
    mean = mean == 0 ? own : mean + (own - mean) / 8;
    host.leave(0);
  }
}

}  // namespace
