// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/view/doctor.h"

#include <sys/utsname.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/describe.h"
#include "linux/common/netlink.h"
#include "linux/common/quantity.h"
#include "linux/common/shell.h"
#include "linux/gateway/tool/attach/offload.h"
#include "linux/gateway/tool/attach/pins.h"
#include "linux/gateway/tool/attach/program.h"
#include "linux/gateway/tool/attach/shaper.h"
#include "linux/gateway/tool/cc/cc.h"
#include "linux/gateway/tool/host/error.h"
#include "linux/gateway/tool/host/process.h"
#include "linux/gateway/tool/settings/settings.h"
#include "linux/gateway/tool/view/elsewhere.h"
#include "linux/gateway/tool/view/snapshot.h"

namespace penstock::gw {

namespace {

using Findings = std::vector<Finding>;

constexpr double kLeastControllable = 0.5;
constexpr std::uint64_t kEnoughPackets = 1000;
constexpr std::uint32_t kProbeFlows = 64;

void examine_kernel(Findings& all) {
  utsname name{};
  uname(&name);
  all.push_back({Finding::kGood, std::string("Linux ") + name.release, ""});
  std::ifstream jit("/proc/sys/net/core/bpf_jit_enable");
  int enabled = 1;
  jit >> enabled;
  if (!enabled)
    all.push_back({Finding::kProblem, "BPF programs are interpreted: some ten times slower",
                   "sysctl net.core.bpf_jit_enable=1"});
  if (!kernel_has_btf())
    all.push_back({Finding::kNote, "no BTF: the kernel's backlog cannot be read",
                   "a virtual queue at the rate is used in its place; or build the kernel with "
                   "CONFIG_DEBUG_INFO_BTF"});
  else
    all.push_back({Finding::kGood, "the kernel's backlog can be read", ""});
}

// Actually loads the program, with maps of its own, and releases it.
void examine_program(const Device& device, Findings& all) {
  for (const std::uint32_t source :
       {GW_QUEUE_KERNEL, GW_QUEUE_VIRTUAL, GW_QUEUE_PASSIVE, GW_QUEUE_UPSTREAM}) {
    const bool down = source == GW_QUEUE_UPSTREAM;
    if (source == GW_QUEUE_KERNEL && !kernel_has_btf()) continue;
    Settings settings;
    settings.rate = "1mbit";
    if (source == GW_QUEUE_PASSIVE) {
      settings.rate = "auto";
      settings.source = source_name(source);
    }
    if (down) settings.rate.reset();
    gw_config config = plan_of(settings, down ? Below::kBefore : Below::kPlain).config;
    config.queue_source = source;
    config.ethernet = device.ethernet;
    config.max_flows = kProbeFlows;
    const std::string name = std::string("program with the ") + source_name(source) + " queue";
    try {
      Program(config, "").start(true);
      all.push_back({Finding::kGood, name + " loads, and its clock starts", ""});
    } catch (const Error& e) {
      all.push_back({Finding::kProblem, name + ": " + e.what(),
                     source == GW_QUEUE_KERNEL ? "use --source virtual" : ""});
    }
  }
}

// Loads the programs of one congestion control without registering it.
void examine_control(Findings& all, const char* method, const char* good) {
  try {
    try_control(method);
    all.push_back({Finding::kGood, good, ""});
  } catch (const Error& e) {
    all.push_back(
        {Finding::kNote, std::string(method) + ": " + e.what(), "only `penstock-gw cc` needs it"});
  }
}

void examine_controls(Findings& all) {
  examine_control(all, pst_sender_rows[PST_SENDER_WESTWOOD_PLUS].name,
                  "congestion controls in BPF load (penstock-gw cc)");
  examine_control(all, pst_sharing_rows[PST_SHARING_EFCM].name,
                  "connections can share congestion state (penstock-gw cc load efcm)");
}

void examine_offloads(const Device& device, Findings& all) {
  for (const Offload& offload : find_offloads(device))
    all.push_back({Finding::kProblem, offload.what, offload.advice});
}

void examine_kind(const Device& device, Findings& all) {
  if (driver_of(device.interface) == "bridge")
    all.push_back({Finding::kNote,
                   device.interface +
                       " is a bridge: what it forwards between its ports passes none of "
                       "its hooks, and what is routed to it does",
                   "for bridged traffic attach to the port at the bottleneck"});
}

void examine_queue(const Device& device, Findings& all) {
  Netlink netlink;
  const auto qdiscs = netlink.qdiscs(device.ifindex);
  const Qdisc* root = find_root(qdiscs);
  if (root && root->handle && root->handle != kShaperHandle)
    all.push_back({Finding::kNote, "root qdisc " + root->kind + " is there already",
                   "attach with --queue existing, or remove it"});
}

// ACKs that have come in by the device leave by any other; those of an ifb by its own one.
bool may_carry_acks(const std::string& name, const Device& device, const std::string& acks) {
  return acks.empty() ? name != device.interface : name == acks;
}

// Netlink tells no more than the qdisc's kind.
void examine_ack_filters(const Device& device, const std::string& acks, Findings& all) {
  const std::string text = output_of({"tc", "-j", "qdisc", "show"});
  const auto qdiscs = nlohmann::json::parse(text, nullptr, false);
  if (!qdiscs.is_array()) return;
  for (const auto& qdisc : qdiscs) {
    const std::string filter =
        qdisc.value("options", nlohmann::json::object()).value("ack-filter", "disabled");
    const std::string name = qdisc.value("dev", "");
    if (filter == "disabled" || !may_carry_acks(name, device, acks)) continue;
    all.push_back({Finding::kNote,
                   "CAKE on " + name + " filters ACKs: it may drop the one that carries a window",
                   "tc qdisc change dev " + shell_word(name) + " root cake no-ack-filter"});
  }
}

void examine_traffic(const Device& device, Findings& all) {
  const Snapshot s = take_snapshot(device);
  examine_ack_filters(device, s.attachment.acks, all);
  if (s.state == State::kOff) {
    all.push_back({Finding::kNote, "not attached", ""});
    return;
  }
  if (s.state == State::kDegraded) all.push_back({Finding::kProblem, s.reason, ""});
  // Of what waits elsewhere, examine_waits() says more.
  if (const std::string warning = s.warning(); !warning.empty() && !far_wait_ns(s))
    all.push_back({Finding::kProblem, warning,
                   "penstock-gw explain " + shell_word(device.name) + " shows the law's values"});
  if (s.count(GW_COUNT_forward_bytes) > 1'000'000 && s.controllable_ratio() < kLeastControllable)
    all.push_back({Finding::kNote,
                   "less than half of the bytes can be controlled: the rest is not "
                   "TCP, or older than the attachment",
                   "see bypassed in penstock-gw status"});
  if (!not_held_text(s).empty())
    all.push_back(
        {Finding::kNote,
         round_size(s.count(GW_COUNT_reverse_bytes)) + " came in by " + device.name + " and " +
             round_size(s.count(GW_COUNT_forward_bytes)) +
             " left: this attachment holds only what leaves, and downloads queue at the "
             "other end of the line",
         "penstock-gw attach " + shell_word(device.name) + " --down holds what comes in as well"});
  const std::string acks = s.attachment.acks;
  if (!s.count(GW_COUNT_reverse_packets) && s.count(GW_COUNT_forward_packets) > kEnoughPackets)
    all.push_back({Finding::kProblem,
                   acks.empty()
                       ? std::string(device.down ? "no packet leaves" : "no packet comes in") +
                             " by " + device.interface + ": the ACKs take another way"
                       : "no packet leaves by " + acks + ": the ACKs take another way",
                   "attach where both directions pass, or name the ACKs' device with --acks"});
  if (!acks.empty() && !s.count(GW_COUNT_forward_packets) &&
      s.count(GW_COUNT_reverse_packets) > kEnoughPackets)
    all.push_back({Finding::kProblem, "no packet goes out of " + device.name,
                   "redirect to it what comes in by " + acks + ": see tc-mirred(8)"});
}

}  // namespace

std::vector<Finding> examine(const Device& device) {
  keep_unit_rights();
  Findings all;
  examine_kernel(all);
  examine_program(device, all);
  examine_controls(all);
  examine_offloads(device, all);
  examine_kind(device, all);
  examine_queue(device, all);
  examine_traffic(device, all);
  return all;
}

}  // namespace penstock::gw
