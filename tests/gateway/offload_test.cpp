// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/attach/offload.h"

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

// At boot there is no connection yet, and the hardware takes the first that comes.
TEST(Offload, R23IsFoundInTheFlagsOfAFlowtable) {
  const std::string software =
      "table inet t {\n\tflowtable f {\n\t\thook ingress priority filter\n"
      "\t\tdevices = { eth0, offload0 }\n\t\tcounter\n\t}\n}\n";
  EXPECT_FALSE(has_hardware_table(software));
  EXPECT_FALSE(has_hardware_table(""));
  const std::string hardware =
      "table inet t {\n\tflowtable f {\n\t\thook ingress priority filter\n"
      "\t\tdevices = { eth0, eth1 }\n\t\tflags offload\n\t}\n}\n";
  EXPECT_TRUE(has_hardware_table(hardware));
}

}  // namespace
}  // namespace penstock::gw
