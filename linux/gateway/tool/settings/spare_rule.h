// SPDX-License-Identifier: GPL-2.0-only
// Rules of what `fair` spares, as users write them: "udp port 5004", "dscp=ef,af41,cs5",
// "dscp=ef,trust", "192.0.2.0/24", "mark 0x10/0xf0", "udp 2001:db8::1 port 443 up to 30%".
#pragma once

#include <string>
#include <vector>

#include "linux/gateway/bpf/shared.h"

namespace penstock::gw {

// Throws std::invalid_argument that names the rule.
pst_rule spare_rule_of(const std::string& text);

std::string spare_rule_text(const pst_rule& rule);

// Whether both name the same packets.
bool same_packets(const pst_rule& one, const pst_rule& other);

std::vector<std::string> spare_rule_texts(const gw_config& config);

}  // namespace penstock::gw
