// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/metrics.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/describe.h"
#include "linux/common/clock.h"
#include "linux/common/http.h"
#include "linux/gateway/tool/host/new_file.h"
#include "linux/gateway/tool/host/process.h"
#include "linux/gateway/tool/settings/settings.h"
#include "linux/gateway/tool/settings/spare_rule.h"
#include "linux/gateway/tool/view/rates.h"
#include "linux/gateway/tool/view/report.h"

namespace penstock::gw {

namespace {

constexpr std::uint64_t kLookNs = 50'000'000;
// Nobody who asks more seldom pays for looks that are as old.
constexpr std::uint64_t kWatchedNs = 90 * kNsPerS;

// A label's value, as Prometheus' text format has it: UTF-8, with three characters escaped.
std::string label(const std::string& text) {
  const std::string valid = nlohmann::json::parse(json_text(text)).get<std::string>();
  std::string escaped;
  for (const char c : valid) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c == '\n' ? "\\n" : std::string(1, c);
  }
  return escaped;
}

class Text {
 public:
  explicit Text(const std::string& device) : device_(label(device)) {}

  void family(const std::string& name, const char* type, const char* help) {
    name_ = "penstock_" + name;
    out_ += "# HELP " + name_ + " " + help + "\n# TYPE " + name_ + " " + type + "\n";
  }
  void sample(double value, const std::string& labels = "") {
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "%.17g", value);
    out_ += name_ + "{iface=\"" + device_ + "\"" + (labels.empty() ? "" : "," + labels) + "} " +
            number.data() + "\n";
  }
  void one(const std::string& name, const char* type, const char* help, double value,
           const std::string& labels = "") {
    family(name, type, help);
    sample(value, labels);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string device_;
  std::string name_;
  std::string out_;
};

void put_counters(Text& t, const Snapshot& s) {
  for (int i = 0; i < kCounterRowCount; ++i)
    t.one(std::string(kCounterRows[i].name) + "_total", "counter", kCounterRows[i].help,
          static_cast<double>(s.count(i)));
  t.family("bypassed_packets_total", "counter", "packets that passed without a look at the window");
  for (int i = 0; i < kBypassRowCount; ++i)
    t.sample(static_cast<double>(s.count(GW_PASS_not_ip + i)),
             "reason=\"" + std::string(kBypassRows[i].name) + "\"");
  t.family("acks_decided_total", "counter", "ACKs by the rule that had the last word");
  for (std::uint32_t i = 0; i < PST_LIMIT_COUNT; ++i)
    t.sample(static_cast<double>(s.count(GW_BY_LIMIT + static_cast<int>(i))),
             "rule=\"" + std::string(limit_name(i)) + "\"");
}

void put_spared(Text& t, const Snapshot& s) {
  const std::vector<std::string> rules = spare_rule_texts(s.attachment.config);
  const auto put = [&](const char* name, const char* help, u64 pst_spared::* count) {
    t.family(name, "counter", help);
    for (std::size_t i = 0; i < std::min(rules.size(), s.spared.size()); ++i)
      t.sample(static_cast<double>(s.spared[i].*count), "rule=\"" + label(rules[i]) + "\"");
  };
  if (s.spared.empty()) return;
  put("spared_packets_total", "packets that a rule spares of fair", &pst_spared::packets);
  put("spared_bytes_total", "bytes that it spares", &pst_spared::bytes);
  put("spared_beyond_packets_total", "packets beyond the bound of the rule",
      &pst_spared::beyond_packets);
}

void put_outcome(Text& t, const std::optional<Outcome>& outcome) {
  if (!outcome) return;
  t.one("rpm", "gauge", "responsiveness: round trips a minute under the load of now", outcome->rpm);
  t.one("qoo_percent", "gauge", "quality of outcome of an application", outcome->qoo_percent);
}

void put_divided_rate(Text& t, const Snapshot& s) {
  const auto rate = divided_rate(s);
  if (!rate) return;
  t.one("divided_rate_bytes_per_second", "gauge",
        "rate that the discipline divides among the flows of the device's own queue",
        static_cast<double>(rate->bytes_per_s));
  t.one("divided_rate_measured", "gauge", "1 if that rate is measured, 0 if it is told or assumed",
        rate->measured);
}

}  // namespace

