// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/elsewhere.h"

#include "linux/common/quantity.h"
#include "linux/common/shell.h"
#include "linux/gateway/tool/attach/pins.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/down.h"

namespace penstock::gw {

namespace {

// Far more comes in than leaves.
constexpr std::uint64_t kEnoughBytes = 10'000'000, kTimes = 4;

bool is_attached(const std::string& name) {
  try {
    return Pins(find_device_or_pins(name)).attachment().has_value();
  } catch (const Error&) {
    return false;
  }
}

// What waits before the device is not seen from here.
std::string passive_warning(const Snapshot& s) {
  const std::string& device = s.device.interface;
  return "what leaves by " + device +
         " comes from another network, and a queue of it stands before this machine, where "
         "--source passive sees nothing: attach --down to the device that it comes in by. The "
         "rate is of what is behind " +
         device;
}

}  // namespace

std::uint64_t far_wait_ns(const Snapshot& s) {
  const gw_config& c = s.attachment.config;
  if (c.down || pst_gateway_is_elsewhere(&c.gateway)) return 0;
  return pst_far_wait_now_ns(&s.shared.far, s.taken_ns);
}

std::uint64_t own_wait_ns(const Snapshot& s) {
  return pst_rtt_departure_ns(0, s.backlog_bytes, s.rate_bytes_per_s());
}

std::string elsewhere_warning(const Snapshot& s) {
  const gw_config& c = s.attachment.config;
  if (c.gateway.passive) return c.outside ? passive_warning(s) : "";
  const std::uint64_t far_ns = far_wait_ns(s);
  if (far_ns <= own_wait_ns(s)) return "";
  const std::string rate = round_rate(8 * s.line_bytes_per_s());
  return "data waits " + round_time(far_ns) + " further down and " + round_time(own_wait_ns(s)) +
         " in this queue, so " +
         (s.is_measured() ? "the bottleneck is not this device"
                          : "the rate of " + rate + " is above what is there") +
         ": penstock-gw doctor " + shell_word(s.device.name) + " says what to do";
}

std::string not_held_text(const Snapshot& s) {
  const std::uint64_t in = s.count(GW_COUNT_reverse_bytes);
  const std::string& device = s.device.interface;
  if (s.attachment.config.down || s.attachment.acks_ifindex || in <= kEnoughBytes ||
      in <= kTimes * s.count(GW_COUNT_forward_bytes) || is_attached(attachment_name(device, true)))
    return "";
  return round_size(in) + " that came in by " + device + ": penstock-gw attach " +
         shell_word(device) + " --down holds what comes in";
}

}  // namespace penstock::gw
