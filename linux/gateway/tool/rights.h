// SPDX-License-Identifier: GPL-2.0-only
// What this process may do.
#pragma once

namespace penstock::gw {

// CAP_PERFMON, or its predecessor before Linux 5.8.
bool may_trace();

// Gives up what the systemd unit has not, so that what works here works there too.
void keep_unit_rights();

}  // namespace penstock::gw
