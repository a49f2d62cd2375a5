// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/rates.h"

#include <cmath>

#include "linux/common/quantity.h"

namespace penstock::gw {

namespace {

// A rate that was told counts as known for a second, longer than most averages; a slower link's
// may differ only by its value.
bool is_measured(const Snapshot& s) {
  const gw_config& c = s.attachment.config;
  const pst_departure_rate& departures = s.shared.port.state.departures;
  if (c.gateway.auto_rate) return pst_gateway_is_elsewhere(&c.gateway) || departures.known_ns;
  return departures.known_ns < PST_NS_PER_S || departures.bytes_per_s != c.rate_bytes_per_s;
}

}  // namespace

std::optional<DividedRate> divided_rate(const Snapshot& s) {
  const gw_config& c = s.attachment.config;
  if (!pst_discipline_measures(c.gateway.discipline) || lacks_rate(s)) return std::nullopt;
  const pst_departure_rate& departures = s.shared.port.state.departures;
  if (!c.gateway.auto_rate && !(c.measures && departures.seen_ns))
    return DividedRate{c.rate_bytes_per_s, false};
  return DividedRate{departures.bytes_per_s, is_measured(s)};
}

void put_divided(const Snapshot& s, nlohmann::ordered_json& j) {
  const auto rate = divided_rate(s);
  if (!rate) return;
  j["divided_rate_bps"] = rate->bytes_per_s * 8;
  j["divided_rate_measured"] = rate->measured;
}

std::string divided_text(const Snapshot& s) {
  const auto rate = divided_rate(s);
  if (!rate) return "";
  const gw_config& c = s.attachment.config;
  const char* source = rate->measured
                           ? (c.gateway.passive    ? "known from ACKs"
                              : c.gateway.upstream ? "known from what comes in"
                                                   : "measured from what leaves the queue")
                       : c.gateway.auto_rate ? "assumed until packets wait in the queue"
                       : c.measures          ? "as told, until packets wait in the queue"
                                             : "as told";
  return round_rate(8 * rate->bytes_per_s) + ", " + source;
}

namespace {

constexpr double kBaseBps = 100'000;

}  // namespace

std::uint32_t scone_signal(const Snapshot& s) {
  const std::uint64_t bps = pst_scone_advice_bps(&s.shared.port.scone, s.rate_bytes_per_s());
  return bps ? pst_scone_signal_of(bps) : PST_SCONE_UNKNOWN;
}

double scone_rate_bps(std::uint32_t signal) {
  if (signal > PST_SCONE_MOST) return 0;
  return kBaseBps * std::pow(10.0, static_cast<double>(signal) / PST_SCONE_STEPS_OF_DECADE);
}

std::string scone_text(const Snapshot& s) {
  const std::uint32_t signal = scone_signal(s);
  const std::string what =
      signal == PST_SCONE_UNKNOWN
          ? "no advice before " + round_time(PST_SCONE_PERIOD_NS) + " of traffic were seen"
          : round_rate(static_cast<std::uint64_t>(scone_rate_bps(signal))) + " (signal " +
                std::to_string(signal) + ")";
  const std::string would = s.attachment.config.gateway.observe ? "would be in " : "in ";
  return what + ", " + would + std::to_string(s.count(GW_COUNT_scone_advised)) + " of " +
         std::to_string(s.count(GW_COUNT_scone_packets)) + " SCONE packets";
}

namespace {

constexpr std::uint64_t kQuietNs = 2 * PST_NS_PER_S;

// In whole seconds.
std::string seconds(std::uint64_t ns) {
  return std::to_string((ns + PST_NS_PER_S - 1) / PST_NS_PER_S) + " s";
}

}  // namespace

bool lacks_rate(const Snapshot& s) {
  return pst_gateway_is_blind(&s.attachment.config.gateway, &s.shared.port.state);
}

std::optional<double> queue_wait_s(const Snapshot& s) {
  const std::uint64_t rate = s.rate_bytes_per_s();
  if (lacks_rate(s) || !rate) return {};
  return static_cast<double>(s.backlog_bytes) / static_cast<double>(rate);
}

namespace {

// Why the bottleneck is not known; empty if it is.
std::string unknown_because(const Snapshot& s) {
  const pst_hidden_queue& h = s.shared.port.state.hidden;
  const std::uint64_t now_ns = s.taken_ns;
  if (!lacks_rate(s)) return "";
  if (now_ns < h.doubted_ns)
    return "smaller windows reduced the rate but not the delay, which has another cause, such as "
           "a longer path or a queue on the way back; measured again in " +
           seconds(h.doubted_ns - now_ns);
  if (!h.trip_ns) return "too little traffic: no data was acknowledged yet";
  if (const std::uint64_t quiet_ns = pst_sub_floor(now_ns, h.trip_ns); quiet_ns > kQuietNs)
    return "too little traffic: no data was acknowledged for " + seconds(quiet_ns);
  if (!h.stands_ns) return "too little traffic: no queue stands further down";
  return "a queue stands further down, but not for long enough to tell its rate";
}

}  // namespace

nlohmann::ordered_json passive_json(const Snapshot& s) {
  const std::string reason = unknown_because(s);
  nlohmann::ordered_json j{{"known", reason.empty()}, {"reason", reason}};
  j["rate_bps"] = reason.empty() ? 8 * s.rate_bytes_per_s() : 0;
  j["queue_bytes"] = reason.empty() ? s.backlog_bytes : 0;
  return j;
}

std::string passive_rate_text(const Snapshot& s) {
  const std::string reason = unknown_because(s);
  if (!reason.empty()) return "unknown, so all passes unchanged: " + reason;
  return round_rate(8 * s.rate_bytes_per_s()) + ", known from ACKs (auto, passive)";
}

std::string passive_queue_text(const Snapshot& s) {
  if (lacks_rate(s)) return "unknown, further down";
  return round_size(s.backlog_bytes) + ", further down, known from ACKs";
}

}  // namespace penstock::gw
