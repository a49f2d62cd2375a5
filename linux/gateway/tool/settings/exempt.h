// SPDX-License-Identifier: GPL-2.0-only
// Exempt flows (R34): "10.0.0.0/8", "2001:db8::/32", "port 22", and "192.0.2.1 port 443" for an
// address and a port of the same end.
#pragma once

#include <string>
#include <vector>

#include "linux/gateway/bpf/shared.h"

namespace penstock::gw {

// One rule. Throws std::invalid_argument that names it.
gw_exemption exemption_of(const std::string& rule);

// The list {"none"} is the empty one. Throws likewise.
void set_exemptions(const std::vector<std::string>& rules, gw_config& config);

std::vector<std::string> exemption_texts(const gw_config& config);

}  // namespace penstock::gw
