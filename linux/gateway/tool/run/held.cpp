// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/run/held.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <utility>

#include "linux/gateway/tool/attach/attach.h"
#include "linux/gateway/tool/attach/offload.h"
#include "linux/gateway/tool/attach/pins.h"
#include "linux/gateway/tool/attach/routes.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/new_file.h"
#include "linux/gateway/tool/shapes/shape.h"
#include "linux/gateway/tool/shapes/table.h"

namespace penstock::gw {

namespace {

constexpr const char* kRoom = "16";
constexpr std::uint64_t kSeenBytes = 50'000;  // that would have had timestamps among them

// Which attachment is `run`'s own, by the time at which it was made.
std::string owner_file(const Device& device) { return runtime_path("run-" + device.name); }

bool is_own(const Device& device, const gw_attachment& attachment) {
  std::uint64_t since_ns = 0;
  std::ifstream(owner_file(device)) >> since_ns;
  return since_ns == attachment.since_ns;
}

void attach_for_shapes(const Device& device) {
  Settings s;
  s.shapes = kRoom;
  s.queue = "existing";
  if (device.down) {
    s.observe = true;  // which shapes beside a line that is measured do not
  } else {
    s.rate = kAboveEveryLine;
    s.source = "virtual";
  }
  require_no_offload(device);
  if (device.down) require_route(device);
  attach(device, plan_on(device, s));
  const auto made = Pins(device).attachment();
  make_runtime_folder();
  NewFile(owner_file(device)).put(std::to_string(made ? made->since_ns : 0) + "\n");
}

}  // namespace

HeldGroup::HeldGroup(std::vector<HeldWay> ways) : ways_(std::move(ways)) {
  name_ = "penstock-run-" + std::to_string(getpid());
  // Below this process' own, so that who ends that, as systemd does, ends the program too.
  cgroup_.path = (std::filesystem::path(own_cgroup()) / name_).native();
  if (mkdir(cgroup_.path.c_str(), 0755)) throw system_error("cannot make " + cgroup_.path, errno);
  try {
    cgroup_ = find_cgroup(cgroup_.path);
  } catch (...) {
    rmdir(cgroup_.path.c_str());
    throw;
  }
}

void HeldGroup::hold() {
  for (HeldWay& way : ways_) hold(way);
}

bool HeldGroup::is_held(const HeldWay& way) const {
  const Device device = find_device_or_pins(way.attachment);
  const auto attachment = Pins(device).attachment();
  if (!attachment || !attachment->config.max_shapes) return false;
  for (const auto& [id, shape] : ShapeTable(device).all())
    if (shape.name() == name_) return true;
  return false;
}

// Without timestamps nothing says what data waits.
void HeldGroup::tell_blind(HeldWay& way) const {
  const Device device = find_device_or_pins(way.attachment);
  if (Pins(device).shared().port.state.upstream.said_ns) return;
  for (const auto& [id, shape] : ShapeTable(device).all()) {
    if (shape.name() != name_ || shape.value.shared.counts.bytes < kSeenBytes) continue;
    way.told = true;
    std::fprintf(
        stderr,
        "penstock-gw: run: what comes in has no timestamps (RFC 7323), so what others leave "
        "of the line is not known, and idle has 1 Mbit/s at most: give --down a rate\n");
  }
}

void HeldGroup::keep() {
  for (HeldWay& way : ways_) {
    try {
      // One that is its own was taken away by hand.
      if (way.beside && !is_held(way)) hold(way);
      if (way.rate == kIdleRate && !way.told) tell_blind(way);
    } catch (const std::exception&) {
      // Another one may stand there without room, or the device is gone.
    }
  }
}

void HeldGroup::hold(HeldWay& way) const {
  const Descriptor turn = take_turn();
  make_way(way.attachment);
  const Device device = find_device(way.attachment);
  const auto standing = Pins(device).attachment();
  if (!standing) attach_for_shapes(device);
  way.beside = standing && !is_own(device, *standing);
  ShapeTable table(device);
  ShapeText text;
  text.name = name_;
  text.rate = way.rate;
  text.cgroups = {cgroup_.path};
  table.add({shape_of(text, table.attachment(), device.ethernet)}, false);
}

void HeldGroup::enter() const {
  std::ofstream processes(cgroup_.path + "/cgroup.procs");
  if (!(processes << "0" << std::flush))
    throw system_error("cannot enter " + cgroup_.path, errno ? errno : EIO);
}

void HeldGroup::release(const HeldWay& way) const {
  const Descriptor turn = take_turn(Patience::kAlways);
  const Device device = find_device_or_pins(way.attachment);
  const auto attachment = Pins(device).attachment();
  if (!attachment) return;
  {
    ShapeTable table(device);
    for (const auto& [id, shape] : table.all())
      if (shape.name() == name_) table.remove({name_});
    if (!table.all().empty()) return;
  }
  if (!is_own(device, *attachment)) return;
  unlink(owner_file(device).c_str());
  detach(device, Release::kAtOnce);
}

void HeldGroup::take_away() const {
  for (const HeldWay& way : ways_) {
    try {
      release(way);
    } catch (const std::exception&) {
      // Nobody is left to be told.
    }
  }
  rmdir(cgroup_.path.c_str());
}

}  // namespace penstock::gw
