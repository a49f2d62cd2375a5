// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/rights.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "linux/gateway/tool/error.h"

namespace penstock::gw {

namespace {

using Rights = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

// CapabilityBoundingSet of penstock-gw@.service.
constexpr std::array kUnitRights{CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON};

__user_cap_header_struct header() { return {_LINUX_CAPABILITY_VERSION_3, 0}; }

Rights rights() {
  Rights data{};
  auto own = header();
  if (syscall(SYS_capget, &own, data.data())) throw system_error("cannot read capabilities", errno);
  return data;
}

}  // namespace

bool may_trace() {
  const Rights data = rights();
  const auto has = [&](unsigned cap) {
    return (data[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap)) != 0;
  };
  return has(CAP_PERFMON) || has(CAP_SYS_ADMIN);
}

void keep_unit_rights() {
  Rights unit{};
  for (const unsigned cap : kUnitRights) unit[CAP_TO_INDEX(cap)].permitted |= CAP_TO_MASK(cap);
  Rights data = rights();
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i].permitted &= unit[i].permitted;
    data[i].effective &= unit[i].permitted;
    data[i].inheritable = 0;
  }
  auto own = header();
  if (syscall(SYS_capset, &own, data.data()))
    throw system_error("cannot give up capabilities", errno);
}

}  // namespace penstock::gw
