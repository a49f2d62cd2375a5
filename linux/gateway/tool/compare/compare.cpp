// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/compare/compare.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linux/common/clock.h"
#include "linux/common/quantity.h"
#include "linux/common/shell.h"
#include "linux/gateway/tool/attach/attach.h"
#include "linux/gateway/tool/compare/measures.h"
#include "linux/gateway/tool/compare/page.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/new_file.h"
#include "linux/gateway/tool/host/process.h"
#include "linux/gateway/tool/settings/config.h"
#include "linux/gateway/tool/settings/settings.h"
#include "linux/gateway/tool/shapes/table.h"
#include "linux/gateway/tool/view/outcome.h"
#include "linux/gateway/tool/view/report.h"
#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

namespace {

constexpr std::uint64_t kDelayLookNs = 50'000'000;
constexpr std::uint64_t kLeastPeriodNs = 10 * PST_NS_PER_S;
constexpr std::uint64_t kMostPeriodNs = 60 * PST_NS_PER_S;
constexpr std::uint64_t kUsualPeriods = 20;
constexpr std::uint64_t kLeastPairs = 3;
// Start of each period: packets in flight from the previous one count for neither.
constexpr std::uint64_t kSettlePart = 4;

// Of a class, or of all.
Values values_of(const std::vector<double>& delays_s, const FlowValues& flows) {
  const auto outcome = outcome_of(flows.paths_s, delays_s, flows.retransmitted_ratio);
  return {kNone,
          kNone,
          kNone,
          mean(flows.paths_s) + mean(delays_s),
          flows.page_s,
          flows.page_95_s,
          flows.pages_per_s,
          flows.retransmitted_ratio,
          flows.goodput_bps,
          outcome ? outcome->rpm : kNone,
          outcome ? outcome->qoo_percent : kNone};
}

// Of all, with drops, delay and goodput of the queue; `flows` are all that are known.
Values values_of(const Snapshot& before, const Snapshot& after, const std::vector<double>& delays_s,
                 double seconds, FlowValues flows) {
  const auto grown = [&](int id) {
    return static_cast<double>(after.count(id) - before.count(id));
  };
  const double data = grown(GW_COUNT_data_bytes);
  const double again = grown(GW_COUNT_retransmitted_bytes);
  flows.retransmitted_ratio = data > 0 ? again / data : kNone;
  flows.goodput_bps = 8 * (data - again) / seconds;
  Values values = values_of(delays_s, flows);
  values[0] = static_cast<double>(pst_sub_floor(after.drops, before.drops)) / seconds;
  values[1] = mean(delays_s);
  values[2] = tail(delays_s);
  return values;
}

// What others do not change meanwhile.
struct Setting {
  std::uint64_t since_ns;
  std::uint32_t revision;
  bool operator==(const Setting&) const = default;
};

Setting setting_of(const gw_attachment& a) { return {a.since_ns, a.config.revision}; }

Setting setting_of(const Device& device) {
  const auto attachment = Pins(device).attachment();
  return attachment ? setting_of(*attachment) : Setting{};
}

[[noreturn]] void refuse_change(const Device& device) {
  throw Error(kFailed, device.name + ": its settings were changed meanwhile, so there is nothing " +
                           "to compare");
}

// The queue's delay, again and again until then; at least once.
std::vector<double> watch_delays(const Device& device, const Setting& own, std::uint64_t end_ns) {
  std::vector<double> delays_s;
  do {
    wait_ns(pst_min(kDelayLookNs, pst_sub_floor(end_ns, clock_ns())));
    const Snapshot s = take_snapshot(device);
    if (s.state != State::kLive && s.state != State::kObserve)
      throw Error(kDegraded, device.name + ": " + s.reason);
    if (setting_of(s.attachment) != own) refuse_change(device);
    delays_s.push_back(static_cast<double>(s.backlog_bytes) /
                       static_cast<double>(s.rate_bytes_per_s()));
  } while (!is_stopped() && clock_ns() < end_ns);
  return delays_s;
}

// Measures the rest of a period; nothing if a signal ends it.
std::optional<std::vector<Values>> measure(const Device& device, const Setting& own,
                                           std::uint64_t period_ns,
                                           const std::vector<FlowClass>& classes) {
  const std::uint64_t settle_ns = period_ns / kSettlePart;
  FlowPeriod period{clock_ns(), 0, 0};
  wait_ns(settle_ns);
  const Flows known = Pins(device).known_flows();
  const Snapshot before = take_snapshot(device);
  period.begin_ns = clock_ns();
  const auto delays_s = watch_delays(device, own, period.begin_ns + period_ns - settle_ns);
  if (is_stopped()) return {};
  const Snapshot after = take_snapshot(device);
  period.end_ns = clock_ns();
  const double seconds = static_cast<double>(period.end_ns - period.begin_ns) / 1e9;
  const Flows flows = Pins(device).known_flows();
  std::vector<Values> all = {
      values_of(before, after, delays_s, seconds, flow_values(nullptr, known, flows, period))};
  for (const FlowClass& one : classes)
    all.push_back(values_of(delays_s, flow_values(&one, known, flows, period)));
  return all;
}

// Observes or not, with settings that are otherwise the same. Restores the attachment, however the
// comparison ends, unless others have changed it.
class Switch {
 public:
  Switch(const Device& device, const Settings& settings)
      : device_(device), settings_(settings), own_(setting_of(device)) {}
  ~Switch() {
    try {
      set(*settings_.observe, Patience::kAlways);
    } catch (const std::exception& e) {
      if (setting_of(device_) == own_)
        std::fprintf(stderr, "penstock-gw: cannot restore the settings: %s\n", e.what());
    }
  }
  Switch(const Switch&) = delete;
  Switch& operator=(const Switch&) = delete;

