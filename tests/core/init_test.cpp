// SPDX-License-Identifier: GPL-2.0-only
// A method starts from nothing but its parameters and the queue, whatever the memory held.
#include <gtest/gtest.h>

#include <cstring>

#include "core/control/describe.h"

namespace {

union pst_state started_from(int byte, std::uint32_t method, const pst_queue& q) {
  union pst_params params;
  std::memset(&params, 0, sizeof(params));
  pst_method_defaults(method, &params, q.limit_bytes);
  union pst_state state;
  std::memset(&state, byte, sizeof(state));
  pst_control_init(method, &params, &state, &q);
  return state;
}

TEST(Init, ClearsTheWholeState) {
  pst_queue q{};
  q.limit_bytes = 97'000;
  q.rate_bytes_per_s = 500'000;
  q.flows = 1;
  q.mss_bytes = 1448;
  for (std::uint32_t method = 0; method < PST_METHOD_COUNT; ++method) {
    const union pst_state clean = started_from(0, method, q);
    const union pst_state dirty = started_from(0xa5, method, q);
    EXPECT_EQ(0, std::memcmp(&clean, &dirty, sizeof(clean))) << pst_method_rows[method].name;
  }
}

}  // namespace
