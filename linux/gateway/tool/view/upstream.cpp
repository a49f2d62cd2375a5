// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/upstream.h"

#include "linux/common/quantity.h"

namespace penstock::gw {

namespace {

constexpr std::uint64_t kEnoughDataBytes = 1'000'000;
// A told rate may be above what is measured of the line by the error of the measurement.
constexpr double kAboveLine = 1.02;
// The part of data without timestamps that leaves nothing to go by.
constexpr double kNearlyAll = 0.9;

const pst_upstream_queue& upstream_of(const Snapshot& s) { return s.shared.port.state.upstream; }

// What data waits before the device.
std::uint64_t waited_ns(const Snapshot& s) {
  return pst_upstream_now_ns(&upstream_of(s), s.taken_ns);
}

std::uint64_t line_bps(const Snapshot& s) { return 8 * s.shared.port.state.departures.bytes_per_s; }

bool is_told(const Snapshot& s) { return !s.attachment.config.gateway.upstream; }

// In whole seconds.
std::string whole_seconds(std::uint64_t ns) {
  return std::to_string((ns + PST_NS_PER_S - 1) / PST_NS_PER_S) + " s";
}

bool lacks_stamps(const Snapshot& s) {
  const auto all = static_cast<double>(s.count(GW_COUNT_data_bytes));
  return s.count(GW_COUNT_data_bytes) > kEnoughDataBytes &&
         static_cast<double>(s.count(GW_COUNT_unstamped_bytes)) > kNearlyAll * all;
}

// Data of TCP comes in, and no handshake was seen in both directions.
bool lacks_acks(const Snapshot& s) {
  return s.count(GW_COUNT_forward_tcp_bytes) > kEnoughDataBytes &&
         !s.count(GW_COUNT_flows_opened) &&
         s.count(GW_COUNT_reverse_packets) < s.count(GW_COUNT_forward_packets) / 20;
}

// Why the queue is not known; empty if it is.
std::string unknown_upstream(const Snapshot& s) {
  const pst_upstream_queue& u = upstream_of(s);
  if (pst_upstream_is_known(&u)) return "";
  if (s.taken_ns < u.doubted_ns)
    return "smaller windows reduced the rate but not what data waits, as where others fill the "
           "line or the path has become longer; looked at again in " +
           whole_seconds(u.doubted_ns - s.taken_ns);
  if (lacks_stamps(s)) return "data carries no timestamps";
  if (!u.said_ns) return "too little traffic: no data with timestamps came in yet";
  return "too little traffic: no queue stands before the device";
}

}  // namespace

nlohmann::ordered_json upstream_json(const Snapshot& s) {
  const std::string reason = unknown_upstream(s);
  nlohmann::ordered_json j{{"known", reason.empty()}, {"reason", reason}};
  j["rate_bps"] = reason.empty() ? line_bps(s) : 0;
  j["wait_ns"] = waited_ns(s);
  j["queue_bytes"] =
      reason.empty()
          ? pst_upstream_bytes(&upstream_of(s), &s.shared.port.state.departures, s.taken_ns)
          : 0;
  return j;
}

std::string upstream_rate_text(const Snapshot& s) {
  const std::string reason = unknown_upstream(s);
  if (!reason.empty()) return "unknown, so all passes unchanged: " + reason;
  return round_rate(line_bps(s)) + ", known from what comes in (auto, upstream)";
}

std::string upstream_queue_text(const Snapshot& s) {
  if (!pst_upstream_is_known(&upstream_of(s))) return "unknown, before the device";
  return round_size(s.backlog_bytes) + ", before the device, known from timestamps";
}

std::string down_warning(const Snapshot& s) {
  if (!s.attachment.config.down) return "";
  const std::string& device = s.device.interface;
  if (lacks_acks(s))
    return "the ACKs of what comes in by " + device +
           " leave elsewhere, so nothing is held: attach where both directions pass";
  if (is_told(s)) {
    const std::uint64_t told_bps = 8 * s.attachment.config.line_bytes_per_s;
    if (!pst_upstream_is_known(&upstream_of(s)) ||
        static_cast<double>(told_bps) <= kAboveLine * static_cast<double>(line_bps(s)))
      return "";
    return "the rate of " + round_rate(told_bps) + " is above the line's, of which " +
           round_rate(line_bps(s)) + " come in while data waits before " + device +
           ": set a lower --rate, or --rate auto";
  }
  if (!pst_upstream_is_known(&upstream_of(s)) && lacks_stamps(s))
    return "data that comes in by " + device +
           " carries no timestamps (RFC 7323), so nothing is held: turn them on at the hosts, or "
           "set a --rate";
  return "";
}

}  // namespace penstock::gw
