// SPDX-License-Identifier: GPL-2.0-only
// What status says of a snapshot.
#include "linux/gateway/tool/view/snapshot.h"

#include <gtest/gtest.h>

#include "linux/gateway/tool/settings/settings.h"
#include "linux/gateway/tool/view/metrics.h"
#include "linux/gateway/tool/view/rates.h"
#include "linux/gateway/tool/view/report.h"

namespace penstock::gw {
namespace {

constexpr std::uint64_t kTickNs = 10'000'000;

gw_config config_of(const std::string& method) {
  Settings settings;
  settings.rate = "20mbit";
  settings.buffer = "97kB";
  settings.method = method;
  return plan_of(settings).config;
}

// A gateway after ten seconds in which `flows` flows kept `backlog_bytes` in the queue.
class Past {
 public:
  Past(const std::string& method, int flows, std::uint64_t backlog_bytes)
      : config_(config_of(method)), backlog_bytes_(backlog_bytes) {
    pst_queue q = queue();
    port_.config = config_.gateway;
    pst_port_init(&port_, &q);
    std::vector<pst_flow_use> uses(static_cast<std::size_t>(flows));
    std::vector<pst_flow> all(uses.size());
    for (int i = 0; i < 1000; ++i) {
      now_ns_ += kTickNs;
      for (std::size_t n = 0; n < uses.size(); ++n) {
        pst_flow_count_data(&port_.state.count, &all[n], now_ns_);
        pst_flow_count_use(&port_.state.count, &uses[n], nullptr, 1448 * PST_BEGINNING_SEGMENTS,
                           false, 1448, kTickNs, now_ns_);
      }
      q = queue();
      pst_port_tick(&port_, &q);
    }
  }

  pst_floor floor(std::uint64_t backlog_bytes) const {
    return floor_of(config_, port_.state, backlog_bytes, now_ns_);
  }
  pst_floor floor() const { return floor(backlog_bytes_); }
  const pst_gateway_state& state() const { return port_.state; }

 private:
  pst_queue queue() const {
    pst_queue q{};
    q.now_ns = now_ns_;
    q.bytes = backlog_bytes_;
    q.limit_bytes = config_.limit_bytes;
    q.rate_bytes_per_s = config_.rate_bytes_per_s;
    q.mss_bytes = config_.mss_bytes;
    return q;
  }

