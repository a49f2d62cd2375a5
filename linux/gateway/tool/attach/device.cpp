// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/attach/device.h"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/magic.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "linux/common/clock.h"
#include "linux/gateway/tool/attach/pins.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/namespaces.h"
#include "linux/gateway/tool/host/process.h"
#include "linux/gateway/tool/settings/down.h"

namespace fs = std::filesystem;

namespace penstock::gw {

namespace {

// Longer than a detach waits for windows to grow.
constexpr std::uint64_t kTurnNs = 60'000'000'000;
constexpr std::uint64_t kTurnLookNs = 20'000'000;

bool is_bpf_fs(const std::string& path) {
  struct statfs s{};
  return statfs(path.c_str(), &s) == 0 && s.f_type == BPF_FS_MAGIC;
}

// `ip netns exec NAME` mounts a /sys of its own, whose source is NAME.
bool is_sys_of_netns_exec() {
  std::ifstream mounts("/proc/self/mounts");
  bool found = false;
  for (std::string source, place, rest; mounts >> source >> place && std::getline(mounts, rest);)
    if (place == "/sys") found = fs::exists("/run/netns/" + source);
  return found;
}

// Whether what is mounted here outlives this command. Without the right to trace the first
// process its mounts cannot be compared with ours.
bool has_lasting_mounts() {
  struct stat own{}, first{};
  if (stat("/proc/1/ns/mnt", &first)) return !is_sys_of_netns_exec();
  return stat("/proc/self/ns/mnt", &own) == 0 && own.st_ino == first.st_ino;
}

// Under `ip netns exec` the first process still has the permanent /sys, as has the shell that ran
// `ip`.
std::string bpf_fs() {
  const std::string own = "/sys/fs/bpf";
  if (is_bpf_fs(own) || has_lasting_mounts()) return own;
  for (const pid_t process : {pid_t{1}, getppid()}) {
    const std::string lasting = "/proc/" + std::to_string(process) + "/root" + own;
    if (is_bpf_fs(lasting)) return lasting;
  }
  throw Error(
      kFailed,
      "no BPF file system is mounted here, as under `ip netns exec`, and pins in one mounted "
      "now would be lost when this command ends: use --netns NAME instead, or "
      "mount -t bpf -o mode=0700 bpf /sys/fs/bpf");
}

// Network namespaces are identified by their number, as two may have devices of the same name.
// This includes the initial one: recognising it requires the right to trace process 1, which the
// unit does not have.
std::string namespace_suffix() {
  struct stat s{};
  return "@" + std::to_string(stat("/proc/self/ns/net", &s) == 0 ? s.st_ino : 0);
}

// The BPF file system does not allow dots in names, and the kernel no percent sign in device
// names.
constexpr char kDot = '.';
constexpr char kDotInPins = '%';

std::string replaced(std::string text, char from, char to) {
  std::ranges::replace(text, from, to);
  return text;
}

std::string pin_root() { return bpf_fs() + "/penstock"; }

std::string pins_of(const std::string& name) {
  return pin_root() + "/" + replaced(name, kDot, kDotInPins) + namespace_suffix();
}

// Those of this network namespace.
std::vector<std::string> pin_folders() {
  std::vector<std::string> folders;
  const std::string suffix = namespace_suffix();
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(pin_root(), none))
    if (entry.path().filename().string().ends_with(suffix)) folders.push_back(entry.path());
  return folders;
}

// With what the name of an attachment says.
Device named(const std::string& name) {
  Device d;
  d.name = name;
  d.down = is_down_name(name);
  d.interface = d.down ? without_down(name) : name;
  return d;
}

std::optional<gw_attachment> attachment_at(const std::string& pins) {
  Device any;
  any.pins = pins;
  return Pins(any).attachment();
}

// Of the device of these pins, which are named by what it was called at the attach.
std::string current_name(const std::string& pins) {
  std::array<char, IF_NAMESIZE> name{};
  const auto a = attachment_at(pins);
  if (!a || !if_indextoname(a->ifindex, name.data())) return "";
  return attachment_name(name.data(), a->config.down);
}

bool has_pins_of(const std::string& pins, const Device& device) {
  const auto a = attachment_at(pins);
  return a && static_cast<int>(a->ifindex) == device.ifindex && a->config.down == device.down;
}

int device_type(const std::string& name) {
  const Descriptor any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!any) throw system_error("cannot open a socket", errno);
  ifreq request{};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  if (ioctl(any.fd(), SIOCGIFHWADDR, &request))
    throw system_error("cannot read the type of " + name, errno);
  return request.ifr_hwaddr.sa_family;
}

}  // namespace

bool is_down_name(const std::string& name) {
  return name.ends_with(kDownSuffix) && !if_nametoindex(name.c_str());
}

std::string down_name(const std::string& device) {
  if (is_down_name(device)) return device;
  const std::string name = attachment_name(device, true);
  if (!is_down_name(name))
    throw Error(kUsage, "down: an interface is called " + name +
                            ", as the attachment would be: " + "rename it");
  return name;
}

std::string driver_of(const std::string& device) {
  const Descriptor any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  ifreq request{};
  device.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&info);
  return any && ioctl(any.fd(), SIOCETHTOOL, &request) == 0 ? info.driver : "";
}

