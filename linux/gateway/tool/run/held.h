// SPDX-License-Identifier: GPL-2.0-only
// What holds one program: its control group, and a shape for it in each direction.
#pragma once

#include <string>
#include <vector>

#include "linux/gateway/tool/host/cgroup.h"

namespace penstock::gw {

// A shape for the group on the attachment of this name, which is made if there is none.
struct HeldWay {
  std::string attachment;  // "wan0", "wan0.down"
  std::string rate;        // "20mbit", "idle"
  bool beside = false;     // it stands on another's attachment
  bool told = false;       // that its line cannot be seen
};

class HeldGroup {
 public:
  // Throws Error, and leaves nothing behind.
  explicit HeldGroup(std::vector<HeldWay> ways);

  // Makes the attachments and shapes. Throws Error.
  void hold();
  // The same again where another's attachment has ended; and says once where `idle` cannot work.
  void keep();
  // This process enters it. Throws Error.
  void enter() const;
  bool is_populated() const { return gw::is_populated(cgroup_); }
  // Takes all away that is there; errors are left, as others may have done it already.
  void take_away() const;

 private:
  void hold(HeldWay& way) const;
  bool is_held(const HeldWay& way) const;
  void tell_blind(HeldWay& way) const;
  void release(const HeldWay& way) const;

  std::vector<HeldWay> ways_;
  Cgroup cgroup_;
  std::string name_;  // of cgroup and shapes
};

}  // namespace penstock::gw
