// SPDX-License-Identifier: GPL-2.0-only
// The queue for which senders that react to each mark are made: RFC 8257 section 1.
#pragma once

#include <cstdint>

#include "core/describe.h"
#include "tests/sim/params.h"

namespace penstock::net {

// Marks all that arrives at a queue of `k_bytes` or more, of `buffer_bytes`.
inline pst_gateway_config marks_from(std::uint64_t k_bytes, std::uint64_t buffer_bytes) {
  pst_gateway_config config;
  pst_variant_config(&config, PST_VARIANT_RED_ECN, buffer_bytes);
  const pst_method_row& red = pst_discipline_rows[config.discipline];
  const auto set = [&](const char* name, u64 value) {
    set_param(red, &config.discipline_params, name, value);
  };
  set("min_th_bytes", k_bytes - 1);
  set("max_th_bytes", k_bytes);
  set("weight_q32", PST_Q32_ONE);
  set("max_p_q32", PST_Q32_ONE - 1);  // with 1 RED drops
  set("gentle", 1);
  return config;
}

}  // namespace penstock::net
