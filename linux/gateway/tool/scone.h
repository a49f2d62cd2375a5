// SPDX-License-Identifier: GPL-2.0-only
// The advice of an attachment to QUIC, by SCONE.
#pragma once

#include <cstdint>
#include <string>

#include "linux/gateway/tool/snapshot.h"

namespace penstock::gw {

// The signal in force; PST_SCONE_UNKNOWN before a whole period has been seen.
std::uint32_t scone_signal(const Snapshot& s);

// The rate that a signal stands for, in bit/s; 0 of PST_SCONE_UNKNOWN.
double scone_rate_bps(std::uint32_t signal);

// "5.01 Mbit/s (signal 34), in 12 of 40 SCONE packets".
std::string scone_text(const Snapshot& s);

}  // namespace penstock::gw