  gw_config config_;
  pst_port port_{};
  std::uint64_t backlog_bytes_;
  std::uint64_t now_ns_ = 0;
};

constexpr std::uint64_t kShort = 10'000, kFull = 97'000;  // the target is 12,500 or more

TEST(Snapshots, AFullQueueThatWindowsDoNotShortenIsTheFloor) {
  for (const char* method : {"integral", "penstock"})
    for (const int flows : {2, 20, 60}) {
      const Past full(method, flows, kFull);
      EXPECT_EQ(full.floor(), PST_FLOOR_CORRECTION) << method << flows;
      EXPECT_EQ(full.floor(kShort), PST_FLOOR_NONE) << method << flows;
      EXPECT_EQ(Past(method, flows, kShort).floor(kFull), PST_FLOOR_NONE) << method << flows;
    }
}

TEST(Snapshots, MoreFlowsThanSegmentsAreAnotherFloor) {
  EXPECT_EQ(Past("penstock", 250, kFull).floor(), PST_FLOOR_SEGMENT);
  EXPECT_EQ(Past("penstock", 1000, kFull).floor(), PST_FLOOR_SEGMENT);
  EXPECT_EQ(Past("penstock", 1000, kShort).floor(), PST_FLOOR_NONE);
}

TEST(Snapshots, LawsThatDoNotCorrectHaveNoFloor) {
  EXPECT_EQ(Past("share", 60, kFull).floor(), PST_FLOOR_NONE);
  EXPECT_EQ(Past("droptail", 60, kFull).floor(), PST_FLOOR_NONE);
}

TEST(Snapshots, WarnOfALawAtItsFloor) {
  Snapshot s;
  s.state = State::kLive;
  s.attachment.config = config_of("penstock");
  EXPECT_EQ(s.warning(), "");
  s.floor = PST_FLOOR_CORRECTION;
  EXPECT_NE(status_text(s).find("Set --rate"), std::string::npos);
  EXPECT_EQ(status_json(s)["warning"], s.warning());
  s.floor = PST_FLOOR_SEGMENT;
  EXPECT_NE(status_text(s).find("larger --buffer"), std::string::npos);
}

TEST(Snapshots, OfARateThatHasJustExpiredAllAnswersSayThatItIsUnknown) {
  Settings settings;
  settings.rate = "auto";
  settings.source = "passive";
  settings.method = "penstock";
  Snapshot s;
  s.state = State::kLive;
  s.attachment.config = plan_of(settings).config;
  s.shared.port.state.hidden.known_ns = 10 * PST_NS_PER_S;
  s.shared.port.state.hidden.trip_ns = 9 * PST_NS_PER_S;
  for (const bool known : {true, false}) {
    set_time(s, 10 * PST_NS_PER_S + !known);
    EXPECT_EQ(lacks_rate(s), !known);
    EXPECT_EQ(status_json(s)["passive"]["known"], known);
    EXPECT_EQ(status_json(s)["departures"]["known"], known);
    EXPECT_EQ(target_text(s).empty(), !known);
    EXPECT_EQ(status_text(s).find("too little traffic") == std::string::npos, known);
  }
}

// A gateway with this rate and discipline on a queue of others.
Snapshot beside_others(const std::string& rate, bool measures) {
  Settings settings;
  settings.rate = rate;
  settings.buffer = "97kB";
  settings.queue = "existing";
  Snapshot s;
  s.state = State::kLive;
  s.attachment.config = plan_of(settings).config;
  s.attachment.config.measures = measures;
  pst_departure_rate_init(&s.shared.port.state.departures);
  return s;
}

TEST(Snapshots, TheRateThatFairDividesIsTheOneThatItsPacketsMeasure) {
  Snapshot s = beside_others("20mbit", true);
  pst_departure_rate& departures = s.shared.port.state.departures;
  EXPECT_EQ(status_json(s)["divided_rate_bps"], 20'000'000);
  EXPECT_EQ(status_json(s)["divided_rate_measured"], false);
  pst_departure_rate_expect(&departures, 2'500'000);
  pst_departure_rate_look(&departures, 0, 1500, PST_NS_PER_S);
  EXPECT_EQ(status_json(s)["divided_rate_measured"], false);
  EXPECT_NE(status_text(s).find("fair divides 20.0 Mbit/s, as told, until packets wait"),
            std::string::npos);
  // Half of the rate, from a queue that stands.
  for (std::uint64_t ms = 1; ms <= 500; ++ms) {
    pst_departure_rate_enter(&departures, ms == 1 ? 97'000 : 1250);
    pst_departure_rate_look(&departures, 95'750, 1500, PST_NS_PER_S + ms * 1'000'000);
  }
  EXPECT_EQ(status_json(s)["divided_rate_measured"], true);
  EXPECT_NEAR(status_json(s)["divided_rate_bps"].get<double>(), 1e7, 1e5);
  EXPECT_EQ(status_json(s)["rate_bps"], 20'000'000);
  EXPECT_NE(status_text(s).find("Mbit/s, measured from what leaves the queue"), std::string::npos);
}

TEST(Snapshots, WhereNothingIsMeasuredTheRateThatFairDividesIsAsTold) {
  Snapshot s = beside_others("20mbit", false);
  s.shared.port.state.departures.seen_ns = 1;
  EXPECT_EQ(status_json(s)["divided_rate_bps"], 20'000'000);
  EXPECT_NE(status_text(s).find("fair divides 20.0 Mbit/s, as told\n"), std::string::npos);
  EXPECT_FALSE(status_json(s).contains("queue_longest_bytes"));
  s.attachment.config.gateway.discipline = PST_DISCIPLINE_DROPTAIL;
  EXPECT_FALSE(status_json(s).contains("divided_rate_bps"));
}

TEST(Snapshots, AQueueLongerThanTheBufferIsNamed) {
  Snapshot s = beside_others("20mbit", true);
  pst_departure_rate& departures = s.shared.port.state.departures;
  for (const std::uint64_t bytes : {97'000, 388'000}) {
    pst_departure_rate_look(&departures, bytes, 1500, bytes);
    EXPECT_EQ(status_json(s)["queue_longest_bytes"], bytes);
    EXPECT_EQ(status_text(s).find("but up to 388 kB recently") != std::string::npos,
              bytes > 97'000);
  }
}

// The kernel takes such names, and a scrape with one of them would be refused as a whole.
TEST(Metrics, TheNameOfADeviceIsEscaped) {
  Snapshot s;
  s.device.name = "a\"b\\c\xff";
  EXPECT_NE(metrics_text(s).find("penstock_up{iface=\"a\\\"b\\\\c\xef\xbf\xbd\"} 0\n"),
            std::string::npos)
      << metrics_text(s);
}

TEST(Snapshots, SaysThatWhatAnswersTakesAnotherPath) {
  Snapshot s;
  s.state = State::kLive;
  s.attachment.config = config_of("penstock");
  s.taken_ns = 1000 * PST_NS_PER_S;
  pst_fair_state& fair = s.shared.port.state.discipline.fair;
  const auto says = [&](std::uint64_t known_ns, std::uint64_t data_ns) {
    fair.known_ns = s.taken_ns - known_ns;
    fair.end_ns = s.taken_ns - data_ns;
    return s.warning().find("takes another path and nothing is held") != std::string::npos;
  };
  EXPECT_TRUE(says(PST_FAIR_ONE_WAY_NS + 1, 0));
  EXPECT_FALSE(says(PST_FAIR_ONE_WAY_NS, 0)) << "as fair itself";
  EXPECT_FALSE(says(PST_FAIR_ONE_WAY_NS + 1, 2 * PST_NS_PER_S)) << "no data passes";
  s.attachment.config = config_of("droptail");
  EXPECT_FALSE(says(PST_FAIR_ONE_WAY_NS + 1, 0)) << "nothing would be held anyway";
}

}  // namespace
}  // namespace penstock::gw
