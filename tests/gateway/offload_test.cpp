// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/tool/offload.h"

#include <gtest/gtest.h>

#include <sstream>

namespace penstock::gw {
namespace {

// R23: such a flow passes no hook.
TEST(Offload, IsFoundInTheListOfConnections) {
  std::istringstream none(
      "ipv4 2 tcp 6 431999 ESTABLISHED src=10.0.0.1 [ASSURED] use=1\n"
      "ipv4 2 tcp 6 src=10.0.0.2 [OFFLOAD] use=2\n");
  EXPECT_FALSE(has_hardware_flow(none));
  std::istringstream some(
      "ipv4 2 tcp 6 src=10.0.0.1 [ASSURED] use=1\n"
      "ipv4 2 tcp 6 src=10.0.0.2 [HW_OFFLOAD] use=2\n");
  EXPECT_TRUE(has_hardware_flow(some));
}

}  // namespace
}  // namespace penstock::gw
