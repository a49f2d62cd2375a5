// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/passive.h"

#include "linux/common/quantity.h"
#include "linux/gateway/tool/words.h"

namespace penstock::gw {

namespace {

// A modem's queue is rarely shorter, and the target does not follow it.
constexpr std::uint64_t kUsualBufferBytes = 200'000;
constexpr std::uint64_t kQuietNs = 2 * PST_NS_PER_S;

// In whole seconds.
std::string seconds(std::uint64_t ns) {
  return std::to_string((ns + PST_NS_PER_S - 1) / PST_NS_PER_S) + " s";
}

}  // namespace

bool is_passive(const Settings& s) { return s.source == "passive"; }

void set_passive_rate(const Settings& s, gw_config& c) {
  if (*s.rate != "auto")
    refuse("source",
           "passive measures the rate: give --rate auto, or --source virtual beside a rate "
           "that is known");
  if (s.queue.value_or("existing") != "existing")
    refuse("queue", "passive measures a queue further down: leave --queue install out");
  if (s.traffic_class)
    refuse("class", "passive measures all that leaves the device, not a class of it");
  if (s.overhead) refuse("overhead", "is that of a given rate; passive measures bytes of IP");
  if (s.scone.value_or("off") != "off")
    refuse("scone", "advises a share of a rate, and passive may not know one: leave it off");
  c.rate_bytes_per_s = PST_DEPARTURE_FIRST_BYTES_PER_S;
  c.line_bytes_per_s = c.rate_bytes_per_s;
  c.limit_bytes = kUsualBufferBytes;
}

void require_passive_method(const Settings& s, const gw_config& c) {
  if (s.buffer || c.gateway.law == PST_LAW_PENSTOCK) return;
  refuse("buffer",
         std::string("is missing: ") + pst_variant_rows[c.variant].name +
             " aims at a part of it; give about that of the queue further down, such as 200kB");
}

bool lacks_rate(const Snapshot& s) {
  return s.attachment.config.gateway.passive && !pst_hidden_is_known(&s.shared.gateway.hidden);
}

namespace {

// Why the bottleneck is not known; empty if it is.
std::string unknown_because(const Snapshot& s) {
  const pst_hidden_queue& h = s.shared.gateway.hidden;
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
