// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/host/namespaces.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "linux/gateway/tool/host/process.h"

namespace fs = std::filesystem;

namespace penstock::gw {

namespace {

// The number of the first namespace of processes: PROC_PID_INIT_INO of Linux' linux/proc_ns.h.
constexpr std::uint64_t kFirstOfProcesses = 0xeffffffc;
constexpr std::string_view kNet = "net:[";

using Numbers = std::set<std::uint64_t>;

// Of "net:[4026531840]", wherever it stands in a text.
void add_named(const std::string& text, Numbers& all) {
  const std::size_t at = text.find(kNet);
  if (at != std::string::npos) all.insert(std::stoull("0" + text.substr(at + kNet.size())));
}

void add_mounts(const std::string& process, Numbers& all) {
  std::ifstream mounts(process + "/mountinfo");
  for (std::string line; std::getline(mounts, line);) add_named(line, all);
}

void add_open_files(const std::string& process, Numbers& all) {
  std::error_code none;
  for (const auto& file : fs::directory_iterator(process + "/fd", none))
    add_named(fs::read_symlink(file.path(), none).string(), all);
}

// False if a thread may not be looked at; one that has just ended holds nothing.
bool add_threads(const std::string& process, Numbers& all) {
  std::error_code none;
  for (const auto& thread : fs::directory_iterator(process + "/task", none)) {
    const std::uint64_t number = inode_number(thread.path().string() + "/ns/net");
    if (!number && errno != ENOENT && errno != ESRCH) return false;
    all.insert(number);
  }
  return true;
}

}  // namespace

std::optional<std::set<std::uint64_t>> network_namespaces() {
  if (inode_number("/proc/self/ns/pid") != kFirstOfProcesses) return {};
  Numbers all, mounts;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc", none)) {
    const std::string process = entry.path().string();
    const std::string name = entry.path().filename();
    if (!std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c); })) continue;
    // The first process may be out of reach even for root; its namespace is the kernel's threads'
    // too.
    if (!add_threads(process, all) && name != "1") return {};
    if (mounts.insert(inode_number(process + "/ns/mnt")).second) add_mounts(process, all);
    add_open_files(process, all);
  }
  return all;
}

}  // namespace penstock::gw
