// SPDX-License-Identifier: GPL-2.0-only
// Other programs, such as nft(8) and tc(8), for information that no system call gives here.
#pragma once

#include <string>
#include <vector>

namespace penstock::gw {

// The output of a program; empty if it is not installed or fails.
std::string output_of(const std::vector<std::string>& words);

}  // namespace penstock::gw
