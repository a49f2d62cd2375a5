// SPDX-License-Identifier: GPL-2.0-only
// A gateway starts from nothing but its configuration and the queue, whatever the memory held.
#include <gtest/gtest.h>

#include <cstring>

#include "core/describe.h"

namespace {

pst_gateway_state started_from(int byte, std::uint32_t variant) {
  pst_queue q{};
  q.limit_bytes = 97'000;
  q.rate_bytes_per_s = 500'000;
  q.flows = 1;
  q.mss_bytes = 1448;
  pst_port port;
  std::memset(&port, byte, sizeof(port));
  pst_variant_config(&port.config, variant, q.limit_bytes);
  pst_port_init(&port, &q);
  return port.state;
}

TEST(Init, ClearsTheWholeState) {
  for (std::uint32_t variant = 0; variant < PST_VARIANT_COUNT; ++variant) {
    const pst_gateway_state clean = started_from(0, variant);
    const pst_gateway_state dirty = started_from(0xa5, variant);
    EXPECT_EQ(0, std::memcmp(&clean, &dirty, sizeof(clean))) << pst_variant_rows[variant].name;
  }
}

}  // namespace