  void set(bool observe, Patience patience = Patience::kUntilStopped) {
    Settings settings = settings_;
    settings.observe = observe;
    const Descriptor turn = take_turn(patience);
    if (setting_of(device_) != own_) refuse_change(device_);
    change(device_, plan_on(device_, settings));
    own_ = setting_of(device_);
  }
  const Setting& own() const { return own_; }

 private:
  const Device& device_;
  const Settings& settings_;
  Setting own_;
};

// Observing comes first in every other pair, so that a trend favours neither.
std::vector<PeriodPair> alternate(const Device& device, const Settings& settings,
                                  std::uint64_t period_ns, std::uint64_t pairs,
                                  const std::vector<FlowClass>& classes) {
  std::vector<PeriodPair> all;
  Switch mode(device, settings);
  for (std::uint64_t i = 0; i < pairs && !is_stopped(); ++i) {
    const bool live_first = i % 2;
    mode.set(!live_first);
    const auto first = measure(device, mode.own(), period_ns, classes);
    if (!first) break;
    mode.set(live_first);
    const auto second = measure(device, mode.own(), period_ns, classes);
    if (!second) break;
    all.push_back(live_first ? PeriodPair{*second, *first} : PeriodPair{*first, *second});
  }
  return all;
}

std::uint32_t shape_number(const Device& device, const std::string& name) {
  for (const auto& [id, shape] : ShapeTable(device).all())
    if (shape.name() == name) return id;
  throw Error(kUsage, "class: " + device.name + " has no shape '" + name + "'");
}

std::vector<FlowClass> classes_of(const Device& device, const std::vector<std::string>& texts) {
  std::vector<FlowClass> all;
  for (const std::string& text : texts) {
    FlowClass one = flow_class(text);
    for (const FlowClass& other : all)
      if (other.name == one.name) throw Error(kUsage, "class: '" + one.name + "' comes twice");
    if (const std::string name = shape_name(one); !name.empty())
      one.shape = shape_number(device, name);
    all.push_back(std::move(one));
  }
  return all;
}

nlohmann::ordered_json json_of(const Section& section) {
  nlohmann::ordered_json measures;
  for (const MeasureRow& row : section.rows) {
    nlohmann::ordered_json& j = measures[row.measure.key];
    j = {{"pairs", row.pairs.size()}};
    const auto d = row.difference();
    if (!d) continue;
    j.update({{"observing", d->first},
              {"live", d->second},
              {"difference", d->mean},
              {"interval", {d->mean - d->half_width, d->mean + d->half_width}}});
  }
  return measures;
}

struct Found {
  std::string device;
  std::size_t pairs;
  std::uint64_t period_ns;
  std::vector<Section> sections;
};

void print_all_json(const Found& found) {
  nlohmann::ordered_json classes = nlohmann::ordered_json::array();
  for (const Section& section : std::span(found.sections).subspan(1))
    classes.push_back(
        {{"name", section.name}, {"rule", section.rule}, {"measures", json_of(section)}});
  print_json({{"schema_version", kSchemaVersion},
              {"device", found.device},
              {"pairs", found.pairs},
              {"period_s", static_cast<double>(found.period_ns) / 1e9},
              {"measures", json_of(found.sections[0])},
              {"classes", classes}});
}

void print_row(const MeasureRow& row) {
  const Measure& m = row.measure;
  const auto d = row.difference(m.of_unit);
  if (!d)
    std::printf("  %-15s %-7s not measured: there was none in most periods\n", m.label, m.unit);
  else
    std::printf("  %-15s %-7s %10.*f %10.*f   %+.*f ± %.*f%s\n", m.label, m.unit, m.places,
                d->first, m.places, d->second, m.places, d->mean, m.places, d->half_width,
                d->is_shown() ? "" : "  (none shown)");
}

void print_table(const Found& found) {
  std::printf("%s: %zu pairs of periods of %s, observing and live\n", found.device.c_str(),
              found.pairs, form_time(found.period_ns).c_str());
  for (const Section& section : found.sections) {
    const std::string title = section.name.empty() ? "" : section.name + " (" + section.rule + ")";
    std::printf("  %-23s %10s %10s   %s\n", title.c_str(), "observing", "live",
                "difference, 95 % interval");
    for (const MeasureRow& row : section.rows) print_row(row);
  }
}

// The length of a period, and how many pairs of them.
std::pair<std::uint64_t, std::uint64_t> turns_of(const CompareOptions& options) {
  const std::uint64_t period_ns = options.period_ns ? options.period_ns
                                                    : pst_clamp(options.total_ns / kUsualPeriods,
                                                                kLeastPeriodNs, kMostPeriodNs);
  const std::uint64_t pairs = options.total_ns / (2 * period_ns);
  if (pairs < kLeastPairs)
    throw Error(kUsage, "--for " + form_time(options.total_ns) + " is less than " +
                            std::to_string(kLeastPairs) + " pairs of periods of " +
                            form_time(period_ns) + ": " + form_time(2 * kLeastPairs * period_ns) +
                            " at least");
  return {period_ns, pairs};
}

}  // namespace

