// SPDX-License-Identifier: GPL-2.0-only
// Puts the two programs on the device's hooks, and takes them away again.
// Others' filters and qdiscs stay as they are.
#pragma once

#include "gateway/bpf/shared.h"
#include "gateway/tool/device.h"

namespace penstock::gw {

// The device with the one by which its ACKs leave, if that is there; and whether both are those
// that were attached, neither gone nor made again.
Device as_attached(Device device, const gw_attachment& attachment);
bool is_of(const gw_attachment& attachment, const Device& device);

struct Programs {
  int forward_fd;
  int reverse_fd;
};

inline constexpr unsigned kPriority = 4630;
inline constexpr unsigned kHandle = 0x5057;
// Of the ACKs' program on another device: this plus the index of the data's device, as
// several may share that one.
inline constexpr unsigned kAcksHandle = 0x50570000;

// Adds the clsact qdisc where there is none; true if it did.
bool add_clsact(const Device& device, int ifindex);
void remove_clsact_if_unused(const Device& device, int ifindex);

// Attaches, or puts new programs in the place of ours, each hook in one step.
void attach_filters(const Device& device, const Programs& programs);
void detach_filters(const Device& device);
bool has_filters(const Device& device);

// Of an attachment that did not come to its end, whose ACKs may leave by any device.
void detach_stray_acks_filters(const Device& device);

// The same by TCX links (Linux 6.6), pinned in the device's folder.
void attach_tcx(const Device& device, const Programs& programs);
void update_tcx(const Device& device, const Programs& programs);
bool has_tcx(const Device& device);

}  // namespace penstock::gw
