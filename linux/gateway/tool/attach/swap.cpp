// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/attach/swap.h"

#include <algorithm>

#include "core/describe.h"
#include "linux/common/clock.h"
#include "linux/gateway/tool/attach/hooks.h"
#include "linux/gateway/tool/attach/pins.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/settings.h"

namespace penstock::gw {

namespace {

constexpr std::uint64_t kLookNs = 20'000'000;
constexpr std::uint64_t kActiveNs = PST_NS_PER_S;
// A window doubles per round trip: this number opens it by 2^16, the whole field.
constexpr std::uint64_t kRampRtts = 16;
constexpr std::uint64_t kLeastNs = 200'000'000;
constexpr std::uint64_t kLongestNs = 5 * PST_NS_PER_S;

// The longest RTT of active flows with a reduced window, but of shapes that stay held; 0 if there
// are none.
std::uint64_t longest_reduced_rtt_ns(const Pins& pins, bool keeps_shapes) {
  const std::uint64_t now_ns = clock_ns();
  std::uint64_t longest_ns = 0;
  for (const auto& [key, flow] : pins.flows())
    if (flow.gateway.flow.ramp_bytes && !(keeps_shapes && flow.shape) &&
        flow.seen_ns + kActiveNs > now_ns)
      longest_ns =
          std::max({longest_ns, std::uint64_t{pst_rtt_get(&flow.gateway.rtt)}, std::uint64_t{1}});
  return longest_ns;
}

}  // namespace

void swap_program(const Device& device, const gw_attachment& a, const Program& program,
                  bool fresh) {
  const auto before = Pins(device).attachment();
  program.start(fresh);
  try {
    if (a.tcx)
      update_tcx(device, program.hooks());
    else
      attach_filters(as_attached(device, a), program.hooks());
  } catch (const Error&) {  // the old program goes on
    if (before) Pins(device).change_link(before->config);
    throw;
  }
  program.pin_settings(device.pins);
  Pins(device).set_attachment(a);
}

bool release_windows(const Device& device, gw_attachment a, Before what, LoadedPrograms& programs) {
  const Pins pins(device);
  const bool keeps = keeps_queue(a, what);
  const std::uint64_t rtt_ns = longest_reduced_rtt_ns(pins, keeps);
  if (!rtt_ns || a.config.gateway.observe) return false;
  if (keeps) {
    a.config.gateway.released = true;
  } else {
    a.config.variant = PST_VARIANT_DROPTAIL;
    pst_variant_config(&a.config.gateway, a.config.variant, a.config.limit_bytes);
    set_derived(a.config);
  }
  swap_program(device, a, programs.of(a.config, device.pins), !keeps);
  const std::uint64_t end_ns = clock_ns() + pst_clamp(kRampRtts * rtt_ns, kLeastNs, kLongestNs);
  while (longest_reduced_rtt_ns(pins, keeps) && clock_ns() < end_ns) {
    const timespec look = to_timespec(kLookNs);
    nanosleep(&look, nullptr);
  }
  return true;
}

}  // namespace penstock::gw
