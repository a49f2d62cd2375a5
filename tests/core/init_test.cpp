// SPDX-License-Identifier: GPL-2.0-only
// A gateway starts from nothing but its configuration and the queue, whatever the memory held.
// Of the two queues elsewhere that share memory, only the one that it is configured for counts.
#include <gtest/gtest.h>

#include <cstring>

#include "core/describe.h"

namespace {

pst_gateway_state started_from(int byte, std::uint32_t variant, bool upstream) {
  pst_queue q{};
  q.limit_bytes = 97'000;
  q.rate_bytes_per_s = 500'000;
  q.flows = 1;
  q.mss_bytes = 1448;
  pst_port port;
  std::memset(&port, byte, sizeof(port));
  pst_variant_config(&port.config, variant, q.limit_bytes);
  port.config.upstream = upstream;
  pst_port_init(&port, &q);
  if (upstream) {
    const pst_upstream_queue kept = port.state.upstream;
    std::memset(&port.state.hidden, 0, sizeof(port.state.hidden));
    port.state.upstream = kept;
  } else {
    const pst_hidden_queue kept = port.state.hidden;
    std::memset(&port.state.upstream, 0, sizeof(port.state.upstream));
    port.state.hidden = kept;
  }
  return port.state;
}

TEST(Init, ClearsTheWholeState) {
  for (std::uint32_t variant = 0; variant < PST_VARIANT_COUNT; ++variant) {
    for (const bool upstream : {false, true}) {
      const pst_gateway_state clean = started_from(0, variant, upstream);
      const pst_gateway_state dirty = started_from(0xa5, variant, upstream);
      EXPECT_EQ(0, std::memcmp(&clean, &dirty, sizeof(clean))) << pst_variant_rows[variant].name;
    }
  }
}

}  // namespace
