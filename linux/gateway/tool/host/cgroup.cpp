// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/host/cgroup.h"

#include <fcntl.h>
#include <mntent.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "linux/common/descriptor.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"

namespace penstock::gw {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kRootNumber = 1;
constexpr int kHandleOfKernfs = 0xfe;  // FILEID_KERNFS: the number alone

std::string mounted_at() {
  const std::unique_ptr<FILE, int (*)(FILE*)> table(setmntent("/proc/self/mounts", "r"),
                                                    &endmntent);
  if (!table) return "";
  while (const mntent* one = getmntent(table.get()))
    if (std::string(one->mnt_type) == "cgroup2") return one->mnt_dir;
  return "";
}

}  // namespace

std::string cgroup_root() {
  const std::string root = mounted_at();
  if (root.empty())
    throw Error(kMissing,
                "control groups of version 2 are not mounted here: boot with "
                "systemd.unified_cgroup_hierarchy=1; and ip-netns(8) hides them: for a network "
                "namespace use penstock-gw --netns");
  if (inode_number(root) != kRootNumber)
    throw Error(kMissing, root +
                              " is not the root of control groups, as in a container: run this "
                              "outside of it");
  return root;
}

std::string own_cgroup() {
  constexpr std::string_view kVersion2 = "0::";
  const std::string root = cgroup_root();
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(kVersion2)) return (fs::path(root) / line.substr(4)).native();
  return root;
}

Cgroup find_cgroup(const std::string& path) {
  const fs::path root = cgroup_root();
  std::error_code none;
  fs::path full = fs::weakly_canonical(path, none);
  if (!fs::is_directory(full, none) || full.native().rfind(root.native(), 0) != 0)
    full = fs::weakly_canonical(root / fs::path(path).relative_path(), none);
  const fs::path below = full.lexically_relative(root);
  if (below.empty() || *below.begin() == ".." || !fs::is_directory(full, none))
    throw Error(kUsage, "cgroup: no '" + path + "' in " + root.native() +
                            ", such as system.slice/ssh.service");
  if (below == ".")
    throw Error(kUsage, "cgroup: '" + path + "' is the root, and so every program: name one below");
  return {full.native(), inode_number(full.native()),
          static_cast<unsigned>(std::distance(below.begin(), below.end()))};
}

std::string cgroup_path(std::uint64_t id) {
  const std::string root = mounted_at();
  const Descriptor mount(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  alignas(file_handle) std::array<char, sizeof(file_handle) + sizeof(id)> bytes{};
  auto* handle = reinterpret_cast<file_handle*>(bytes.data());
  handle->handle_bytes = sizeof(id);
  handle->handle_type = kHandleOfKernfs;
  std::memcpy(bytes.data() + sizeof(file_handle), &id, sizeof(id));
  const Descriptor found(open_by_handle_at(mount.fd(), handle, O_RDONLY | O_CLOEXEC));
  if (!found) return "";
  std::error_code none;
  const fs::path path = fs::read_symlink("/proc/self/fd/" + std::to_string(found.fd()), none);
  const std::string text = path.native().substr(std::min(root.size(), path.native().size()));
  return text.ends_with(" (deleted)") || !fs::exists(path, none) ? "" : text;
}

bool is_populated(const Cgroup& cgroup) {
  std::ifstream events(cgroup.path + "/cgroup.events");
  for (std::string line; std::getline(events, line);)
    if (line == "populated 1") return true;
  return false;
}

}  // namespace penstock::gw
