// SPDX-License-Identifier: GPL-2.0-only
// Parameters of methods as users write them.
#pragma once

#include <cstdint>
#include <string>

#include "linux/gateway/bpf/shared.h"
#include "linux/gateway/tool/settings/parts.h"

namespace penstock::gw {

// The user's key of a parameter: weight_q32 is "weight".
std::string param_key(const ParamField& param);
// The value of `text`; throws Error(kUsage) that names `key` if it is invalid for the row.
std::uint64_t param_value(const pst_param_row& row, const std::string& key,
                          const std::string& text);
std::string param_text(const pst_param_row& row, std::uint64_t value);
// The same of a ratio, as "50%".
std::string percent_text(const pst_param_row& row, std::uint64_t value);
// Sets the method's parameter of this key: its bit, in the order of params_of(). Throws
// Error(kUsage).
std::uint32_t take_param(gw_config& config, const std::string& key, const std::string& text);

}  // namespace penstock::gw
