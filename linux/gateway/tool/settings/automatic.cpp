// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/automatic.h"

#include "linux/common/shell.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/words.h"

namespace penstock::gw {

namespace {

// For programs that `run` holds beside it; other methods have no shapes.
constexpr const char* kShapes = "4";

}  // namespace

Settings automatic_settings(const Settings& base, bool down) {
  const auto found = [](const auto& setting, const char* key) {
    if (setting) refuse(key, "auto finds what it needs itself: leave it out, or auto");
  };
  found(base.rate, "rate");
  found(base.overhead, "overhead");
  found(base.buffer, "buffer");
  found(base.observe, "observe");
  found(base.queue, "queue");
  found(base.traffic_class, "class");
  found(base.source, "source");
  found(base.acks, "acks");
  found(base.shapes, "shapes");
  found(base.scone, "scone");
  found(base.beyond, "beyond");
  Settings s = base;
  s.rate = "auto";
  if (!down) s.source = "passive";
  if (down && !base.method && !base.discipline) s.shapes = kShapes;
  return s;
}

void require_automatic(const Settings& base) {
  for (const bool down : {true, false})
    plan_of(automatic_settings(base, down), down ? Below::kBefore : Below::kPlain);
}

void refuse_automatic(const Settings& settings, const std::string& path,
                      const std::string& device) {
  if (settings.automatic)
    throw Error(kConfig, path + ": [" + device + "] has auto = true: penstock-gw auto " +
                             shell_word(device) + " runs it, or the unit penstock-gw-auto@" +
                             device);
}

}  // namespace penstock::gw