void enter_namespace(const std::string& name) {
  const std::string path = "/run/netns/" + name;
  const Descriptor space(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!space) throw Error(kUsage, "no network namespace '" + name + "': " + std::strerror(errno));
  if (setns(space.fd(), CLONE_NEWNET))
    throw system_error("cannot enter network namespace " + name, errno);
}

Device find_device(const std::string& name) {
  Device d = named(name);
  d.ifindex = static_cast<int>(if_nametoindex(d.interface.c_str()));
  if (!d.ifindex)
    throw Error(kUsage, "no device '" + d.interface + "' in this network namespace" +
                            (name.find('/') == std::string::npos
                                 ? ""
                                 : "; systemd-escape(1) prints a device's name for its unit"));
  const int type = device_type(d.interface);
  d.ethernet = type == ARPHRD_ETHER || type == ARPHRD_LOOPBACK;
  const bool plain_ip = type == ARPHRD_NONE || type == ARPHRD_PPP || type == ARPHRD_TUNNEL ||
                        type == ARPHRD_TUNNEL6 || type == ARPHRD_SIT || type == ARPHRD_IPGRE ||
                        type == ARPHRD_RAWIP;
  if (!d.ethernet && !plain_ip)
    throw Error(kUsage, name + " carries neither Ethernet nor IP packets (type " +
                            std::to_string(type) + ")");
  d.pins = pins_of(name);
  if (const std::string other = current_name(d.pins); !other.empty() && other != name)
    d.pins.clear();
  for (const std::string& pins : pin_folders())
    if (has_pins_of(pins, d)) d.pins = pins;
  return d;
}

Device find_device_or_pins(const std::string& name) {
  Device gone = named(name);
  gone.pins = pins_of(name);
  if (if_nametoindex(gone.interface.c_str()) || !fs::exists(gone.pins)) return find_device(name);
  const std::string renamed = current_name(gone.pins);
  return renamed.empty() ? gone : find_device(renamed);
}

void make_way(const std::string& name) {
  const std::string own = pins_of(name);
  const std::string other = current_name(own);
  if (!other.empty() && other != name) fs::rename(own, pins_of(other));
}

std::uint64_t namespace_cookie() {
  constexpr int kNamespaceCookie = 71;  // SO_NETNS_COOKIE; some headers are older
  const Descriptor any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  std::uint64_t cookie = 0;
  socklen_t size = sizeof(cookie);
  return any && getsockopt(any.fd(), SOL_SOCKET, kNamespaceCookie, &cookie, &size) == 0 ? cookie
                                                                                        : 0;
}

std::string runtime_path(const std::string& name) {
  return std::string(kRuntimeFolder) + "/" + name + "@" + std::to_string(namespace_cookie());
}

void make_runtime_folder() {
  std::error_code error;
  fs::create_directories(kRuntimeFolder, error);
  if (error) throw system_error(std::string("cannot make ") + kRuntimeFolder, error.value());
}

std::vector<std::string> pinned_devices() {
  std::vector<std::string> names;
  const std::size_t suffix = namespace_suffix().size();
  for (const std::string& pins : pin_folders()) {
    const std::string name = fs::path(pins).filename();
    const std::string now = current_name(pins);
    names.push_back(now.empty() ? replaced(name.substr(0, name.size() - suffix), kDotInPins, kDot)
                                : now);
  }
  return names;
}

std::vector<Leftover> leftovers() {
  std::vector<Leftover> found;
  const std::string suffix = namespace_suffix();
  std::optional<std::set<std::uint64_t>> spaces;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(pin_root(), none)) {
    const std::string name = entry.path().filename();
    const std::size_t at = name.rfind('@');
    if (at == std::string::npos || name.substr(at) == suffix) continue;
    if (!spaces) spaces = network_namespaces();
    if (!spaces) return {};
    Leftover left;
    left.space = name.substr(at + 1);
    if (spaces->contains(std::stoull("0" + left.space))) continue;
    left.device = named(replaced(name.substr(0, at), kDotInPins, kDot));
    left.device.pins = entry.path();
    found.push_back(left);
  }
  return found;
}

void make_pin_folder(const Device& device) {
  const std::string root = bpf_fs();
  if (!is_bpf_fs(root) && mount("bpf", root.c_str(), "bpf", 0, "mode=0700"))
    throw system_error("cannot mount the BPF file system at " + root, errno);
  std::error_code error;
  fs::create_directories(device.pins, error);
  if (error) throw system_error("cannot make " + device.pins, error.value());
}

Descriptor take_turn(Patience patience) {
  const std::uint64_t end_ns = clock_ns() + kTurnNs;
  Descriptor folder(open(bpf_fs().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Whoever cannot open it cannot change an attachment either, and says so.
  while (folder && flock(folder.fd(), LOCK_EX | LOCK_NB)) {
    if ((is_stopped() && patience == Patience::kUntilStopped) || clock_ns() > end_ns)
      throw Error(kFailed, "another penstock-gw is changing attachments");
    wait_ns(kTurnLookNs);
  }
  return folder;
}

bool is_changing() {
  const Descriptor folder(open(bpf_fs().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder && flock(folder.fd(), LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
}

void remove_pins(const Device& device) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(device.pins, none)) unlink(entry.path().c_str());
  rmdir(device.pins.c_str());
  rmdir(pin_root().c_str());
}

}  // namespace penstock::gw