std::string metrics_text(const Snapshot& s, const std::optional<Outcome>& outcome) {
  Text t(s.device.name);
  const gw_config& c = s.attachment.config;
  t.one("up", "gauge", "1 if windows are rewritten, or would be when observing",
        s.state == State::kLive || s.state == State::kObserve);
  t.one("observing", "gauge", "1 if no packet is touched", s.state == State::kObserve);
  if (s.state == State::kOff) return t.take();
  t.one("info", "gauge", "method and mode", 1,
        "method=\"" + std::string(pst_variant_rows[c.variant].name) + "\",discipline=\"" +
            pst_discipline_rows[c.gateway.discipline].name + "\",mode=\"" +
            mode_name(c.gateway.mode) + "\",source=\"" + source_name(c.queue_source) + "\"");
  const bool unknown = lacks_rate(s);
  if (c.gateway.passive)
    t.one("passive_known", "gauge", "1 if rate and queue further down are known, else all passes",
          !unknown);
  if (c.gateway.upstream)
    t.one("upstream_known", "gauge",
          "1 if rate and queue before the device are known, else all passes", !unknown);
  if (!unknown)
    t.one("rate_bytes_per_second", "gauge", "rate, as configured or measured",
          static_cast<double>(s.line_bytes_per_s()));
  put_divided_rate(t, s);
  t.one("queue_limit_bytes", "gauge", "limit of the queue", static_cast<double>(c.limit_bytes));
  t.one("queue_bytes", "gauge", "bytes that wait", static_cast<double>(s.backlog_bytes));
  t.one("queue_delay_seconds", "gauge", "time that they take at the rate",
        static_cast<double>(s.backlog_bytes) / static_cast<double>(s.rate_bytes_per_s()));
  t.one("queue_drops_total", "counter", "packets dropped at the queue",
        static_cast<double>(s.drops));
  t.one("flows_active", "gauge", "flows that sent data recently",
        static_cast<double>(s.flows_active));
  t.one("controllable_ratio", "gauge", "part of the bytes sent that can be controlled",
        s.controllable_ratio());
  if (c.scone)
    t.one("scone_advice_bytes_per_second", "gauge", "rate that SCONE packets advise; 0: none yet",
          scone_rate_bps(scone_signal(s)) / 8);
  put_outcome(t, outcome);
  put_counters(t, s);
  put_spared(t, s);
  return t.take();
}

void write_metrics(const std::string& text, const std::string& path) { NewFile(path).put(text); }

std::optional<Outcome> watch_outcome(const Snapshot& s) {
  if (!s.flows_active || s.state == State::kDegraded) return {};
  OutcomeWindow window;
  window.look(s);
  for (std::uint64_t waited_ns = 0; waited_ns < kNsPerS; waited_ns += kLookNs) {
    wait_ns(kLookNs);
    window.look(take_snapshot(s.device));
  }
  return window.outcome(paths_s_of(s.device, window.begin_ns()));
}

int serve_metrics(const std::string& name, int port) {
  Endpoint endpoint;
  endpoint.host = "127.0.0.1";
  endpoint.port = port;
  OutcomeWindow window;
  std::uint64_t asked_ns = 0;
  HttpServer server(listen_on(endpoint), "", [&](const HttpRequest&) {
    const Snapshot s = find_snapshot(name);
    const bool known = s.state == State::kLive || s.state == State::kObserve;
    asked_ns = clock_ns();
    return HttpAnswer{
        200, "text/plain; version=0.0.4",
        metrics_text(
            s, known ? window.outcome(paths_s_of(s.device, window.begin_ns())) : std::nullopt),
        false};
  });
  for (;;) {
    const bool watched = asked_ns && clock_ns() < asked_ns + kWatchedNs;
    server.poll_once(watched ? static_cast<int>(kLookNs / 1'000'000) : -1);
    if (watched) window.look(find_snapshot(name));
  }
}

}  // namespace penstock::gw
