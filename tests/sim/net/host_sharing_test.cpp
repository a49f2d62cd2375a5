// SPDX-License-Identifier: GPL-2.0-only
// Connections of one host in whole runs: what they share, and what stays theirs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/describe.h"
#include "sim/net/network.h"
#include "tests/sim/times.h"

namespace penstock::net {
namespace {

constexpr std::uint32_t kNone = PST_SHARING_COUNT;
constexpr std::uint32_t kMss = 1'448;

struct Hosts {
  std::uint32_t sharing = kNone;
  std::vector<std::uint64_t> start_ns{0};
  std::vector<std::uint64_t> size_bytes{10'000'000};
  std::uint64_t queue_bytes = 60'000;
  double loss_ratio = 0;
  bool one_receiver = true;
};

Result play(const Hosts& hosts) {
  Network network(11);
  const std::uint32_t from = network.node("from");
  const std::uint32_t to = network.node("to");
  const std::uint32_t other = network.node("other");
  const std::uint32_t router = network.node("router");
  LinkSpec out{.src = from, .dst = router, .rate_bps = 10'000'000, .delay_ns = 40 * kMs};
  out.queue_bytes = hosts.queue_bytes;
  out.loss_ratio = hosts.loss_ratio;
  network.link(out);
  network.link({.src = router, .dst = from, .rate_bps = 10'000'000, .delay_ns = 40 * kMs});
  for (const std::uint32_t end : {to, other}) {
    network.link({.src = router, .dst = end, .rate_bps = 100'000'000, .delay_ns = kMs});
    network.link({.src = end, .dst = router, .rate_bps = 100'000'000, .delay_ns = kMs});
  }
  SampleSpec samples{.interval_ns = 50 * kMs, .links = {}, .flows = {}};
  for (std::size_t i = 0; i < hosts.start_ns.size(); ++i) {
    TcpSpec tcp;
    tcp.src = from;
    tcp.dst = i % 2 && !hosts.one_receiver ? other : to;
    tcp.start_ns = hosts.start_ns[i];
    tcp.size_bytes = hosts.size_bytes[i];
    pst_sender_defaults(tcp.sender.method, &tcp.sender.params);
    tcp.sender.sharing = hosts.sharing;
    pst_sharing_defaults(hosts.sharing, &tcp.sender.sharing_params);
    tcp.receiver.buffer_bytes = tcp.receiver.max_buffer_bytes = 2'000'000;
    samples.flows.push_back(network.tcp(tcp));
  }
  network.sample(samples);
  return network.run(200 * kSecond);
}

void expect_same_result(const Result& a, const Result& b) {
  EXPECT_EQ(a.events, b.events);
  for (std::size_t i = 0; i < a.flows.size(); ++i) {
    EXPECT_EQ(a.flows[i].done_ns, b.flows[i].done_ns);
    EXPECT_EQ(a.flows[i].sender.retransmissions, b.flows[i].sender.retransmissions);
  }
}

class SharingRuns : public testing::TestWithParam<std::uint32_t> {};
class SharingOfOwnLaws : public testing::TestWithParam<std::uint32_t> {};

TEST_P(SharingOfOwnLaws, AConnectionAloneIsAsAnyOther) {
  for (const double loss_ratio : {0.0, 0.02}) {
    Hosts hosts;
    hosts.loss_ratio = loss_ratio;
    const Result plain = play(hosts);
    EXPECT_GT(plain.flows[0].sender.retransmissions, 0U);
    hosts.sharing = GetParam();
    expect_same_result(play(hosts), plain);
  }
}

TEST_P(SharingOfOwnLaws, ConnectionsToOthersAreOthers) {
  Hosts hosts{.start_ns = {0, 2 * kSecond}, .size_bytes = {5'000'000, 500'000}};
  hosts.one_receiver = false;
  const Result plain = play(hosts);
  hosts.sharing = GetParam();
  expect_same_result(play(hosts), plain);
}

TEST_P(SharingRuns, AllArrivesWhateverIsLost) {
  Hosts hosts{.loss_ratio = 0.03};
  hosts.sharing = GetParam();
  hosts.start_ns.clear();
  hosts.size_bytes.clear();
  for (std::uint64_t i = 0; i < 12; ++i) {
    hosts.start_ns.push_back(i * 700 * kMs);
    hosts.size_bytes.push_back(i % 3 ? 100'000 : 2'000'000);
  }
  const Result result = play(hosts);
  EXPECT_TRUE(result.all_done);
}

INSTANTIATE_TEST_SUITE_P(All, SharingRuns, testing::Range(0U, std::uint32_t{PST_SHARING_COUNT}));
// The Congestion Manager has a law of its own.
INSTANTIATE_TEST_SUITE_P(All, SharingOfOwnLaws,
                         testing::Values(PST_SHARING_TCBI_TEMPORAL, PST_SHARING_TCBI_ENSEMBLE,
                                         PST_SHARING_FS_TCBI, PST_SHARING_EFCM,
                                         PST_SHARING_LINUX_EFCM_1, PST_SHARING_LINUX_EFCM_3,
                                         PST_SHARING_ENSEMBLE_TCP, PST_SHARING_SPAND));

// The second connection's window as it begins, in segments.
double first_window(std::uint32_t sharing, std::uint64_t second_start_ns) {
  Hosts hosts{.start_ns = {0, second_start_ns}, .size_bytes = {3'000'000, 3'000'000}};
  hosts.queue_bytes = 3'000'000;
  hosts.sharing = sharing;
  const Result result = play(hosts);
  for (const std::int64_t cwnd : result.series.cwnd_bytes[1])
    if (cwnd > kMss) return static_cast<double>(cwnd) / kMss;  // no SYN's
  return 0;
}

TEST(SharingRuns, ANewConnectionStartsWhereTheOthersAre) {
  EXPECT_LE(first_window(kNone, kSecond), 20);
  for (const std::uint32_t sharing :
       {PST_SHARING_TCBI_ENSEMBLE, PST_SHARING_FS_TCBI, PST_SHARING_EFCM})
    EXPECT_GT(first_window(sharing, kSecond), 40) << sharing;
  EXPECT_LE(first_window(PST_SHARING_TCBI_TEMPORAL, kSecond), 20);
}

TEST(SharingRuns, TemporalSharingOutlivesTheConnection) {
  for (const std::uint32_t sharing : {PST_SHARING_TCBI_TEMPORAL, PST_SHARING_SPAND,
                                      PST_SHARING_ENSEMBLE_TCP, PST_SHARING_CONGESTION_MANAGER})
    EXPECT_GT(first_window(sharing, 20 * kSecond), 40) << sharing;
  EXPECT_LE(first_window(PST_SHARING_EFCM, 20 * kSecond), 20);
}

// What the link loses to n connections that share is what it loses to one.
TEST(SharingRuns, AnEnsembleAsAggressiveAsOneLosesLess) {
  const auto resent = [](std::uint32_t sharing) {
    Hosts hosts{.start_ns = std::vector<std::uint64_t>(8, 0),
                .size_bytes = std::vector<std::uint64_t>(8, 2'000'000)};
    hosts.sharing = sharing;
    std::uint64_t sum = 0;
    for (const FlowResult& flow : play(hosts).flows) sum += flow.sender.retransmissions;
    return sum;
  };
  const std::uint64_t plain = resent(kNone);
  EXPECT_GT(plain, 100U);
  for (const std::uint32_t sharing : {PST_SHARING_ENSEMBLE_TCP, PST_SHARING_CONGESTION_MANAGER})
    EXPECT_LT(resent(sharing), plain / 2) << sharing;
}

TEST(SharingRuns, WindowsOfAnEnsembleAreEqualUnderEfcm) {
  Hosts hosts{.start_ns = {0, kSecond, 3 * kSecond},
              .size_bytes = {9'000'000, 9'000'000, 9'000'000}};
  hosts.queue_bytes = 3'000'000;
  hosts.sharing = PST_SHARING_EFCM;
  const Result result = play(hosts);
  int compared = 0;
  for (std::size_t i = 0; i < result.series.time_ns.size(); ++i) {
    if (result.series.time_ns[i] < static_cast<std::int64_t>(4 * kSecond)) continue;
    if (result.series.time_ns[i] > static_cast<std::int64_t>(10 * kSecond)) break;
    std::vector<std::int64_t> cwnd;
    for (const auto& series : result.series.cwnd_bytes) cwnd.push_back(series[i]);
    const auto [least, most] = std::minmax_element(cwnd.begin(), cwnd.end());
    EXPECT_LE(*most - *least, kMss);
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace penstock::net
