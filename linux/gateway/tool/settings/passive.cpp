// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/passive.h"

#include "linux/gateway/tool/settings/words.h"

namespace penstock::gw {

namespace {

// A modem's or a provider's queue is rarely shorter, and the target does not follow it.
constexpr std::uint64_t kUsualBufferBytes = 200'000;

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
  assume_elsewhere(c);
}

void assume_elsewhere(gw_config& c) {
  c.rate_bytes_per_s = PST_DEPARTURE_FIRST_BYTES_PER_S;
  c.line_bytes_per_s = c.rate_bytes_per_s;
  c.limit_bytes = kUsualBufferBytes;
}

void require_passive_method(const Settings& s, const gw_config& c) {
  if (s.buffer || c.gateway.law == PST_LAW_PENSTOCK) return;
  refuse("buffer",
         std::string("is missing: ") + pst_variant_rows[c.variant].name +
             " aims at a part of it; give about that of the queue elsewhere, such as 200kB");
}

}  // namespace penstock::gw
