// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/params.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "core/describe.h"
#include "linux/common/quantity.h"
#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

namespace {

std::uint64_t ratio_one(pst_unit unit) {
  return unit == PST_RATIO_Q16 ? PST_Q16_ONE : unit == PST_RATIO_Q32 ? PST_Q32_ONE : 1;
}

std::uint64_t read_param(const pst_param_row& row, const std::string& text) {
  // The unit is part of the parameter's name: start_bytes=30000.
  if (ratio_one(row.unit) == 1 && text.find_first_not_of("0123456789") == std::string::npos)
    return parse_count(text);
  switch (row.unit) {
    case PST_BYTES:
      return parse_size_bytes(text);
    case PST_NS:
      return parse_time_ns(text);
    case PST_BPS:
      return parse_rate_bps(text);
    case PST_FLAG:
      if (text == "true" || text == "false") return text == "true";
      break;
    case PST_PKTS:
    case PST_COUNT:
    case PST_TIME:
    case PST_RATIO_Q16:
    case PST_RATIO_Q32:
      break;
  }
  const double one = static_cast<double>(ratio_one(row.unit));
  const bool is_percent = one > 1 && text.ends_with('%');
  const std::string digits = text.substr(0, text.size() - (is_percent ? 1 : 0));
  std::size_t used = 0;
  double value = -1;
  try {
    value = std::stod(digits, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (!used || used != digits.size() || !(value >= 0 && value < 1e12))
    throw std::invalid_argument("'" + text + "' is not a number");
  return static_cast<std::uint64_t>(std::llround(value * (is_percent ? one / 100 : one)));
}

// The shortest decimal with @places or more that reads back as @value of @one.
std::string ratio_text(std::uint64_t value, double one, int places) {
  const double ratio = static_cast<double>(value) / one;
  std::array<char, 64> text{};
  for (; places < 20; ++places) {
    std::snprintf(text.data(), text.size(), "%.*f", places, ratio);
    if (static_cast<std::uint64_t>(std::llround(std::stod(text.data()) * one)) == value) break;
  }
  return text.data();
}

}  // namespace

std::string param_key(const ParamField& param) {
  return ratio_one(param.row->unit) > 1 ? param.name.substr(0, param.name.rfind("_q")) : param.name;
}

std::uint64_t param_value(const pst_param_row& row, const std::string& key,
                          const std::string& text) {
  std::uint64_t value = 0;
  try {
    value = read_param(row, text);
  } catch (const std::invalid_argument& e) {
    throw Error(kUsage, "param " + key + ": " + e.what());
  }
  if (!pst_param_in_range(&row, value))
    throw Error(kUsage, "param " + key + ": " + text + " is not in " + param_text(row, row.min) +
                            " .. " + param_text(row, row.max));
  return value;
}

std::string param_text(const pst_param_row& row, std::uint64_t value) {
  if (row.unit == PST_BYTES) return form_size(value);
  if (row.unit == PST_NS) return form_time(value);
  if (row.unit == PST_BPS) return form_rate(value);
  const std::uint64_t one = ratio_one(row.unit);
  return one == 1 ? std::to_string(value) : ratio_text(value, static_cast<double>(one), 1);
}

std::string percent_text(const pst_param_row& row, std::uint64_t value) {
  return ratio_text(value, static_cast<double>(ratio_one(row.unit)) / 100, 0) + "%";
}

std::uint32_t take_param(gw_config& c, const std::string& key, const std::string& text) {
  std::string keys;
  std::uint32_t bit = 1;
  for (const ParamField& param : params_of(c.gateway)) {
    const std::uint32_t own_bit = std::exchange(bit, bit << 1);
    keys += (keys.empty() ? "" : ", ") + param_key(param);
    if (key != param_key(param) && key != param.name) continue;
    set_param(c.gateway, param.name, param_value(*param.row, key, text));
    return own_bit;
  }
  throw Error(kUsage, "param " + key + ": method " + std::string(pst_variant_rows[c.variant].name) +
                          (keys.empty() ? " has no parameters" : " has only " + keys));
}

}  // namespace penstock::gw
