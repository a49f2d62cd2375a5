// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/target.h"

#include <algorithm>
#include <stdexcept>

#include "core/describe.h"
#include "linux/common/quantity.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/settings/parts.h"

namespace penstock::gw {

namespace {

constexpr const char* kParam = "target_bytes";  // of methods that have a target
constexpr const char* kTimeParam = "target_ns";  // of those whose target follows the rate itself

struct Target {
  std::uint64_t bytes = 0;
  std::uint64_t time_ns = 0;  // 0: it is given in bytes
};

std::optional<std::uint64_t> param_of(const pst_gateway_config& config, const char* name) {
  const pst_method_row& row = leading_part(config);
  if (pst_param_find(row.params, row.param_count, name) == PST_NO_ROW) return std::nullopt;
  for (const ParamField& param : params_of(config))
    if (param.name == name) return param.value;
  return std::nullopt;
}

// Leaves the target in bytes as the only one.
void lift_time(gw_config& c) {
  if (param_of(c.gateway, kTimeParam)) set_param(c.gateway, kTimeParam, PST_MAX_NS);
}

std::uint64_t bytes_at(const gw_config& c, std::uint64_t time_ns) {
  constexpr std::uint64_t kMostNs = 1ull << 40;  // that pst_bytes_in() takes
  return pst_bytes_in(c.rate_bytes_per_s, pst_min(time_ns, kMostNs));
}

[[noreturn]] void refuse_target(const std::string& why) { throw Error(kUsage, "target: " + why); }

Target parse(const std::string& text) {
  try {
    return {0, parse_time_ns(text)};
  } catch (const std::invalid_argument&) {
    // A size, then.
  }
  try {
    return {parse_size_bytes(text), 0};
  } catch (const std::invalid_argument&) {
    refuse_target("'" + text + "' is neither a time, such as 5ms, nor a size, such as 12500B");
  }
}

bool has_target(const pst_variant_row& row) {
  pst_gateway_config config;
  pst_variant_config(&config, pst_variant_find(row.name), 0);
  return target_bytes_of(config).has_value();
}

void require_target(const gw_config& c) {
  if (!target_bytes_of(c.gateway))
    refuse_target(std::string(pst_variant_rows[c.variant].name) +
                  " has no target queue; those that do: " + usable_methods(has_target));
}

void require_fit(const gw_config& c, const Target& target, const std::string& text) {
  const std::uint64_t bytes = target.time_ns ? bytes_at(c, target.time_ns) : target.bytes;
  if (!bytes) refuse_target("'" + text + "' is no queue at all; write it as 5ms or 12500B");
  if (bytes > c.limit_bytes && !(target.time_ns && c.gateway.auto_rate))
    refuse_target(text + " is " + round_size(bytes) + ", more than the buffer of " +
                  form_size(c.limit_bytes));
}

}  // namespace

void set_target(const Settings& s, Plan& plan) {
  if (!s.target) return;
  gw_config& c = plan.config;
  for (const char* name : {kParam, kTimeParam})
    if (s.params.contains(name))
      refuse_target(std::string("is given twice, as param ") + name + " too");
  require_target(c);
  const Target target = parse(*s.target);
  if (target.time_ns && c.gateway.auto_rate && !param_of(c.gateway, kTimeParam))
    refuse_target(
        *s.target +
        " is a time, which needs a rate that is given: with auto write bytes, such as 12500B");
  plan.target_ns = target.time_ns;
  require_fit(c, target, *s.target);
  if (target.time_ns) return set_timed_target(c, target.time_ns);
  plan.params_given |= take_param(c, kParam, form_size(target.bytes));
  lift_time(c);
}

void settle_target(const Settings& s, gw_config& c) {
  if (s.params.contains(kParam) && !s.params.contains(kTimeParam)) lift_time(c);
}

void override_target(Settings& settings, const Settings& later) {
  const auto names = {kParam, kTimeParam};
  if (std::ranges::any_of(names, [&](const char* name) { return later.params.contains(name); }))
    settings.target.reset();
  if (!later.target) return;
  settings.target = later.target;
  for (const char* name : names) settings.params.erase(name);
}

std::optional<std::uint64_t> target_bytes_of(const pst_gateway_config& config) {
  return param_of(config, kParam);
}

std::optional<std::uint64_t> target_of(const gw_config& config, const pst_gateway_state& state) {
  const std::optional<std::uint64_t> bytes = target_bytes_of(config.gateway);
  const std::optional<std::uint64_t> time_ns = param_of(config.gateway, kTimeParam);
  if (!bytes || !time_ns) return bytes;
  pst_queue q{};
  q.rate_bytes_per_s = gw_rate(&config, &state);
  q.mss_bytes = config.mss_bytes;
  q.flows_q16 = pst_flow_count_q16(&state.count);
  return pst_target_bytes(&q, *bytes, *time_ns);
}

void set_timed_target(gw_config& c, std::uint64_t time_ns) {
  if (!param_of(c.gateway, kTimeParam)) return set_param(c.gateway, kParam, bytes_at(c, time_ns));
  set_param(c.gateway, kTimeParam, time_ns);
  set_param(c.gateway, kParam, c.limit_bytes);
}

std::uint64_t target_ns_at(std::uint64_t target_bytes, std::uint64_t rate_bytes_per_s) {
  return pst_mul_div(target_bytes, PST_NS_PER_S, rate_bytes_per_s);
}

}  // namespace penstock::gw
