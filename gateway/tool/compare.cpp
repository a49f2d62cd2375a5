// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/tool/compare.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gateway/common/clock.h"
#include "gateway/common/paired.h"
#include "gateway/common/quantity.h"
#include "gateway/tool/attach.h"
#include "gateway/tool/compare_page.h"
#include "gateway/tool/config.h"
#include "gateway/tool/error.h"
#include "gateway/tool/interrupt.h"
#include "gateway/tool/report.h"
#include "gateway/tool/settings.h"
#include "gateway/tool/snapshot.h"

namespace penstock::gw {

namespace {

constexpr std::uint64_t kLookNs = 50'000'000;
constexpr std::uint64_t kLeastPeriodNs = 10 * PST_NS_PER_S;
constexpr std::uint64_t kMostPeriodNs = 60 * PST_NS_PER_S;
constexpr std::uint64_t kUsualPeriods = 20;
constexpr std::uint64_t kLeastPairs = 3;
// Start of each period: packets in flight from the previous one count for neither.
constexpr std::uint64_t kSettlePart = 4;
constexpr double kTail = 0.95;

// Measurements of a period.
struct Measure {
  const char* key;
  const char* label;
  const char* unit;
  int places;
  double of_unit;  // the JSON's unit in the table's
};
constexpr Measure kMeasures[] = {
    {"drops_per_s", "drops", "/s", 1, 1},
    {"delay_s", "delay, mean", "ms", 1, 1e3},
    {"delay_95_s", "delay, 95 %", "ms", 1, 1e3},
    {"round_trip_s", "round trip", "ms", 1, 1e3},
    {"retransmitted_ratio", "retransmitted", "%", 2, 1e2},
    {"goodput_bps", "goodput", "Mbit/s", 2, 1e-6},
};
using Values = std::array<double, std::size(kMeasures)>;

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// Of the path, as ACKs told: the mean of the flows seen since `begin_ns`.
double path_s(const Device& device, std::uint64_t begin_ns) {
  double sum_s = 0, count = 0;
  for (const auto& [key, flow] : Pins(device).flows()) {
    const std::uint64_t rtt_ns = pst_rtt_get(&flow.gateway.rtt);
    if (!rtt_ns || flow.seen_ns < begin_ns) continue;
    sum_s += static_cast<double>(rtt_ns) / 1e9;
    ++count;
  }
  return ratio(sum_s, count);
}

Values values_of(const Snapshot& before, const Snapshot& after, std::vector<double> delays_s,
                 double seconds, double path) {
  const auto grown = [&](int id) {
    return static_cast<double>(after.count(id) - before.count(id));
  };
  std::sort(delays_s.begin(), delays_s.end());
  double sum_s = 0;
  for (const double delay_s : delays_s) sum_s += delay_s;
  const auto count = static_cast<double>(delays_s.size());
  const double data = grown(GW_COUNT_data_bytes);
  const double again = grown(GW_COUNT_retransmitted_bytes);
  return {static_cast<double>(after.drops - before.drops) / seconds,
          ratio(sum_s, count),
          delays_s.empty() ? 0 : delays_s[static_cast<std::size_t>(kTail * (count - 1))],
          path + ratio(sum_s, count),
          ratio(again, data),
          8 * (data - again) / seconds};
}

// Measures the rest of a period; nothing if a signal ends it.
std::optional<Values> measure(const Device& device, std::uint64_t period_ns) {
  const std::uint64_t settle_ns = period_ns / kSettlePart;
  wait_ns(settle_ns);
  const Snapshot before = take_snapshot(device);
  const std::uint64_t begin_ns = clock_ns();
  const std::uint64_t end_ns = begin_ns + period_ns - settle_ns;
  std::vector<double> delays_s;
  while (!is_stopped() && clock_ns() < end_ns) {
    wait_ns(pst_min(kLookNs, pst_sub_floor(end_ns, clock_ns())));
    const Snapshot s = take_snapshot(device);
    if (s.state != State::kLive && s.state != State::kObserve)
      throw Error(kDegraded, device.name + ": " + s.reason);
    delays_s.push_back(static_cast<double>(s.backlog_bytes) /
                       static_cast<double>(s.rate_bytes_per_s()));
  }
  if (is_stopped()) return {};
  return values_of(before, take_snapshot(device), std::move(delays_s),
                   static_cast<double>(clock_ns() - begin_ns) / 1e9, path_s(device, begin_ns));
}

void set_observe(const Device& device, Settings settings, bool observe) {
  settings.observe = observe;
  const Descriptor turn = take_turn();
  change(device, plan_on(device, settings));
}

// Restores the attachment, however the comparison ends.
class Restore {
 public:
  Restore(const Device& device, const Settings& settings) : device_(device), settings_(settings) {}
  ~Restore() {
    try {
      set_observe(device_, settings_, *settings_.observe);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "penstock-gw: cannot restore the settings: %s\n", e.what());
    }
  }
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

