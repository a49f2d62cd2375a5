// SPDX-License-Identifier: GPL-2.0-only
// Attaches the two programs to the device's hooks and detaches them. Filters and qdiscs of others
// are not changed.
#pragma once

#include "linux/gateway/bpf/shared.h"
#include "linux/gateway/tool/attach/device.h"

namespace penstock::gw {

// The device with the one through which its ACKs leave, if it exists; and whether both are those
// that were attached, neither removed nor created again.
Device as_attached(Device device, const gw_attachment& attachment);
bool is_of(const gw_attachment& attachment, const Device& device);

struct Programs {
  int forward_fd;
  int reverse_fd;
};

inline constexpr unsigned kPriority = 4630;
inline constexpr unsigned kHandle = 0x5057;
inline constexpr unsigned kDownHandle = 0x5058;  // of both programs where data comes in
// Of the ACKs' program on another device: this plus the index of the data's device, as
// several may share that one.
inline constexpr unsigned kAcksHandle = 0x50570000;

// Adds the clsact qdisc if missing; true if it did.
bool add_clsact(const Device& device, int ifindex);
void remove_clsact_if_unused(int ifindex);

// Attaches or replaces our programs, each hook in one step.
void attach_filters(const Device& device, const Programs& programs);
void detach_filters(const Device& device);
bool has_filters(const Device& device);

enum class Hook { kIngress, kEgress };

// A filter of others that sees packets before ours do, and may end their way: "bpf filter NAME of
// priority 1"; empty if there is none.
std::string filter_before(int ifindex, Hook hook);

// For an incomplete attachment, whose ACKs may leave through any device.
void detach_stray_acks_filters(const Device& device);

// The same with TCX links (Linux 6.6), pinned in the device's folder.
void attach_tcx(const Device& device, const Programs& programs);
void update_tcx(const Device& device, const Programs& programs);
bool has_tcx(const Device& device);

}  // namespace penstock::gw
