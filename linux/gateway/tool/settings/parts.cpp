// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/settings/parts.h"

#include <algorithm>

namespace penstock::gw {

namespace {

constexpr std::uint32_t kBoth = 3;  // of pst_gateway_param_parts()

struct Part {
  const pst_method_row* row;
  const pst_method_row* other;
  const void* params;
};

std::vector<Part> parts(const pst_gateway_config& c) {
  const pst_method_row* discipline = &pst_discipline_rows[c.discipline];
  const pst_method_row* law = &pst_law_rows[c.law];
  return {{discipline, law, &c.discipline_params}, {law, discipline, &c.law_params}};
}

template <typename Row>
std::string name_in(const char* part, const Row& row, const Row* other, std::uint32_t count) {
  const bool both = std::any_of(
      other, other + count, [&](const Row& theirs) { return pst_name_is(theirs.name, row.name); });
  return both ? std::string(part) + "." + row.name : row.name;
}

// That of the leading part, or of a parameter that is one for both, stands for itself.
std::string param_name(const pst_gateway_config& config, const Part& p, const pst_param_row& row) {
  if (p.row == &leading_part(config) || pst_gateway_param_parts(&config, row.name) == kBoth)
    return row.name;
  return name_in(p.row->name, row, p.other->params, p.other->param_count);
}

}  // namespace

std::vector<ParamField> params_of(const pst_gateway_config& config) {
  const pst_method_row* law = &pst_law_rows[config.law];
  std::vector<ParamField> all;
  for (const Part& p : parts(config))
    for (std::uint32_t i = 0; i < p.row->param_count; ++i) {
      const pst_param_row& row = p.row->params[i];
      if (p.row == law && pst_gateway_param_parts(&config, row.name) == kBoth) continue;
      all.push_back({param_name(config, p, row), &row, pst_field_get(p.params, i)});
    }
  return all;
}

std::vector<StateField> states_of(const pst_gateway_config& config,
                                  const pst_gateway_state& state) {
  const void* const fields[] = {&state.discipline, &state.law};
  const std::vector<Part> both = parts(config);
  std::vector<StateField> all;
  for (std::size_t n = 0; n < both.size(); ++n) {
    const Part& p = both[n];
    for (std::uint32_t i = 0; i < p.row->state_count; ++i)
      all.push_back({name_in(p.row->name, p.row->states[i], p.other->states, p.other->state_count),
                     &p.row->states[i], pst_field_get(fields[n], i)});
  }
  return all;
}

void set_param(pst_gateway_config& config, const std::string& name, std::uint64_t value) {
  void* const fields[] = {&config.discipline_params, &config.law_params};
  const std::vector<Part> both = parts(config);
  for (std::size_t n = 0; n < both.size(); ++n)
    for (std::uint32_t i = 0; i < both[n].row->param_count; ++i)
      if (name == param_name(config, both[n], both[n].row->params[i]))
        pst_field_set(fields[n], i, value);
}

const pst_method_row& leading_part(const pst_gateway_config& config) {
  return pst_law_is(config.law, PST_TRAIT_LIMITS) ? pst_law_rows[config.law]
                                                  : pst_discipline_rows[config.discipline];
}

}  // namespace penstock::gw
