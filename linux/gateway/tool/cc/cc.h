// SPDX-License-Identifier: GPL-2.0-only
// The senders of core/ as congestion controls for this machine's own connections.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

struct pst_method_row;

namespace penstock::gw {

// A loadable control: a sender of core/sender, or NewReno with a way of sharing.
struct Control {
  const pst_method_row* row;
  std::string linux_name;  // as TCP_CONGESTION takes it
  bool sharing;
};
const std::vector<Control>& controls();
const Control& control_of(const std::string& method);  // throws Error: there is none

// A congestion control in the kernel; an unloaded one remains while connections use it.
struct LoadedControl {
  std::string method;      // as `penstock methods` names it
  std::string linux_name;
  std::uint32_t map_id;
  bool unloaded;
};

// Registers `method` with the kernel. Throws Error: unknown method or parameter, already loaded,
// or a missing kernel feature.
void load_control(const std::string& method, const std::map<std::string, std::string>& params);

// New connections can no longer choose it; existing ones keep it.
void unload_control(const std::string& method);

std::vector<LoadedControl> loaded_controls();

// Loads the programs of one method and releases them; throws Error as load_control().
void try_control(const std::string& method);

// The congestion control of new connections in this network namespace.
std::string default_control();
void set_default_control(const std::string& linux_name);

// The connections of this network namespace that use one congestion control.
struct ControlUse {
  std::uint64_t connections = 0;
  std::uint64_t cwnd_segments = 0;  // together
  std::uint64_t retransmits = 0;    // segments, of connections that are open
};
std::map<std::string, ControlUse> control_use();

}  // namespace penstock::gw
