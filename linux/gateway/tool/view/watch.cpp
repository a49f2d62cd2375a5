// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/watch.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "linux/common/clock.h"
#include "linux/common/quantity.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"
#include "linux/gateway/tool/settings/settings.h"
#include "linux/gateway/tool/view/report.h"
#include "linux/gateway/tool/view/senders.h"
#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

namespace {

constexpr std::size_t kFlowRows = 16;
constexpr int kBarCells = 40;

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
    return static_cast<double>(pst_sub_floor(s.count(id), before.count(id))) / seconds;
  };
  const bool observes = s.attachment.config.gateway.observe;
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), "  out %s   ACKs %.0f/s   %s %.0f/s   %s %.0f/s\n",
                round_rate(8 * static_cast<std::uint64_t>(delta(GW_COUNT_forward_bytes))).c_str(),
                delta(GW_COUNT_acks_seen), observes ? "would rewrite" : "rewritten",
                delta(GW_COUNT_acks_rewritten), s.would_drop() ? "would drop" : "drops",
                static_cast<double>(pst_sub_floor(s.drops, before.drops)) / seconds);
  return text.data();
}

std::string rows_text(const std::vector<Sender>& rows, double seconds) {
  std::array<char, 240> row{};
  const auto put = [&](const char* sender, const char* receiver, const std::string& rate,
                       const std::string& sent, const std::string& offered,
                       const std::string& window, const char* limit) {
    std::snprintf(row.data(), row.size(), "  %-25s %-25s %-13s %-10s %-10s %-10s %s\n", sender,
                  receiver, rate.c_str(), sent.c_str(), offered.c_str(), window.c_str(), limit);
    return std::string(row.data());
  };
  std::string text = put("sender", "receiver", "rate", "sent", "offered", "window", "decided by");
  for (const auto& [key, f, new_bytes] : std::span(rows).first(std::min(rows.size(), kFlowRows))) {
    const pst_flow& flow = f.gateway.flow;
    text +=
        put(end_text(key.sender, key.sender_port).c_str(),
            end_text(key.receiver, key.receiver_port).c_str(),
            round_rate(static_cast<std::uint64_t>(8 * static_cast<double>(new_bytes) / seconds)),
            round_size(f.sent_bytes), round_size(std::uint64_t{flow.field_in} << flow.scale),
            round_size(std::uint64_t{flow.field_out} << flow.scale), limit_name(f.limit));
  }
  if (rows.size() > kFlowRows)
    text += "  and " + std::to_string(rows.size() - kFlowRows) + " more\n";
  return text;
}

}  // namespace

int run_top(const Device& device, std::uint64_t interval_ns, std::uint64_t count) {
  stop_on_signals();
  const bool screen = isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
  Snapshot before = require_attached(device);
  std::uint64_t looked_ns = clock_ns();
  Senders senders;
  senders.look(device);
  for (std::uint64_t n = 0; !is_stopped() && (!count || n < count); ++n) {
    wait_ns(interval_ns);
    const Snapshot s = require_attached(device);
    const std::uint64_t now_ns = clock_ns();
    const double seconds = static_cast<double>(now_ns - looked_ns) / 1e9;
    looked_ns = now_ns;
    const std::string text = status_text(s) + "  " + bar(s) + "\n" + rates(before, s, seconds) +
                             rows_text(senders.look(device), seconds);
    std::printf("%s%s", screen ? "\033[H\033[2J" : "", text.c_str());
    std::fflush(stdout);
    before = s;
  }
  return kOk;
}

int run_monitor(const Device& device, std::uint64_t interval_ns, std::uint64_t count) {
  stop_on_signals();
  for (std::uint64_t n = 0; !is_stopped() && (!count || n < count); ++n) {
    auto j = status_json(require_attached(device));
    j["time_ns"] = clock_ns(CLOCK_REALTIME);
    std::fputs(json_text(j).c_str(), stdout);
    std::fflush(stdout);
    wait_ns(interval_ns);
  }
  return kOk;
}

}  // namespace penstock::gw
