// SPDX-License-Identifier: GPL-2.0-only
// The rights of this process.
#pragma once

namespace penstock::gw {

// CAP_PERFMON, or its predecessor before Linux 5.8.
bool may_trace();

// Drops the rights that the systemd unit lacks, so that a command that works here works
// there.
void keep_unit_rights();

}  // namespace penstock::gw
