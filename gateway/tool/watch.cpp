// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/tool/watch.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "gateway/common/clock.h"
#include "gateway/common/quantity.h"
#include "gateway/tool/error.h"
#include "gateway/tool/pins.h"
#include "gateway/tool/report.h"
#include "gateway/tool/settings.h"
#include "gateway/tool/snapshot.h"

namespace penstock::gw {

namespace {

constexpr std::size_t kFlowRows = 16;
constexpr int kBarCells = 40;

volatile std::sig_atomic_t stopped = 0;

void stop_on_signals() {
  struct sigaction action{};
  action.sa_handler = [](int) { stopped = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void wait(std::uint64_t ns) {
  const timespec span = to_timespec(ns);
  nanosleep(&span, nullptr);
}

Snapshot require_attached(const Device& device) {
  Snapshot s = take_snapshot(device);
  if (s.state == State::kOff) throw Error(kNotAttached, device.name + " is not attached");
  return s;
}

std::string bar(const Snapshot& s) {
  const std::uint64_t limit = s.attachment.config.limit_bytes;
  const auto full =
      static_cast<std::size_t>(pst_min(pst_mul_div(s.backlog_bytes, kBarCells, limit), kBarCells));
  return "[" + std::string(full, '#') + std::string(kBarCells - full, '.') + "]";
}

std::string rates(const Snapshot& before, const Snapshot& s, double seconds) {
  const auto delta = [&](int id) {
    return static_cast<double>(s.count(id) - before.count(id)) / seconds;
  };
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(),
                "  out %s   ACKs %.0f/s   rewritten %.0f/s   drops %.0f/s\n",
                round_rate(8 * static_cast<std::uint64_t>(delta(GW_COUNT_forward_bytes))).c_str(),
                delta(GW_COUNT_acks_seen), delta(GW_COUNT_acks_rewritten),
                static_cast<double>(s.drops - before.drops) / seconds);
  return text.data();
}

std::string flow_rows(const Device& device) {
  auto flows = Pins(device).flows();
  std::sort(flows.begin(), flows.end(),
            [](const auto& a, const auto& b) { return a.second.sent_bytes > b.second.sent_bytes; });
  std::string text =
      "  sender                    receiver                  sent       offered    window     "
      "decided by\n";
  for (std::size_t i = 0; i < std::min(flows.size(), kFlowRows); ++i) {
    const auto& [key, f] = flows[i];
    std::array<char, 200> row{};
    std::snprintf(
        row.data(), row.size(), "  %-25s %-25s %-10s %-10s %-10s %s\n",
        end_text(key.sender, key.sender_port).c_str(),
        end_text(key.receiver, key.receiver_port).c_str(), round_size(f.sent_bytes).c_str(),
        round_size(std::uint64_t{f.gateway.flow.field_in} << f.gateway.flow.scale).c_str(),
        round_size(std::uint64_t{f.gateway.flow.field_out} << f.gateway.flow.scale).c_str(),
        limit_name(f.limit));
    text += row.data();
  }
  if (flows.size() > kFlowRows)
    text += "  and " + std::to_string(flows.size() - kFlowRows) + " more\n";
  return text;
}

}  // namespace

int run_top(const Device& device, std::uint64_t interval_ns, std::uint64_t count) {
  stop_on_signals();
  const bool screen = isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
  Snapshot before = require_attached(device);
  for (std::uint64_t n = 0; !stopped && (!count || n < count); ++n) {
    wait(interval_ns);
    const Snapshot s = require_attached(device);
    const std::string text = status_text(s) + "  " + bar(s) + "\n" +
                             rates(before, s, static_cast<double>(interval_ns) / 1e9) +
                             flow_rows(device);
    std::printf("%s%s", screen ? "\033[H\033[2J" : "", text.c_str());
    std::fflush(stdout);
    before = s;
  }
  return kOk;
}

int run_monitor(const Device& device, std::uint64_t interval_ns, std::uint64_t count) {
  stop_on_signals();
  for (std::uint64_t n = 0; !stopped && (!count || n < count); ++n) {
    auto j = status_json(require_attached(device));
    j["time_ns"] = clock_ns(CLOCK_REALTIME);
    std::printf("%s\n", j.dump().c_str());
    std::fflush(stdout);
    wait(interval_ns);
  }
  return kOk;
}

}  // namespace penstock::gw
