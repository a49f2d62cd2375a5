// SPDX-License-Identifier: GPL-2.0-only
// Parameters and state of a gateway's two parts, discipline and law, as one list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/describe.h"

namespace penstock::gw {

// `name` is the field's; where both parts have one and they are not the same parameter, with one
// value for both, that of the leading part keeps it and the other is PART.NAME.
struct ParamField {
  std::string name;
  const pst_param_row* row;
  std::uint64_t value;
};

struct StateField {
  std::string name;
  const pst_state_row* row;
  std::uint64_t value;
};

std::vector<ParamField> params_of(const pst_gateway_config& config);
std::vector<StateField> states_of(const pst_gateway_config& config, const pst_gateway_state& state);

// Stores `value` in the parameter that `name` is in params_of().
void set_param(pst_gateway_config& config, const std::string& name, std::uint64_t value);

// The part that names the variant: the law, or the discipline if there is none.
const pst_method_row& leading_part(const pst_gateway_config& config);

}  // namespace penstock::gw
