// SPDX-License-Identifier: GPL-2.0-only
// This process: signals that end it, its rights, and other programs that it asks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace penstock::gw {

void stop_on_signals();
bool is_stopped();

// Less if a signal comes.
void wait_ns(std::uint64_t ns);

// CAP_PERFMON, or its predecessor before Linux 5.8.
bool may_trace();

// Drops the rights that the systemd unit lacks, so that a command that works here works
// there.
void keep_unit_rights();

// Of a file; 0 if it cannot be read, and errno says why.
std::uint64_t inode_number(const std::string& path);

// The output of a program; empty if it is not installed or fails.
std::string output_of(const std::vector<std::string>& words);

}  // namespace penstock::gw
