// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/where/suspect.h"

#include "linux/common/clock.h"
#include "linux/common/quantity.h"
#include "linux/common/shell.h"
#include "linux/gateway/tool/attach/routes.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"
#include "linux/gateway/tool/view/elsewhere.h"
#include "linux/gateway/tool/where/where.h"

namespace penstock::gw {

namespace {

constexpr std::uint64_t kWatchNs = 3 * kNsPerS;
constexpr std::uint64_t kGlanceNs = kNsPerS / 4;
constexpr std::uint64_t kGlanceBytes = 30'000;  // in a glance
constexpr double kOfLine = 0.95;              // as docs/operator/choose.md has it

bool passes_data(const Device& device) {
  const std::uint64_t before = take_snapshot(device).count(GW_COUNT_forward_bytes);
  wait_ns(kGlanceNs);
  return take_snapshot(device).count(GW_COUNT_forward_bytes) - before >= kGlanceBytes;
}

// The device by which data comes in that leaves by another.
std::string outside_name() {
  try {
    return default_device();
  } catch (const Error&) {
    return "DEVICE";
  }
}

std::string leaving(double bps) { return round_rate(static_cast<std::uint64_t>(bps)); }

// As an argument.
std::string rate_word(double bps) {
  return std::to_string(static_cast<std::uint64_t>(bps / 1000)) + "kbit";
}

Finding beyond(const Snapshot& s, double rate_bps) {
  const std::string name = shell_word(s.device.name);
  const std::string passive = "penstock-gw attach " + name + " --rate auto --source passive";
  const std::string what = "data waits " + round_time(far_wait_ns(s)) + " beyond " + s.device.name +
                           ", in the modem or further down, and " + round_time(own_wait_ns(s)) +
                           " in its queue; " + leaving(rate_bps) + " leave";
  if (s.is_measured())
    return {Finding::kProblem, what, "detach it, and " + passive + " holds that queue"};
  return {Finding::kProblem, what + ", at a rate set to " + round_rate(8 * s.line_bytes_per_s()),
          "penstock-gw set " + name + " --rate " + rate_word(kOfLine * rate_bps) +
              " is 95 % of what the line carries; or detach it, and " + passive +
              " measures the line"};
}

Finding upstream(const Snapshot& s, double wait_s, double rate_bps) {
  const bool passive = s.attachment.config.gateway.passive;
  const std::string down =
      "penstock-gw attach " + shell_word(outside_name()) + " --down holds it with no rate";
  const std::string lower = "penstock-gw set " + shell_word(s.device.name) + " --rate " +
                            rate_word(kOfLine * rate_bps) + " is 95 % of what the line carries";
  return {Finding::kProblem,
          "data waits " + round_time(static_cast<std::uint64_t>(1e9 * wait_s)) +
              " or more before it leaves by " + s.device.name + ", at the provider's side; " +
              leaving(rate_bps) + " leave" +
              (passive ? ", and --source passive sees nothing of that queue"
                       : ", at a rate set to " + round_rate(8 * s.line_bytes_per_s())),
          passive ? down : lower + "; or " + down};
}

}  // namespace

std::vector<Finding> examine_waits(const Device& device) {
  const Snapshot s = take_snapshot(device);
  if ((s.state != State::kLive && s.state != State::kObserve) || s.device.down ||
      !passes_data(device))
    return {};
  try {
    Watch watch(device);
    const Passed passed = watch.read(kWatchNs).ways[kUp];
    const Snapshot now = take_snapshot(device);
    const Wait& before = passed.waits[kDataBefore];
    // The queue may have been shorter for a moment.
    for (const Snapshot& one : {now, s})
      if (far_wait_ns(one) > own_wait_ns(one)) return {beyond(one, passed.rate_bps)};
    if (now.attachment.config.outside && stands(before, false))
      return {upstream(now, before.mean_s, passed.rate_bps)};
  } catch (const Error& error) {
    if (far_wait_ns(s) > own_wait_ns(s))
      return {{Finding::kProblem, s.warning(), std::string("to measure, ") + error.what()}};
  }
  return {};
}

}  // namespace penstock::gw
