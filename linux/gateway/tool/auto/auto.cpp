// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/auto/auto.h"

#include <cstdio>
#include <optional>

#include "linux/common/clock.h"
#include "linux/gateway/tool/auto/day.h"
#include "linux/gateway/tool/auto/holder.h"
#include "linux/gateway/tool/auto/machine.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"
#include "linux/gateway/tool/settings/automatic.h"
#include "linux/gateway/tool/view/report.h"
#include "linux/gateway/tool/where/adopt.h"
#include "linux/gateway/tool/where/where.h"

namespace penstock::gw {

namespace {

constexpr std::uint64_t kAutoLookNs = kNsPerS;
// Of the bytes that windows can hold, that a trial of them would show anything.
constexpr double kLeastPart = 0.25;

AutoLook look_of(const Passed& passed, Way way, const Beside& beside, const std::string& why_not,
                 const std::optional<double>& controllable) {
  AutoLook look;
  const Whereabouts found = whereabouts(passed, way, beside);
  look.may_hold = why_not.empty();
  look.stands = way == kDown ? found.queue == Queue::kBefore || found.queue == Queue::kOfOneFlow
                             : found.queue == Queue::kBehind;
  const Wait& wait = passed.waits[way == kDown ? kDataBefore : kDataBehind];
  if (wait.is_known()) look.wait_s = wait.mean_s;
  look.goodput_bps = passed.goodput_bps;
  look.flows = passed.flows;
  look.text = look.may_hold ? found.text : why_not;
  if (look.may_hold && look.stands && controllable.value_or(1) < kLeastPart) {
    look.stands = false;
    look.text +=
        " But nearly all of it is of connections that are older than auto, or has no window, and "
        "passes unchanged.";
  }
  return look;
}

Adopter adopter_of(const Device& device) {
  try {
    return adopter_on(device);
  } catch (const penstock::Error& error) {
    std::fprintf(stderr, "penstock-gw: auto: %s; connections that run already pass unchanged\n",
                 error.what());
    return {{}, 0};
  }
}

void tell(const AutoDecision& decision, bool json) {
  const std::string text = json ? decision_json(decision).dump() : decision_text(decision);
  std::puts(text.c_str());
  std::fflush(stdout);
}

}  // namespace

int run_auto(const Device& device, const Settings& base, bool json) {
  if (device.down)
    throw Error(kUsage, "auto looks at both directions of a device: name " + device.interface);
  require_automatic(base);
  stop_on_signals();
  Day day(device.interface);
  const Guard guard(device.interface, day.files());
  Watch watch(device);
  Holder holder(device.interface, base, guard);
  Adopter adopter = adopter_of(device);
  watch.also([&](const Packet& packet) { adopter.see(packet); });
  AutoMachine machine;
  day.write(machine, {});
  while (!is_stopped()) {
    const Reading reading = watch.read(kAutoLookNs);
    if (is_stopped()) break;
    AutoLooks looks;
    for (const Way way : kBothWays) {
      looks[way] = look_of(reading.ways[way], way, watch.beside(), holder.why_not(way),
                           holder.controllable(way));
      looks[way].knows = holder.knows(way);
    }
    for (const AutoDecision& decision : machine.take(looks, clock_ns(CLOCK_REALTIME))) {
      tell(decision, json);
      day.add(decision);
    }
    holder.adopt(adopter.take());
    holder.hold({machine.wants_live(kDown), machine.wants_live(kUp)});
    day.write(machine, reading);
  }
  return kOk;
}

}  // namespace penstock::gw
