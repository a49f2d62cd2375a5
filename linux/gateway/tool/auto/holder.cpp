// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/auto/holder.h"

#include <unistd.h>

#include <exception>
#include <future>
#include <utility>

#include "linux/gateway/tool/attach/attach.h"
#include "linux/gateway/tool/attach/offload.h"
#include "linux/gateway/tool/attach/pins.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/automatic.h"
#include "linux/gateway/tool/settings/down.h"
#include "linux/gateway/tool/view/rates.h"
#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

namespace {

// In a look; of fewer no part is known.
constexpr std::uint64_t kFewBytes = 20'000;

// What the other process still has to take away, as it was told.
void take_away(const std::string& interface, const std::array<bool, kWays>& attached) {
  for (const Way way : kBothWays) {
    if (!attached[way]) continue;
    try {
      const Descriptor turn = take_turn(Patience::kAlways);
      detach(find_device_or_pins(attachment_name(interface, way == kDown)), Release::kAtOnce);
    } catch (const std::exception&) {
      // Nobody is left to be told.
    }
  }
}

}  // namespace

Guard::Guard(const std::string& interface, const std::vector<std::string>& files)
    : survivor_([this](char told) { attached_[told & 1] = told & 2; },
                [this, &interface, &files] {
                  take_away(interface, attached_);
                  for (const std::string& file : files) unlink(file.c_str());
                }) {}

void Guard::tell(Way way, bool attached) const {
  survivor_.tell(static_cast<char>(way | (attached ? 2 : 0)));
}

Holder::Holder(const std::string& interface, const Settings& base, const Guard& guard)
    : interface_(interface), base_(base), guard_(guard) {
  for (const Way way : kBothWays) {
    sides_[way].name = attachment_name(interface, way == kDown);
    try {
      attach_side(way);
    } catch (const Error& error) {
      // One direction may be another's; without rights neither is ours.
      if (error.code == kPermission || error.code == kMissing || error.code == kUsage) throw;
      sides_[way].why_not = error.what();
      sides_[way].waits = Pins(find_device_or_pins(sides_[way].name)).attachment().has_value();
    }
  }
}

Holder::~Holder() {
  for (const Way way : kBothWays) {
    Side& side = sides_[way];
    if (!side.attached || !why_not(way).empty()) continue;
    try {
      const Descriptor turn = take_turn(Patience::kAlways);
      detach(find_device_or_pins(side.name), Release::kRamp);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "penstock-gw: %s\n", error.what());
    }
    guard_.tell(way, false);
  }
}

Settings Holder::settings(Way way, bool live) const {
  Settings s = automatic_settings(base_, way == kDown);
  s.observe = !live;
  return s;
}

void Holder::note(Side& side) {
  if (const auto a = Pins(find_device_or_pins(side.name)).attachment()) {
    side.since_ns = a->since_ns;
    side.revision = a->config.revision;
  }
}

void Holder::attach_side(Way way) {
  Side& side = sides_[way];
  const Descriptor turn = take_turn();
  make_way(side.name);
  const Device device = find_device(side.name);
  if (Pins(device).attachment())
    throw Error(kFailed, side.name +
                             " is attached by hand, or by penstock-gw run, and left alone until it "
                             "is detached");
  require_no_offload(device);
  guard_.tell(way, true);
  try {
    side.programs = {};
    attach(device, plan_on(device, settings(way, false)), &side.programs);
  } catch (...) {
    guard_.tell(way, false);
    throw;
  }
  side.attached = true;
  note(side);
}

// What stood there, such as that of a program that was held, is gone.
void Holder::take_over(Way way) {
  Side& side = sides_[way];
  if (Pins(find_device_or_pins(side.name)).attachment()) return;
  side.waits = false;
  try {
    attach_side(way);
    side.why_not.clear();
  } catch (const Error& error) {
    side.why_not = error.what();
  }
}

const std::string& Holder::why_not(Way way) {
  Side& side = sides_[way];
  if (side.waits) take_over(way);
  if (!side.why_not.empty() || !side.attached) return side.why_not;
  const auto a = Pins(find_device_or_pins(side.name)).attachment();
  if (!a)
    side.why_not = side.name + " was detached by hand, and is left alone";
  else if (a->since_ns != side.since_ns || a->config.revision != side.revision)
    side.why_not = side.name + " was changed by hand, and is left as it is";
  if (!side.why_not.empty()) guard_.tell(way, false);
  return side.why_not;
}

void Holder::set(Way way, bool live) {
  Side& side = sides_[way];
  const Device device = find_device_or_pins(side.name);
  change(device, plan_on(device, settings(way, live)), &side.programs);
  side.live = live;
  note(side);
}

std::optional<double> Holder::controllable(Way way) {
  Side& side = sides_[way];
  if (!side.attached || !side.why_not.empty()) return {};
  const gw_counts now = Pins(find_device_or_pins(side.name)).counters();
  const std::uint64_t all = now.value[GW_COUNT_forward_bytes],
                      controlled = now.value[GW_COUNT_forward_controlled_bytes];
  const std::uint64_t bytes = pst_sub_floor(all, std::exchange(side.bytes, all));
  const std::uint64_t held =
      pst_sub_floor(controlled, std::exchange(side.controlled_bytes, controlled));
  if (bytes < kFewBytes) return {};
  return static_cast<double>(held) / static_cast<double>(bytes);
}

bool Holder::knows(Way way) {
  const Side& side = sides_[way];
  if (!side.attached || !side.live || !side.why_not.empty()) return true;
  return !lacks_rate(take_snapshot(find_device_or_pins(side.name)));
}

void Holder::adopt(const Adopted& older) {
  for (const Way way : kBothWays) {
    Side& side = sides_[way];
    if (older[way].empty() || !side.attached || !why_not(way).empty()) continue;
    Pins(find_device_or_pins(side.name)).adopt(older[way]);
  }
}

void Holder::hold(const std::array<bool, kWays>& live) {
  std::vector<Way> changing;
  for (const Way way : kBothWays)
    if (sides_[way].live != live[way] && why_not(way).empty() && sides_[way].attached)
      changing.push_back(way);
  if (changing.empty()) return;
  const Descriptor turn = take_turn();
  std::vector<std::future<void>> running;
  for (const Way way : changing)
    running.push_back(std::async(std::launch::async, [this, way, &live] { set(way, live[way]); }));
  for (std::future<void>& one : running) one.get();
}

}  // namespace penstock::gw
