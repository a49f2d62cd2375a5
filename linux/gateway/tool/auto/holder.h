// SPDX-License-Identifier: GPL-2.0-only
// The attachments of `auto`: to what comes in by a device, and to what leaves by it. Both observe
// from the beginning, so that connections are known when they are to be held.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "linux/gateway/tool/attach/device.h"
#include "linux/gateway/tool/attach/program.h"
#include "linux/gateway/tool/host/survivor.h"
#include "linux/gateway/tool/settings/settings.h"
#include "linux/gateway/tool/where/adopt.h"
#include "linux/gateway/tool/where/meter.h"

namespace penstock::gw {

// A process that takes the attachments away if this one ends without doing so, as by SIGKILL.
class Guard {
 public:
  // Before threads and sockets. `files` go with the attachments.
  Guard(const std::string& interface, const std::vector<std::string>& files);
  // The attachment is this program's from now on, or no more.
  void tell(Way way, bool attached) const;

 private:
  std::array<bool, kWays> attached_{};  // as the second process was told
  Survivor survivor_;
};

class Holder {
 public:
  // `base`: what the file says for both directions.
  Holder(const std::string& interface, const Settings& base, const Guard& guard);
  // Takes all away, after the windows have opened.
  ~Holder();
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  // Why the direction is not ours; empty if it is. Throws nothing: what was changed by others is
  // theirs from then on.
  const std::string& why_not(Way way);
  // The part of the bytes since the last call that windows can hold; nothing where few came.
  std::optional<double> controllable(Way way);
  // False while a rate that it measures is not known: its windows then pass unchanged.
  bool knows(Way way);
  // Connections that are older than the attachments.
  void adopt(const Adopted& older);
  // Both at once: one that lets its queue stand again disturbs the other, if that goes on.
  void hold(const std::array<bool, kWays>& live);

 private:
  struct Side {
    std::string name;
    bool attached = false, live = false;
    std::uint64_t since_ns = 0;
    std::uint32_t revision = 0;
    std::string why_not;
    std::uint64_t bytes = 0, controlled_bytes = 0;  // that were counted before
    bool waits = false;  // for another's attachment to go away
    LoadedPrograms programs;   // of the attachment: a trial alternates between them
  };
  void attach_side(Way way);
  void take_over(Way way);
  void set(Way way, bool live);
  void note(Side& side);
  Settings settings(Way way, bool live) const;

  std::string interface_;
  Settings base_;
  const Guard& guard_;
  std::array<Side, kWays> sides_;
};

}  // namespace penstock::gw