int run_compare(const Device& device, const CompareOptions& options) {
  const auto attachment = Pins(device).attachment();
  if (!attachment) throw Error(kNotAttached, device.name + " is not attached");
  if (attachment->install_queue && !attachment->own_qdisc)
    throw Error(kFailed, device.name + " has no queue yet to compare on, as it is only observed: " +
                             "penstock-gw set " + shell_word(device.name) + " --queue install");
  const auto [period_ns, pairs] = turns_of(options);
  const auto classes = classes_of(device, options.classes);
  stop_on_signals();
  std::optional<NewFile> report;  // before the measurement, which would be lost with it
  if (!options.report.empty()) report.emplace(options.report);
  const Settings settings = settings_of(*attachment);
  const auto measured = alternate(device, settings, period_ns, pairs, classes);
  if (measured.size() < 2) throw Error(kInterrupted, "interrupted before two pairs were complete");
  const Found found{device.name, measured.size(), period_ns, sections_of(measured, classes)};
  if (options.json)
    print_all_json(found);
  else
    print_table(found);
  const ComparePage page{device.name,
                         to_toml(device.name, settings),
                         period_ns,
                         measured.size(),
                         clock_ns(CLOCK_REALTIME),
                         found.sections,
                         attachment->own_qdisc,
                         attachment->config.queue_source == GW_QUEUE_VIRTUAL};
  if (report) report->put(compare_page(page));
  return is_stopped() ? kInterrupted : kOk;
}

}  // namespace penstock::gw
