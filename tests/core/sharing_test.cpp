// SPDX-License-Identifier: GPL-2.0-only
// Sharing among connections: random events against a twin in floating point that keeps all
// windows itself, written from nis-2004 Figure 5.1 and RFC 9040; and what every way of
// sharing has to conserve.
#include "core/sharing/control.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace {

constexpr u32 kMss = 1000;
constexpr u64 kInitial = 10 * kMss;
constexpr u64 kInitialSsthresh = 65535;

struct Connection {
  pst_member member{};
  pst_tcb tcb{};
};

// A host's connections to one other, in the order in which they joined.
class Host {
 public:
  explicit Host(u32 sharing) : sharing_(sharing) {
    for (u64* p = reinterpret_cast<u64*>(&params_); p < reinterpret_cast<u64*>(&params_ + 1); ++p)
      *p = kInitialSsthresh;
  }

  void join(u64 srtt_ns = 0) {
    Connection& c = all.emplace_back();
    c.tcb = {{kInitial, PST_SSTHRESH_MAX}, srtt_ns, srtt_ns / 2, kMss};
    pst_sharing_join(sharing_, &params_, &ensemble, &c.member, &c.tcb);
  }
  pst_tcb& pull(std::size_t i) {
    pst_sharing_pull(sharing_, &params_, &ensemble, &all[i].member, &all[i].tcb);
    return all[i].tcb;
  }
  void push(std::size_t i) {
    pst_sharing_push(sharing_, &params_, &ensemble, &all[i].member, &all[i].tcb);
  }
  void leave(std::size_t i) {
    pst_sharing_leave(sharing_, &params_, &ensemble, &all[i].member, &all[i].tcb);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
  }

  u64 window(std::size_t i) const {
    const pst_member& m = all[i].member;
    return m.epoch == ensemble.epoch ? m.cwnd_bytes : ensemble.share_cwnd_bytes;
  }
  u64 sum() const {
    u64 sum = ensemble.credit_bytes;
    for (std::size_t i = 0; i < all.size(); ++i) sum += window(i);
    return sum;
  }

  pst_ensemble ensemble{};
  std::vector<Connection> all;

 private:
  u32 sharing_;
  pst_sharing_params params_;
};

class Sharing : public testing::TestWithParam<u32> {};

TEST_P(Sharing, ConservesTheWindowsOfTheEnsemble) {
  Host host(GetParam());
  std::mt19937_64 random(7);
  for (int event = 0; event < 200'000; ++event) {
    const u64 what = random() % 100;
    if (host.all.empty() || (what < 2 && host.all.size() < 40)) {
      host.join(random() % 2 ? random() % 500'000'000 : 0);
    } else {
      const std::size_t i = random() % host.all.size();
      pst_tcb& t = host.pull(i);
      ASSERT_GE(t.cwnd.bytes, kMss);
      if (what < 4) {
        host.leave(i);
      } else if (what < 90) {
        if (t.cwnd.bytes < 1'000'000) t.cwnd.bytes += random() % (2 * kMss);
        t.srtt_ns = t.srtt_ns / 2 + random() % 300'000'000 + 1;
        host.push(i);
      } else {
        t.cwnd.ssthresh_bytes = std::max<u64>(t.cwnd.bytes / 2, 2 * kMss);
        t.cwnd.bytes = what < 97 ? t.cwnd.ssthresh_bytes : kMss;
        host.push(i);
      }
    }
    ASSERT_EQ(host.sum(), host.ensemble.cwnd_bytes) << event;
    ASSERT_EQ(host.ensemble.members, host.all.size());
  }
}

TEST_P(Sharing, AloneItIsAsAnyConnection) {
  Host host(GetParam());
  host.join(50'000'000);
  pst_tcb plain{{kInitial, PST_SSTHRESH_MAX}, 50'000'000, 25'000'000, kMss};
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

}  // namespace
