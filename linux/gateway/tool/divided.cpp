// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/divided.h"

#include "linux/common/quantity.h"
#include "linux/gateway/tool/passive.h"

namespace penstock::gw {

namespace {

// A rate that was told counts as known for a second, longer than most averages; a slower link's
// may differ only by its value.
bool is_measured(const Snapshot& s) {
  const gw_config& c = s.attachment.config;
  const pst_departure_rate& departures = s.shared.gateway.departures;
  if (c.gateway.auto_rate) return c.gateway.passive || departures.known_ns;
  return departures.known_ns < PST_NS_PER_S || departures.bytes_per_s != c.rate_bytes_per_s;
}

}  // namespace

std::optional<DividedRate> divided_rate(const Snapshot& s) {
  const gw_config& c = s.attachment.config;
  if (!pst_discipline_measures(c.gateway.discipline) || lacks_rate(s)) return std::nullopt;
  const pst_departure_rate& departures = s.shared.gateway.departures;
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
  const char* source = rate->measured ? (c.gateway.passive ? "known from ACKs"
                                                           : "measured from what leaves the queue")
                       : c.gateway.auto_rate ? "assumed until packets wait in the queue"
                       : c.measures          ? "as told, until packets wait in the queue"
                                             : "as told";
  return round_rate(8 * rate->bytes_per_s) + ", " + source;
}

}  // namespace penstock::gw
