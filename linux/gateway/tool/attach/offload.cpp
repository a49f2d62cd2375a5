// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/attach/offload.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <fstream>

#include "linux/common/descriptor.h"
#include "linux/common/shell.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"

namespace penstock::gw {

namespace {

bool ethtool_flag(const Device& device, std::uint32_t command, std::uint32_t bit) {
  const Descriptor any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ethtool_value value{};
  value.cmd = command;
  ifreq request{};
  device.interface.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&value);
  return any && ioctl(any.fd(), SIOCETHTOOL, &request) == 0 && (value.data & bit);
}

}  // namespace

bool has_hardware_flow(std::istream& connections) {
  for (std::string line; std::getline(connections, line);)
    if (line.find("[HW_OFFLOAD]") != std::string::npos) return true;
  return false;
}

// Its JSON leaves the flags out.
bool has_hardware_table(const std::string& flowtables) {
  return flowtables.find("flags offload") != std::string::npos;
}

std::vector<Offload> find_offloads(const Device& device) {
  std::vector<Offload> all;
  if (ethtool_flag(device, ETHTOOL_GFLAGS, ETH_FLAG_LRO))
    all.push_back({"LRO joins packets so that they cannot be forwarded as they came",
                   "ethtool -K " + shell_word(device.interface) + " lro off"});
  std::ifstream connections("/proc/net/nf_conntrack");
  if (has_hardware_flow(connections))
    all.push_back({"flows are forwarded by the hardware: the programs do not see them",
                   "turn hardware flow offload off"});
  else if (has_hardware_table(output_of({"nft", "list", "flowtables"})))
    all.push_back(
        {"a flowtable has the flag offload: the hardware forwards flows, and the "
         "programs do not see them",
         "remove the flag: nft list flowtables shows it"});
  return all;
}

void require_no_offload(const Device& device) {
  for (const Offload& offload : find_offloads(device))
    throw Error(kFailed, device.name + ": " + offload.what + "; " + offload.advice +
                             ", or attach with --force");
}

}  // namespace penstock::gw
