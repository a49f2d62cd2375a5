// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/scone.h"

#include <cmath>

#include "linux/common/quantity.h"

namespace penstock::gw {

namespace {

constexpr double kBaseBps = 100'000;

}  // namespace

std::uint32_t scone_signal(const Snapshot& s) {
  const std::uint64_t bps = pst_scone_advice_bps(&s.shared.scone, s.rate_bytes_per_s());
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

}  // namespace penstock::gw
