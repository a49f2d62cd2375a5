// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/attach/shaper.h"

#include <linux/pkt_sched.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string_view>

#include "core/sizes.h"

namespace penstock::gw {

namespace {

constexpr std::uint32_t kShaperClass = kShaperHandle | 1;
constexpr std::uint32_t kFifoHandle = 0x50580000;
constexpr std::uint64_t kTickNs = 64;  // PSCHED_TICKS2NS(1)

void put_root(Netlink& netlink, std::uint16_t flags, int ifindex) {
  TrafficControlRequest root(RTM_NEWQDISC, flags, ifindex, kShaperHandle, TC_H_ROOT);
  root.put(TCA_KIND, "htb");
  const std::uint32_t begin = root.open(TCA_OPTIONS);
  tc_htb_glob glob{};
  glob.version = 3;
  glob.rate2quantum = 10;
  glob.defcls = 1;
  root.put(TCA_HTB_INIT, &glob, sizeof(glob));
  root.close(begin);
  netlink.send(root, "cannot install HTB as the root qdisc");
}

void put_class(Netlink& netlink, std::uint16_t flags, int ifindex, std::uint64_t rate) {
  TrafficControlRequest one(RTM_NEWTCLASS, flags, ifindex, kShaperClass, kShaperHandle);
  one.put(TCA_KIND, "htb");
  const std::uint32_t begin = one.open(TCA_OPTIONS);
  // A burst of two milliseconds, so that timers need not be finer, and two packets.
  const std::uint64_t burst_bytes = std::max<std::uint64_t>(2 * PST_FULL_FRAME_BYTES, rate / 500);
  tc_htb_opt opt{};
  opt.rate.rate = static_cast<std::uint32_t>(std::min<std::uint64_t>(rate, UINT32_MAX));
  opt.rate.linklayer = TC_LINKLAYER_ETHERNET;
  opt.ceil = opt.rate;
  opt.buffer = static_cast<std::uint32_t>(burst_bytes * 1'000'000'000 / rate / kTickNs);
  opt.cbuffer = opt.buffer;
  opt.quantum = PST_FULL_FRAME_BYTES;
  one.put(TCA_HTB_PARMS, &opt, sizeof(opt));
  if (rate > UINT32_MAX) {
    one.put(TCA_HTB_RATE64, &rate, sizeof(rate));
    one.put(TCA_HTB_CEIL64, &rate, sizeof(rate));
  }
  one.close(begin);
  netlink.send(one, "cannot set the rate");
}

void put_fifo(Netlink& netlink, std::uint16_t flags, int ifindex, std::uint64_t buffer_bytes) {
  TrafficControlRequest fifo(RTM_NEWQDISC, flags, ifindex, kFifoHandle, kShaperClass);
  fifo.put(TCA_KIND, "bfifo");
  tc_fifo_qopt limit{};
  limit.limit = static_cast<std::uint32_t>(buffer_bytes);
  fifo.put(TCA_OPTIONS, &limit, sizeof(limit));
  netlink.send(fifo, "cannot install the byte-limited FIFO");
}

bool has_kind(const std::vector<Qdisc>& qdiscs, std::span<const std::string_view> kinds) {
  return std::ranges::any_of(
      qdiscs, [&](const Qdisc& q) { return std::ranges::find(kinds, q.kind) != kinds.end(); });
}

}  // namespace

void add_shaper(Netlink& netlink, int ifindex, std::uint64_t rate_bytes_per_s,
                std::uint64_t buffer_bytes) {
  constexpr std::uint16_t kFlags = NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;
  put_root(netlink, kFlags, ifindex);
  put_class(netlink, kFlags, ifindex, rate_bytes_per_s);
  put_fifo(netlink, kFlags, ifindex, buffer_bytes);
}

void change_shaper(Netlink& netlink, int ifindex, std::uint64_t rate_bytes_per_s,
                   std::uint64_t buffer_bytes) {
  put_class(netlink, NLM_F_ACK, ifindex, rate_bytes_per_s);
  put_fifo(netlink, NLM_F_ACK, ifindex, buffer_bytes);
}

void remove_shaper(Netlink& netlink, int ifindex) {
  TrafficControlRequest root(RTM_DELQDISC, NLM_F_ACK, ifindex, kShaperHandle, TC_H_ROOT);
  netlink.send(root, "cannot remove the root qdisc");
}

std::string shaper_fault(const std::vector<Qdisc>& qdiscs) {
  const Qdisc* root = find_root(qdiscs);
  if (!root || root->handle != kShaperHandle || root->kind != "htb")
    return "the root qdisc was replaced by " +
           (root ? root->kind + " " + handle_text(root->handle) : "none");
  for (const Qdisc& q : qdiscs)
    if (q.parent == kShaperClass && q.handle == kFifoHandle && q.kind == "bfifo") return "";
  return "the FIFO in the root qdisc was replaced";
}

std::string backlog_fault(const std::vector<Qdisc>& qdiscs) {
  const Qdisc* root = find_root(qdiscs);
  const std::string kind = root ? root->kind : "none";
  // One of them has no backlog; the other counts per CPU.
  const bool unread = !root || kind == "noqueue" || kind == "noop" || kind == "pfifo_fast";
  return unread ? "the root qdisc (" + kind + ") has no backlog to read" : "";
}

std::string pace_fault(const std::vector<Qdisc>& qdiscs) {
  const Qdisc* root = find_root(qdiscs);
  if (!root) return "no root qdisc";
  if (root->kind == "fq") return "";
  if (root->kind != "mq") return "the root qdisc " + root->kind;
  for (const Qdisc& q : qdiscs)
    if (TC_H_MAJ(q.parent) == TC_H_MAJ(root->handle) && q.handle != root->handle && q.kind != "fq")
      return "a queue of mq with " + q.kind;
  return "";
}

Leaf leaf_of(const std::vector<Qdisc>& qdiscs, const std::vector<TrafficClass>& classes,
             std::uint32_t class_id) {
  // Others, such as fq_codel and mq, show flows or queues as classes.
  constexpr std::string_view kDividing[] = {"drr", "ets", "hfsc", "htb", "prio", "qfq"};
  const Qdisc* root = find_root(qdiscs);
  const bool divides = root && std::ranges::find(kDividing, root->kind) != std::end(kDividing);
  std::vector<TrafficClass> own = classes;
  std::erase_if(own, [&](const TrafficClass& c) {
    return !divides || TC_H_MAJ(c.id) != TC_H_MAJ(root->handle);
  });
  own = leaves_of(own);
  if (!class_id && own.size() <= 1) return {};
  std::string names;
  for (const TrafficClass& c : own) {
    if (c.id == class_id) return {c.leaf, c.id};
    names += (names.empty() ? "" : ", ") + handle_text(c.id);
  }
  if (!class_id)
    throw std::invalid_argument("the root qdisc (" + root->kind + ") has the classes " + names +
                                ": name the one to read with --class");
  throw std::invalid_argument("there is no leaf class " + handle_text(class_id) +
                              (names.empty() ? "" : "; there are " + names));
}

bool keeps_short(const std::vector<Qdisc>& qdiscs) {
  constexpr std::string_view kShort[] = {"cake",     "cake_mq", "codel", "dualpi2",
                                         "fq_codel", "fq_pie",  "pie"};
  return has_kind(qdiscs, kShort);
}

bool may_mark(const std::vector<Qdisc>& qdiscs) {
  constexpr std::string_view kMarking[] = {"choke", "fq", "gred", "red", "sfb"};
  return keeps_short(qdiscs) || has_kind(qdiscs, kMarking);
}

}  // namespace penstock::gw
