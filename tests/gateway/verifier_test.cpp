// SPDX-License-Identifier: GPL-2.0-only
// How many instructions of the programs the kernel's verifier follows. It gives up after a million.
// That of Linux 6.1, the oldest supported, follows up to 2.8 times as many as that of Linux 6.18,
// so that the bound keeps room for it.
#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "tests/gateway/gateway_under_test.h"

namespace penstock::test {
namespace {

constexpr std::uint32_t kMost = 300'000;

struct Loaded {
  const char* name;
  std::uint32_t source;
  const char* method;
  const char* shapes;  // at most; empty: none
  bool casts = true;  // where the kernel has them
  bool down = false;
  bool rules = false;  // of what fair spares
};

void PrintTo(const Loaded& l, std::ostream* out) { *out << l.name; }

class Verifier : public testing::TestWithParam<Loaded> {
 protected:
  void SetUp() override {
    if (const std::string reason = why_not(); !reason.empty()) GTEST_SKIP() << reason;
    if (GetParam().source == GW_QUEUE_KERNEL && !gw::kernel_has_btf())
      GTEST_SKIP() << "the kernel has no BTF";
  }
};

gw_config config_of(const Loaded& l) {
  const bool passive = l.source == GW_QUEUE_PASSIVE;
  gw::Settings s = slow_link(l.method);
  s.fair.reset();
  s.flows = std::to_string(kTestFlows);
  if (passive) {
    s.rate = "auto";
    s.source = "passive";
  } else if (l.source == GW_QUEUE_UPSTREAM) {
    s.rate.reset();
    if (*l.shapes) s.shapes = l.shapes;
  } else if (*l.shapes) {
    s.shapes = l.shapes;
  } else {
    s.scone = "on";
  }
  if (l.rules) s.spare = {"udp port 5004", "dscp=ef,trust up to 20%"};
  gw_config c = gw::plan_of(s, l.down ? gw::Below::kBefore : gw::Below::kPlain).config;
  c.queue_source = l.source;
  c.measures |= l.source == GW_QUEUE_KERNEL;  // as where the queue is another's
  return c;
}

std::uint32_t verified_instructions(int fd) {
  bpf_prog_info info{};
  std::uint32_t bytes = sizeof(info);
  return bpf_obj_get_info_by_fd(fd, &info, &bytes) ? 0 : info.verified_insns;
}

TEST_P(Verifier, FollowsFewInstructions) {
  gw::allow_casts(GetParam().casts);
  const gw::Program program(config_of(GetParam()), "");
  gw::allow_casts(true);
  for (const char* name :
       {"penstock_forward", "penstock_reverse", "penstock_start", "penstock_sweep"}) {
    const std::uint32_t followed = verified_instructions(program.fd(name));
    EXPECT_GT(followed, 0U) << name;
    EXPECT_LT(followed, kMost) << name;
    RecordProperty(name, std::to_string(followed));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Objects, Verifier,
    testing::Values(
        Loaded{"virtual", GW_QUEUE_VIRTUAL, "penstock", ""},
        Loaded{"virtual_with_shapes", GW_QUEUE_VIRTUAL, "penstock", "16"},
        Loaded{"kernel", GW_QUEUE_KERNEL, "penstock", ""},
        Loaded{"kernel_with_shapes_and_rules", GW_QUEUE_KERNEL, "penstock", "16", true, false,
               true},
        Loaded{"passive_with_rules", GW_QUEUE_PASSIVE, "penstock", "", true, false, true},
        Loaded{"upstream_with_rules", GW_QUEUE_UPSTREAM, "penstock", "", true, true, true},
        Loaded{"kernel_without_casts", GW_QUEUE_KERNEL, "penstock", "", false},
        Loaded{"kernel_with_shapes", GW_QUEUE_KERNEL, "penstock", "16"},
        Loaded{"passive", GW_QUEUE_PASSIVE, "penstock", ""},
        Loaded{"upstream", GW_QUEUE_UPSTREAM, "penstock", "", true, true},
        Loaded{"upstream_with_shapes_and_rules", GW_QUEUE_UPSTREAM, "penstock", "4", true, true,
               true},
        Loaded{"down_at_a_rate", GW_QUEUE_VIRTUAL, "penstock", "", true, true},
        Loaded{"down_with_shapes", GW_QUEUE_VIRTUAL, "penstock", "16", true, true},
        Loaded{"down_with_shapes_and_rules", GW_QUEUE_VIRTUAL, "penstock", "16", true, true, true},
        Loaded{"longest_tick", GW_QUEUE_VIRTUAL, "fewa", ""}),
    [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace penstock::test
