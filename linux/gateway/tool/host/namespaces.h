// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>
#include <set>

namespace penstock::gw {

// The inode numbers of all network namespaces that a process, a mount or an open file holds.
// Nothing where that cannot be told: without the right to see every process.
std::optional<std::set<std::uint64_t>> network_namespaces();

}  // namespace penstock::gw
