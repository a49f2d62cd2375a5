// SPDX-License-Identifier: GPL-2.0-only
// Encapsulations, by the keywords of tc-cake(8) (R19).
#pragma once

#include <string>

#include "core/queue/overhead.h"

namespace penstock::gw {

// "pppoe-ptm ether-vlan", "44 mpu 64 atm". Throws std::invalid_argument.
pst_overhead parse_overhead(const std::string& text);

// The numeric form, as parse_overhead() reads it.
std::string overhead_text(const pst_overhead& overhead);

}  // namespace penstock::gw
