// SPDX-License-Identifier: GPL-2.0-only
// Hardware that forwards packets past the programs (R23), or merges them (R24).
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "linux/gateway/tool/attach/device.h"

namespace penstock::gw {

struct Offload {
  std::string what;
  std::string advice;
};

std::vector<Offload> find_offloads(const Device& device);

// Whether the hardware forwards a flow of this /proc/net/nf_conntrack.
bool has_hardware_flow(std::istream& connections);

// Whether the hardware forwards the flows of a flowtable that `nft list flowtables` prints.
bool has_hardware_table(const std::string& flowtables);

// Throws Error(kFailed) that names the first of find_offloads(), and --force.
void require_no_offload(const Device& device);

}  // namespace penstock::gw