 private:
  const Device& device_;
  const Settings& settings_;
};

// Observing comes first in every other pair, so that a trend favours neither.
std::vector<std::pair<Values, Values>> alternate(const Device& device, const Settings& settings,
                                                 std::uint64_t period_ns, std::uint64_t pairs) {
  std::vector<std::pair<Values, Values>> all;
  const Restore restore(device, settings);
  for (std::uint64_t i = 0; i < pairs && !is_stopped(); ++i) {
    const bool live_first = i % 2;
    set_observe(device, settings, !live_first);
    const auto first = measure(device, period_ns);
    if (!first) break;
    set_observe(device, settings, live_first);
    const auto second = measure(device, period_ns);
    if (!second) break;
    all.emplace_back(live_first ? *second : *first, live_first ? *first : *second);
  }
  return all;
}

Difference difference_of(const std::vector<std::pair<Values, Values>>& pairs, std::size_t m) {
  std::vector<std::pair<double, double>> one;
  for (const auto& [observing, live] : pairs) one.emplace_back(observing[m], live[m]);
  return paired_difference(one);
}

using Pairs = std::vector<std::pair<Values, Values>>;

// Opened before the measurement, which would be lost with it.
std::ofstream open_report(const std::string& path) {
  std::ofstream file(path);
  if (!file) throw system_error("cannot write " + path, errno);
  return file;
}

std::string report_page(const Device& device, const Settings& settings, const Pairs& pairs,
                        std::uint64_t period_ns) {
  ComparePage page{
      device.name, to_toml(device.name, settings), period_ns, clock_ns(CLOCK_REALTIME), {}};
  for (std::size_t m = 0; m < std::size(kMeasures); ++m) {
    const Measure& measure = kMeasures[m];
    MeasureRow row{measure.key,
                   measure.label,
                   measure.unit,
                   measure.places,
                   measure.key != std::string("goodput_bps"),
                   {}};
    for (const auto& [observing, live] : pairs)
      row.pairs.emplace_back(measure.of_unit * observing[m], measure.of_unit * live[m]);
    page.rows.push_back(std::move(row));
  }
  return compare_page(page);
}

void print_json(const Device& device, const std::vector<std::pair<Values, Values>>& pairs,
                std::uint64_t period_ns) {
  nlohmann::ordered_json measures;
  for (std::size_t m = 0; m < std::size(kMeasures); ++m) {
    const Difference d = difference_of(pairs, m);
    measures[kMeasures[m].key] = {{"observing", d.first},
                                  {"live", d.second},
                                  {"difference", d.mean},
                                  {"interval", {d.mean - d.half_width, d.mean + d.half_width}}};
  }
  const nlohmann::ordered_json j = {{"schema_version", kSchemaVersion},
                                    {"device", device.name},
                                    {"pairs", pairs.size()},
                                    {"period_s", static_cast<double>(period_ns) / 1e9},
                                    {"measures", measures}};
  std::printf("%s\n", j.dump(2).c_str());
}

void print_table(const Device& device, const std::vector<std::pair<Values, Values>>& pairs,
                 std::uint64_t period_ns) {
  std::printf("%s: %zu pairs of periods of %s, observing and live\n", device.name.c_str(),
              pairs.size(), form_time(period_ns).c_str());
  std::printf("  %-14s %-7s %10s %10s   %s\n", "", "", "observing", "live",
              "difference, 95 % interval");
  for (std::size_t m = 0; m < std::size(kMeasures); ++m) {
    const Difference d = difference_of(pairs, m);
    const auto& [key, label, unit, places, scale] = kMeasures[m];
    std::printf("  %-14s %-7s %10.*f %10.*f   %+.*f ± %.*f%s\n", label, unit, places,
                scale * d.first, places, scale * d.second, places, scale * d.mean, places,
                scale * d.half_width, d.is_shown() ? "" : "  (none shown)");
  }
}

}  // namespace

int run_compare(const Device& device, const CompareOptions& options) {
  const auto attachment = Pins(device).attachment();
  if (!attachment) throw Error(kNotAttached, device.name + " is not attached");
  if (attachment->install_queue && !attachment->own_qdisc)
    throw Error(kFailed, device.name + " has no queue yet to compare on, as it is only observed: " +
                             "penstock-gw set " + device.name + " --queue install");
  const std::uint64_t period_ns = options.period_ns ? options.period_ns
                                                    : pst_clamp(options.total_ns / kUsualPeriods,
                                                                kLeastPeriodNs, kMostPeriodNs);
  const std::uint64_t pairs = options.total_ns / (2 * period_ns);
  if (pairs < kLeastPairs)
    throw Error(kUsage, "--for " + form_time(options.total_ns) + " is less than " +
                            std::to_string(kLeastPairs) + " pairs of periods of " +
                            form_time(period_ns) + ": " + form_time(2 * kLeastPairs * period_ns) +
                            " at least");
  stop_on_signals();
  std::ofstream report;
  if (!options.report.empty()) report = open_report(options.report);
  const Settings settings = settings_of(*attachment);
  const auto measured = alternate(device, settings, period_ns, pairs);
  if (measured.size() < 2) throw Error(kInterrupted, "interrupted before two pairs were complete");
  if (options.json)
    print_json(device, measured, period_ns);
  else
    print_table(device, measured, period_ns);
  if (!options.report.empty() &&
      !(report << report_page(device, settings, measured, period_ns)).flush())
    throw Error(kFailed, "cannot write " + options.report);
  return is_stopped() ? kInterrupted : kOk;
}

}  // namespace penstock::gw
