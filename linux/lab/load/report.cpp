// SPDX-License-Identifier: GPL-2.0-only
#include "linux/lab/load/report.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace penstock::load {

using nlohmann::ordered_json;

namespace {

std::string hex(std::uint64_t checksum) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016" PRIx64, checksum);
  return text.data();
}

ordered_json state_json(const TcpState& state) {
  return {{"bytes_sent", state.bytes_sent},
          {"bytes_retransmitted", state.bytes_retransmitted},
          {"segments_sent", state.segments_sent},
          {"retransmissions", state.retransmissions},
          {"rtt_us", state.rtt_us},
          {"min_rtt_us", state.min_rtt_us},
          {"cwnd_segments", state.cwnd_segments},
          {"mss_bytes", state.mss_bytes},
          {"send_window_bytes", state.send_window_bytes},
          {"reorderings", state.reorderings}};
}

ordered_json flow_json(const Task& task) {
  const Flow& flow = task.flow();
  const Report& report = task.report();
  ordered_json j = {{"id", flow.id},
                    {"role", flow.sends ? "send" : "receive"},
                    {"kind", flow.is_udp ? "udp" : "tcp"},
                    {"started_ns", report.started_ns},
                    {"ended_ns", report.ended_ns},
                    {"bytes", report.bytes},
                    {"bytes_at_mark", report.bytes_at_mark},
                    {"packets", report.packets},
                    {"packets_at_mark", report.packets_at_mark},
                    {"checksum", hex(report.checksum)},
                    {"intact", report.intact},
                    {"error", report.error}};
  if (report.state) j["tcp"] = state_json(*report.state);
  if (report.state_at_mark) j["tcp_at_mark"] = state_json(*report.state_at_mark);
  return j;
}

double goodput_mbps(const Task& task, std::uint64_t end_ns) {
  const Report& report = task.report();
  if (report.started_ns < 0) return 0;
  const std::int64_t last =
      report.ended_ns >= 0 ? report.ended_ns : static_cast<std::int64_t>(end_ns);
  const auto span_ns = static_cast<double>(std::max<std::int64_t>(last - report.started_ns, 1));
  return static_cast<double>(report.bytes) * 8e3 / span_ns;
}

}  // namespace

bool has_failed(const Outcome& outcome) {
  return std::any_of(outcome.tasks.begin(), outcome.tasks.end(), [](const auto& task) {
    return !task->report().error.empty() || !task->report().intact;
  });
}

std::string report_json(const Outcome& outcome) {
  ordered_json flows = ordered_json::array(), samples = ordered_json::array();
  for (const auto& task : outcome.tasks) flows.push_back(flow_json(*task));
  for (const Sample& sample : outcome.samples)
    samples.push_back({sample.time_ns, sample.flow,
                       std::uint64_t{sample.state.cwnd_segments} * sample.state.mss_bytes,
                       sample.state.send_window_bytes, sample.state.bytes_sent});
  const ordered_json report = {{"epoch_ns", outcome.epoch_ns},
                               {"end_ns", outcome.end_ns},
                               {"flows", std::move(flows)},
                               {"samples", std::move(samples)}};
  return report.dump();
}

std::string report_text(const Outcome& outcome) {
  double total = 0;
  std::string text;
  for (const auto& task : outcome.tasks) {
    const Report& report = task->report();
    const double rate = goodput_mbps(*task, outcome.end_ns);
    total += rate;
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(),
                  "flow %" PRIu64 ": %" PRIu64 " bytes, %.3f Mbit/s, checksum %016" PRIx64,
                  task->flow().id, report.bytes, rate, report.checksum);
    text += line.data();
    if (report.state)
      text += ", " + std::to_string(report.state->retransmissions) + " retransmissions";
    if (!report.intact) text += ", CONTENT CHANGED ON THE WAY";
    if (!report.error.empty()) text += ", failed: " + report.error;
    text += "\n";
  }
  std::array<char, 48> line{};
  std::snprintf(line.data(), line.size(), "all: %.3f Mbit/s", total);
  return text + line.data();
}

}  // namespace penstock::load
