// SPDX-License-Identifier: GPL-2.0-only
// Errors of system calls, with the required capabilities.
#pragma once

#include "linux/common/error.h"

namespace penstock::gw {

inline Error system_error(const std::string& what, int error_number) {
  return penstock::system_error(what, error_number,
                                "root, or CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN");
}

}  // namespace penstock::gw
