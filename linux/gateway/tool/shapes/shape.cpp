// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/shapes/shape.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/queue/overhead.h"
#include "linux/common/netlink.h"
#include "linux/gateway/tool/host/cgroup.h"
#include "linux/gateway/tool/settings/prefix.h"
#include "linux/gateway/tool/settings/settings.h"
#include "linux/gateway/tool/settings/target.h"
#include "linux/gateway/tool/settings/words.h"

namespace penstock::gw {

namespace {

std::string selector_text(const gw_selector& s) {
  if (s.by == GW_BY_MARK) return "mark " + std::to_string(s.value);
  if (s.by == GW_BY_CLASS) return "class " + handle_text(static_cast<std::uint32_t>(s.value));
  const std::string path = cgroup_path(s.value);
  return path.empty() ? "gone cgroup " + std::to_string(s.value) : "cgroup " + path;
}

bool is_utf8(const std::string& text) {
  try {
    return !nlohmann::json(text).dump().empty();
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

void set_name(const std::string& name, gw_shape& value) {
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  if (name.empty()) refuse("name", "is missing");
  if (name.size() >= GW_SHAPE_NAME)
    refuse("name", "'" + name + "' has " + std::to_string(name.size()) + " bytes, and at most " +
                       std::to_string(GW_SHAPE_NAME - 1) + " are kept");
  if (std::ranges::any_of(name, is_control)) refuse("name", "has a control character");
  if (!is_utf8(name)) refuse("name", "is not in UTF-8");
  name.copy(value.name, GW_SHAPE_NAME - 1);
}

gw_selector cgroup_of(const std::string& path) {
  const Cgroup found = find_cgroup(path);
  if (found.depth >= GW_CGROUP_DEPTHS)
    refuse("cgroup", "'" + path + "' is " + std::to_string(found.depth) +
                         " below the root, and at most " + std::to_string(GW_CGROUP_DEPTHS - 1) +
                         " are looked at: name one above it");
  return {GW_BY_CGROUP, found.depth, found.id};
}

gw_prefix prefix_of(const std::string& text) {
  try {
    return parse_prefix(text, text, "ADDRESS[/BITS], such as 100.64.0.7 or 2001:db8:7::/56");
  } catch (const std::invalid_argument& e) {
    refuse("prefix", e.what());
  }
}

Selectors selectors_of(const ShapeText& text) {
  Selectors s;
  if (text.mark) s.values.push_back({GW_BY_MARK, 0, parse_mark(*text.mark)});
  if (text.traffic_class) s.values.push_back({GW_BY_CLASS, 0, parse_class(*text.traffic_class)});
  for (const std::string& prefix : text.prefixes) s.prefixes.push_back(prefix_of(prefix));
  for (const std::string& cgroup : text.cgroups) s.values.push_back(cgroup_of(cgroup));
  if (s.empty())
    refuse("prefix", "is missing: whose packets these are, by prefix, mark, class or cgroup");
  return s;
}

// The most that a background class has.
std::string idle_rate(const ShapeText& text, const gw_attachment& attachment) {
  const gw_config& c = attachment.config;
  if (!c.gateway.upstream)
    refuse("rate",
           "idle is for what comes in, and needs the line measured: give a rate, or add it to an "
           "attachment with --down and without --rate");
  if (!pst_law_is(c.gateway.law, PST_TRAIT_LIMITS))
    refuse("rate", std::string("idle needs windows, and ") + pst_variant_rows[c.variant].name +
                       " writes none");
  if (text.buffer) refuse("buffer", "idle drops nothing, so it has none: leave it out");
  return kAboveEveryLine;
}

// As of an attachment with this rate, buffer and target; the target's default is the device's own.
Plan plan_like(const ShapeText& text, const gw_attachment& attachment) {
  Settings s = settings_of(attachment);
  s.params.clear();
  s.rate = text.rate;
  s.buffer = text.buffer;
  s.target = text.target;
  if (!s.rate) refuse("rate", "is missing: such as 50mbit");
  if (*s.rate == "auto") refuse("rate", "auto is not for shapes: give a rate, such as 50mbit");
  if (*s.rate == kIdleRate) s.rate = idle_rate(text, attachment);
  return plan_of(s);
}

std::uint64_t target_ns_of(const ShapeText& text, const Plan& plan) {
  if (!text.target || plan.target_ns) return plan.target_ns;
  return target_ns_at(target_bytes_of(plan.config.gateway).value_or(0),
                      plan.config.rate_bytes_per_s);
}

Shape checked(const ShapeText& text, const gw_attachment& attachment, bool ethernet) {
  Shape shape;
  gw_shape& value = shape.value;
  set_name(text.name, value);
  const Plan plan = plan_like(text, attachment);
  const gw_config& c = plan.config;
  value.line_bytes_per_s = c.line_bytes_per_s;
  value.rate_bytes_per_s = c.has_overhead ? pst_device_rate(&c.overhead, c.line_bytes_per_s,
                                                            ethernet ? PST_ETHERNET_BYTES : 0)
                                          : c.rate_bytes_per_s;
  value.limit_bytes = c.limit_bytes;
  value.background = text.rate == kIdleRate;
  value.target_ns = target_ns_of(text, plan);
  shape.selectors = selectors_of(text);
  shape.where = text.where;
  return shape;
}

}  // namespace

std::uint32_t parse_mark(const std::string& text) {
  std::size_t used = 0;
  unsigned long value = 0;
  try {
    value = std::stoul(text, &used, 0);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != text.size() || !value || value > 0xffffffff || text[0] == '-')
    refuse("mark", "'" + text + "' is not a packet's mark: 1 .. 4294967295, or 0x1 .. 0xffffffff");
  return static_cast<std::uint32_t>(value);
}

std::vector<std::string> Selectors::texts() const {
  std::vector<std::string> all;
  std::ranges::transform(values, std::back_inserter(all), selector_text);
  std::ranges::transform(prefixes, std::back_inserter(all), prefix_text);
  return all;
}

Shape shape_of(const ShapeText& text, const gw_attachment& attachment, bool ethernet) {
  try {
    return checked(text, attachment, ethernet);
  } catch (const Error& e) {
    throw Error(text.where.empty() ? e.code : kConfig, text.where + e.what());
  }
}

std::uint64_t queue_bytes_of(const gw_shape& shape, std::uint64_t now_ns) {
  const std::uint64_t wait_ns = pst_sub_floor(shape.shared.drained_q4 >> 4, now_ns);
  const std::uint64_t rate =
      shape.background ? shape.shared.link.rate_bytes_per_s : shape.rate_bytes_per_s;
  return pst_bytes_in(rate, pst_min(wait_ns, PST_MAX_NS));
}

}  // namespace penstock::gw
