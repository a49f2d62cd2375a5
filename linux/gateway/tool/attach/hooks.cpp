// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/attach/hooks.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/pkt_sched.h>
#include <net/if.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "linux/common/descriptor.h"
#include "linux/common/netlink.h"
#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

namespace {

// Linux 6.6; the headers of Debian 12 are older.
constexpr std::uint32_t kTcxIngress = 46;
constexpr std::uint32_t kTcxEgress = 47;

// The hook of one of the two programs.
struct Place {
  int ifindex;
  bpf_tc_attach_point point;
  unsigned handle;
};

Place forward_place(const Device& device) {
  if (device.down) return {device.ifindex, BPF_TC_INGRESS, kDownHandle};
  return {device.ifindex, BPF_TC_EGRESS, kHandle};
}

Place acks_place(const Device& device, int ifindex) {
  return {ifindex, BPF_TC_EGRESS, kAcksHandle + static_cast<unsigned>(device.ifindex)};
}

Place reverse_place(const Device& device) {
  if (device.down) return {device.ifindex, BPF_TC_EGRESS, kDownHandle};
  if (device.acks_ifindex) return acks_place(device, device.acks_ifindex);
  return {device.ifindex, BPF_TC_INGRESS, kHandle};
}

bpf_tc_hook hook_of(int ifindex, bpf_tc_attach_point point) {
  bpf_tc_hook hook{};
  hook.sz = sizeof(hook);
  hook.ifindex = ifindex;
  hook.attach_point = point;
  return hook;
}

bpf_tc_opts options_of(const Place& place) {
  bpf_tc_opts options{};
  options.sz = sizeof(options);
  options.handle = place.handle;
  options.priority = kPriority;
  return options;
}

void attach_filter(const Device& device, const Place& place, int program) {
  const bpf_tc_hook hook = hook_of(place.ifindex, place.point);
  bpf_tc_opts options = options_of(place);
  options.prog_fd = program;
  options.flags = BPF_TC_F_REPLACE;
  const int error = bpf_tc_attach(&hook, &options);
  if (error) throw system_error("cannot attach to " + device.name, -error);
}

bool has_filter(const Place& place) {
  const bpf_tc_hook hook = hook_of(place.ifindex, place.point);
  bpf_tc_opts options = options_of(place);
  return bpf_tc_query(&hook, &options) == 0;
}

void detach_filter(const Place& place) {
  const bpf_tc_hook hook = hook_of(place.ifindex, place.point);
  const bpf_tc_opts options = options_of(place);
  if (has_filter(place)) bpf_tc_detach(&hook, &options);
}

std::string link_pin(const Device& device, const char* name) { return device.pins + "/" + name; }

void attach_link(const Device& device, const char* name, const Place& place, int program) {
  bpf_attr attr{};
  attr.link_create.prog_fd = static_cast<std::uint32_t>(program);
  attr.link_create.target_ifindex = static_cast<std::uint32_t>(place.ifindex);
  attr.link_create.attach_type = place.point == BPF_TC_EGRESS ? kTcxEgress : kTcxIngress;
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

bool has_link(const Device& device, const char* name, int ifindex) {
  const Descriptor link(bpf_obj_get(link_pin(device, name).c_str()));
  TcxLinkInfo info{};
  std::uint32_t size = sizeof(info);
  return link && bpf_obj_get_info_by_fd(link.fd(), &info, &size) == 0 &&
         info.ifindex == static_cast<std::uint32_t>(ifindex);
}

}  // namespace

Device as_attached(Device device, const gw_attachment& a) {
  device.ethernet = a.config.ethernet;
  std::array<char, IF_NAMESIZE> name{};  // it may have another than at the attach
  if (a.acks_ifindex && if_indextoname(a.acks_ifindex, name.data()))
    device.acks_ifindex = static_cast<int>(a.acks_ifindex);
  return device;
}

bool is_of(const gw_attachment& a, const Device& device) {
  return a.ifindex == static_cast<std::uint32_t>(device.ifindex) &&
         a.acks_ifindex == static_cast<std::uint32_t>(device.acks_ifindex);
}

bool add_clsact(const Device& device, int ifindex) {
  bpf_tc_hook hook = hook_of(ifindex, BPF_TC_INGRESS);
  const int error = bpf_tc_hook_create(&hook);
  if (error && error != -EEXIST) throw system_error("cannot add clsact to " + device.name, -error);
  return !error;
}

void remove_clsact_if_unused(int ifindex) {
  Netlink netlink;
  if (!netlink.filters(ifindex, TC_H_MIN_INGRESS).empty() ||
      !netlink.filters(ifindex, TC_H_MIN_EGRESS).empty())
    return;
  bpf_tc_hook hook =
      hook_of(ifindex, static_cast<bpf_tc_attach_point>(BPF_TC_INGRESS | BPF_TC_EGRESS));
  bpf_tc_hook_destroy(&hook);
}

void attach_filters(const Device& device, const Programs& programs) {
  attach_filter(device, forward_place(device), programs.forward_fd);
  attach_filter(device, reverse_place(device), programs.reverse_fd);
}

void detach_filters(const Device& device) {
  if (device.ifindex) detach_filter(forward_place(device));
  if (device.ifindex || device.acks_ifindex) detach_filter(reverse_place(device));
}

bool has_filters(const Device& device) {
  return has_filter(forward_place(device)) && has_filter(reverse_place(device));
}

void detach_stray_acks_filters(const Device& device) {
  struct if_nameindex* const all = if_nameindex();
  for (const auto* each = all; each && each->if_index; ++each)
    detach_filter(acks_place(device, static_cast<int>(each->if_index)));
  if_freenameindex(all);
}

void attach_tcx(const Device& device, const Programs& programs) {
  attach_link(device, "link_forward", forward_place(device), programs.forward_fd);
  attach_link(device, "link_reverse", reverse_place(device), programs.reverse_fd);
}

void update_tcx(const Device& device, const Programs& programs) {
  update_link(device, "link_forward", programs.forward_fd);
  update_link(device, "link_reverse", programs.reverse_fd);
}

bool has_tcx(const Device& device) {
  return has_link(device, "link_forward", device.ifindex) &&
         has_link(device, "link_reverse", reverse_place(device).ifindex);
}

std::string filter_before(int ifindex, Hook hook) {
  const bool out = hook == Hook::kEgress;
  for (const Filter& filter : Netlink().filters(ifindex, out ? TC_H_MIN_EGRESS : TC_H_MIN_INGRESS))
    if (filter.priority < kPriority)
      return filter.kind + " filter" + (filter.name.empty() ? "" : " " + filter.name) +
             " of priority " + std::to_string(filter.priority);
  return "";
}

}  // namespace penstock::gw
