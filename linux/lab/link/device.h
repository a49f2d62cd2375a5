// SPDX-License-Identifier: GPL-2.0-only
// An end of an emulated link: a TAP made in a network namespace, or a device that is
// there already (a persistent TAP, or one end of a veth pair).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "linux/common/descriptor.h"

namespace penstock::link {

// "ns:dev", ":dev" or "dev" (this namespace).
struct Endpoint {
  std::string name_space{};
  std::string device{};
};

Endpoint parse_endpoint(std::string_view text);  // throws Error(kUsage)

class Device {
 public:
  // Opens or makes the device in its namespace and sets it up, with another MTU if
  // `mtu_bytes` is not 0. Throws Error.
  Device(const Endpoint& endpoint, std::uint32_t mtu_bytes);

  int fd() const { return file_.fd(); }
  std::uint32_t mtu_bytes() const { return mtu_bytes_; }

  // Reads one frame without blocking: its length; 0 if there is none, or for a GSO frame, which
  // is only counted. -1: the device is gone.
  std::ptrdiff_t read(std::uint8_t* frame, std::size_t room);
  // False if the kernel did not accept the frame.
  bool write(const std::uint8_t* frame, std::size_t length);
  std::uint64_t offloaded() const { return offloaded_; }

 private:
  void open_tap(const std::string& name);
  void open_packet_socket(const std::string& name);

  Descriptor file_{};
  bool is_tap_ = true;
  std::uint32_t mtu_bytes_ = 1500;
  std::uint64_t offloaded_ = 0;
};

}  // namespace penstock::link
