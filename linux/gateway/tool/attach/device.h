// SPDX-License-Identifier: GPL-2.0-only
// The device of an attachment, and the place of its pinned maps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "linux/common/descriptor.h"

namespace penstock::gw {

struct Device {
  std::string name;       // of the attachment: the interface's, or with kDownSuffix
  std::string interface;  // as the kernel calls it
  bool down = false;      // data comes in by it, and ACKs leave by it
  int ifindex = 0;       // 0: it is gone, and only pins are left
  bool ethernet = true;  // its packets have a link header
  std::string pins;      // folder in the BPF file system; empty: it is that of a renamed device
  int acks_ifindex = 0;  // device by which ACKs leave; 0: they come in by this one
};

// Whether a name is that of an attachment to what comes in, such as "wan0.down"; of an interface
// that is called so it is not.
bool is_down_name(const std::string& name);

// The name of the attachment to what comes in by `device`. Throws Error(kUsage) if an interface is
// called so.
std::string down_name(const std::string& device);

// Name of the driver, such as "bridge" or "ifb"; empty if it has none.
std::string driver_of(const std::string& device);

// Enters the network namespace /run/netns/NAME; mounts are kept.
void enter_namespace(const std::string& name);

// Throws Error(kUsage) if there is no such device or it carries no IP packets.
Device find_device(const std::string& name);

// The same, but also accepts the device's name at the attach, and a removed device that has left
// pins behind.
Device find_device_or_pins(const std::string& name);

// Before an attach: pins of this name that belong to a device of another name now take that name.
void make_way(const std::string& name);

// Identifies this network namespace uniquely since boot; 0 before Linux 5.14.
std::uint64_t namespace_cookie();

// Where programs that run keep what they do, and the path there of a file of this network
// namespace: "/run/penstock/NAME@COOKIE".
inline constexpr const char* kRuntimeFolder = "/run/penstock";
std::string runtime_path(const std::string& name);
// Throws Error.
void make_runtime_folder();

// Names of all devices with pins in this network namespace.
std::vector<std::string> pinned_devices();

// The pins of an attachment whose network namespace was deleted.
struct Leftover {
  Device device;      // with its name at the attach
  std::string space;  // the number of the namespace
};

// Empty where it cannot be told which namespaces there are.
std::vector<Leftover> leftovers();

// Mounts the BPF file system if necessary, and creates the folder.
void make_pin_folder(const Device& device);

// Whether a signal ends the wait for another penstock-gw. Commands that restore the state continue
// to wait.
enum class Patience { kUntilStopped, kAlways };

// A lock held by a command that changes attachments: the next command waits until it is released.
// Throws Error if it has to wait for too long.
Descriptor take_turn(Patience patience = Patience::kUntilStopped);

// True while a command holds the lock: the state may be an intermediate one.
bool is_changing();

// Removes the folder with all its pins; a missing one is not an error.
void remove_pins(const Device& device);

}  // namespace penstock::gw
