// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/load/report.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace penstock::load {
namespace {

void print_number(const char* key, std::uint64_t value) {
  std::printf(", \"%s\": %" PRIu64, key, value);
}

// A text of our own or from strerror(): only quotes and backslashes need care.
void print_string(const char* key, const std::string& value) {
  std::printf(", \"%s\": \"", key);
  for (const char c : value) std::printf(c == '"' || c == '\\' ? "\\%c" : "%c", c);
  std::printf("\"");
}

void print_state(const char* key, const TcpState& state) {
  std::printf(", \"%s\": {\"bytes_sent\": %" PRIu64, key, state.bytes_sent);
  print_number("bytes_retransmitted", state.bytes_retransmitted);
  print_number("segments_sent", state.segments_sent);
  print_number("retransmissions", state.retransmissions);
  print_number("rtt_us", state.rtt_us);
  print_number("min_rtt_us", state.min_rtt_us);
  print_number("cwnd_segments", state.cwnd_segments);
  print_number("mss_bytes", state.mss_bytes);
  print_number("send_window_bytes", state.send_window_bytes);
  print_number("reorderings", state.reorderings);
  std::printf("}");
}

void print_flow(const Task& task) {
  const Flow& flow = task.flow();
  const Report& report = task.report();
  std::printf("{\"id\": %" PRIu64, flow.id);
  print_string("role", flow.sends ? "send" : "receive");
  print_string("kind", flow.is_udp ? "udp" : "tcp");
  std::printf(", \"started_ns\": %" PRId64 ", \"ended_ns\": %" PRId64, report.started_ns,
              report.ended_ns);
  print_number("bytes", report.bytes);
  print_number("bytes_at_mark", report.bytes_at_mark);
  print_number("packets", report.packets);
  print_number("packets_at_mark", report.packets_at_mark);
  std::printf(", \"checksum\": \"%016" PRIx64 "\", \"intact\": %s", report.checksum,
              report.intact ? "true" : "false");
  print_string("error", report.error);
  if (report.state) print_state("tcp", *report.state);
  if (report.state_at_mark) print_state("tcp_at_mark", *report.state_at_mark);
  std::printf("}");
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

void print_json(const Outcome& outcome) {
  std::printf("{\"epoch_ns\": %" PRIu64 ", \"end_ns\": %" PRIu64 ", \"flows\": [", outcome.epoch_ns,
              outcome.end_ns);
  const char* comma = "";
  for (const auto& task : outcome.tasks) {
    std::printf("%s", comma);
    print_flow(*task);
    comma = ", ";
  }
  std::printf("], \"samples\": [");
  comma = "";
  for (const Sample& sample : outcome.samples) {
    std::printf("%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu32 "]", comma, sample.time_ns,
                sample.flow, std::uint64_t{sample.state.cwnd_segments} * sample.state.mss_bytes,
                sample.state.send_window_bytes);
    comma = ", ";
  }
  std::printf("]}\n");
}

void print_text(const Outcome& outcome) {
  double total = 0;
  for (const auto& task : outcome.tasks) {
    const Report& report = task->report();
    const double rate = goodput_mbps(*task, outcome.end_ns);
    total += rate;
    std::printf("flow %" PRIu64 ": %" PRIu64 " bytes, %.3f Mbit/s, checksum %016" PRIx64,
                task->flow().id, report.bytes, rate, report.checksum);
    if (report.state) std::printf(", %" PRIu64 " retransmissions", report.state->retransmissions);
    if (!report.intact) std::printf(", CONTENT CHANGED ON THE WAY");
    if (!report.error.empty()) std::printf(", failed: %s", report.error.c_str());
    std::printf("\n");
  }
  std::printf("all: %.3f Mbit/s\n", total);
}

}  // namespace penstock::load
