// SPDX-License-Identifier: GPL-2.0-only
// Control groups of version 2, by which the kernel knows whose a socket is.
#pragma once

#include <cstdint>
#include <string>

namespace penstock::gw {

struct Cgroup {
  std::string path;  // in the file system
  std::uint64_t id = 0;
  unsigned depth = 0;  // below the root
};

// Where they are mounted. Throws Error if they are not, or if this process does not see their root.
std::string cgroup_root();

// That of this process, in the file system. Throws likewise.
std::string own_cgroup();

// By its path, which may begin at the mount or at the root. Throws Error(kUsage) if there is none,
// or it is the root itself.
Cgroup find_cgroup(const std::string& path);

// Its path below the root, such as "/system.slice/ssh.service"; empty if it is gone.
std::string cgroup_path(std::uint64_t id);

// Whether a process is in it or below it.
bool is_populated(const Cgroup& cgroup);

}  // namespace penstock::gw
