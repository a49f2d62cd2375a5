// SPDX-License-Identifier: GPL-2.0-only
// Settings checked and with their defaults, and back.
#pragma once

#include <cstdint>
#include <string>

#include "linux/gateway/bpf/shared.h"
#include "linux/gateway/tool/settings/params.h"
#include "linux/gateway/tool/settings/parts.h"
#include "linux/gateway/tool/settings/table.h"

namespace penstock::gw {

inline constexpr const char* kDefaultMethod = "penstock";
inline constexpr const char* kDefaultConfig = "/etc/penstock/penstock.toml";

enum class Source { kAuto, kKernel, kVirtual, kPassive, kUpstream };
enum class Scalable { kAuto, kBypass, kControl };

// Settings checked, with defaults in place.
struct Plan {
  gw_config config;  // without what device and kernel decide; see completed() in attach.cpp
  Source source;
  Scalable scalable;
  bool install_queue;
  bool tcx;
  std::string acks;
  std::uint32_t traffic_class;  // 0: the root
  bool queue_given;
  bool buffer_given;
  std::uint32_t params_given;  // a bit for each of params_of()
  std::uint64_t target_ns;     // the target as a time; 0: it is a parameter in bytes

  // Observing alone puts no queue on the device.
  bool wants_queue() const { return install_queue && (queue_given || !config.gateway.observe); }
};

// The queue that a plan is for: one that fills up to its limit, or one that drops or marks to keep
// its delay at some milliseconds (CoDel, PIE), where only a smaller target has an effect; or one
// before the device, of what comes in by it.
enum class Below { kPlain, kShort, kBefore };

// Throws Error(kUsage) that names the key.
Plan plan_of(const Settings& settings, Below below = Below::kPlain);

// True if the programs can run a variant.
bool works_in_kernel(std::uint32_t variant);

// True if `fair` is below the law unless --fair says otherwise.
bool has_fair_by_default(std::uint32_t variant);

// The names of the methods for the kernel for which `is` holds: "one, two".
std::string usable_methods(bool (*is)(const pst_variant_row&));

// Sets the constants that follow from the gateway's parts.
void set_derived(gw_config& config);

// The settings of an attachment as requested, so that `set` changes only the given ones and
// defaults follow.
Settings settings_of(const gw_attachment& attachment);

// A class as tc(8) writes it, such as 1:10. Throws Error(kUsage).
std::uint32_t parse_class(const std::string& text);

// "flow", "host", "prefix:56", "mark".
std::string share_by_text(const gw_config& config);

// "on" or "off", as it is in force.
const char* fair_text(const gw_config& config);

// "none", "pace-acks".
std::string beyond_name(std::uint32_t beyond);
const char* mode_name(std::uint32_t mode);
const char* limit_name(std::uint32_t limit);

}  // namespace penstock::gw
