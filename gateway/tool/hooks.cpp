// SPDX-License-Identifier: GPL-2.0-only
#include "gateway/tool/hooks.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/pkt_sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gateway/common/descriptor.h"
#include "gateway/common/netlink.h"
#include "gateway/tool/error.h"

namespace penstock::gw {

namespace {

// Linux 6.6; the headers of Debian 12 are older.
constexpr std::uint32_t kTcxIngress = 46;
constexpr std::uint32_t kTcxEgress = 47;

bpf_tc_hook hook_of(const Device& device, bpf_tc_attach_point point) {
  bpf_tc_hook hook{};
  hook.sz = sizeof(hook);
  hook.ifindex = device.ifindex;
  hook.attach_point = point;
  return hook;
}

void attach_filter(const Device& device, bpf_tc_attach_point point, int program) {
  const bpf_tc_hook hook = hook_of(device, point);
  bpf_tc_opts options{};
  options.sz = sizeof(options);
  options.prog_fd = program;
  options.flags = BPF_TC_F_REPLACE;
  options.handle = kHandle;
  options.priority = kPriority;
  const int error = bpf_tc_attach(&hook, &options);
  if (error) throw system_error("cannot attach to " + device.name, -error);
}

bool has_filter(const Device& device, bpf_tc_attach_point point) {
  const bpf_tc_hook hook = hook_of(device, point);
  bpf_tc_opts options{};
  options.sz = sizeof(options);
  options.handle = kHandle;
  options.priority = kPriority;
  return bpf_tc_query(&hook, &options) == 0;
}

// Filters on one clsact hook of the device: TC_H_MIN_INGRESS or _EGRESS.
int count_filters(Netlink& netlink, const Device& device, std::uint32_t hook) {
  int count = 0;
  TrafficControlRequest dump(RTM_GETTFILTER, NLM_F_DUMP, device.ifindex, 0,
                             TC_H_MAKE(TC_H_CLSACT, hook));
  // A filter chain is told of once by itself and once for each of its filters.
  netlink.send(dump, "cannot list the filters of " + device.name, [&](const nlmsghdr* h) {
    if (h->nlmsg_type == RTM_NEWTFILTER && static_cast<const tcmsg*>(NLMSG_DATA(h))->tcm_handle)
      ++count;
  });
  return count;
}

std::string link_pin(const Device& device, const char* name) { return device.pins + "/" + name; }

void attach_link(const Device& device, const char* name, std::uint32_t type, int program) {
  bpf_attr attr{};
  attr.link_create.prog_fd = static_cast<std::uint32_t>(program);
  attr.link_create.target_ifindex = static_cast<std::uint32_t>(device.ifindex);
  attr.link_create.attach_type = type;
  const Descriptor link(static_cast<int>(syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr))));
  if (!link && (errno == EINVAL || errno == EOPNOTSUPP))
    throw Error(kMissing, "the kernel has no TCX hooks (Linux 6.6): use --hook clsact");
  if (!link) throw system_error("cannot attach to " + device.name + " by TCX", errno);
  if (bpf_obj_pin(link.fd(), link_pin(device, name).c_str()))
    throw system_error("cannot pin " + link_pin(device, name), errno);
}

void update_link(const Device& device, const char* name, int program) {
  const Descriptor link(bpf_obj_get(link_pin(device, name).c_str()));
  if (!link) throw system_error("cannot open " + link_pin(device, name), errno);
  const int error = bpf_link_update(link.fd(), program, nullptr);
  if (error) throw system_error("cannot replace the program on " + device.name, -error);
}

// struct bpf_link_info of a TCX link; the headers of Debian 12 are older.
struct TcxLinkInfo {
  std::uint32_t type, id, prog_id;
  alignas(8) std::uint32_t ifindex;  // 0: detached
  std::uint32_t attach_type;
};

bool has_link(const Device& device, const char* name) {
  const Descriptor link(bpf_obj_get(link_pin(device, name).c_str()));
  TcxLinkInfo info{};
  std::uint32_t size = sizeof(info);
  return link && bpf_obj_get_info_by_fd(link.fd(), &info, &size) == 0 &&
         info.ifindex == static_cast<std::uint32_t>(device.ifindex);
}

}  // namespace

bool add_clsact(const Device& device) {
  bpf_tc_hook hook = hook_of(device, BPF_TC_INGRESS);
  const int error = bpf_tc_hook_create(&hook);
  if (error && error != -EEXIST) throw system_error("cannot add clsact to " + device.name, -error);
  return !error;
}

void remove_clsact_if_unused(const Device& device) {
  Netlink netlink;
  if (count_filters(netlink, device, TC_H_MIN_INGRESS) ||
      count_filters(netlink, device, TC_H_MIN_EGRESS))
    return;
  bpf_tc_hook hook =
      hook_of(device, static_cast<bpf_tc_attach_point>(BPF_TC_INGRESS | BPF_TC_EGRESS));
  bpf_tc_hook_destroy(&hook);
}

void attach_filters(const Device& device, const Programs& programs) {
  attach_filter(device, BPF_TC_EGRESS, programs.forward_fd);
  attach_filter(device, BPF_TC_INGRESS, programs.reverse_fd);
}

void detach_filters(const Device& device) {
  for (const auto point : {BPF_TC_INGRESS, BPF_TC_EGRESS}) {
    const bpf_tc_hook hook = hook_of(device, point);
    bpf_tc_opts options{};
    options.sz = sizeof(options);
    options.handle = kHandle;
    options.priority = kPriority;
    if (has_filter(device, point)) bpf_tc_detach(&hook, &options);
  }
}

bool has_filters(const Device& device) {
  return has_filter(device, BPF_TC_EGRESS) && has_filter(device, BPF_TC_INGRESS);
}

void attach_tcx(const Device& device, const Programs& programs) {
  attach_link(device, "link_forward", kTcxEgress, programs.forward_fd);
  attach_link(device, "link_reverse", kTcxIngress, programs.reverse_fd);
}

void update_tcx(const Device& device, const Programs& programs) {
  update_link(device, "link_forward", programs.forward_fd);
  update_link(device, "link_reverse", programs.reverse_fd);
}

bool has_tcx(const Device& device) {
  return has_link(device, "link_forward") && has_link(device, "link_reverse");
}

}  // namespace penstock::gw
