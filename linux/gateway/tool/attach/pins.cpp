// SPDX-License-Identifier: GPL-2.0-only
#include "linux/gateway/tool/attach/pins.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <cstring>

#include <algorithm>
#include <functional>

#include "linux/common/descriptor.h"
#include "linux/gateway/tool/attach/map.h"
#include "linux/gateway/tool/attach/program.h"
#include "linux/gateway/tool/host/error.h"

namespace penstock::gw {

int Pins::open(const char* map) const {
  const int fd = bpf_obj_get((folder_ + "/" + map).c_str());
  if (fd < 0) throw system_error("cannot open " + folder_ + "/" + map, errno);
  return fd;
}

std::optional<gw_attachment> Pins::attachment() const {
  const Descriptor fd(bpf_obj_get((folder_ + "/attachment").c_str()));
  if (fd.fd() < 0) {
    if (errno == EPERM || errno == EACCES) throw system_error("cannot read " + folder_, errno);
    return {};
  }
  bpf_map_info info{};
  std::uint32_t size = sizeof(info);
  gw_attachment a{};
  if (bpf_obj_get_info_by_fd(fd.fd(), &info, &size) || info.value_size != sizeof(a) ||
      bpf_map_lookup_elem(fd.fd(), &kOnlyKey, &a) || a.abi != GW_ABI ||
      a.netns_cookie != namespace_cookie())
    return {};
  return a;
}

void Pins::set_attachment(const gw_attachment& attachment) const {
  const Descriptor fd(open("attachment"));
  if (bpf_map_update_elem(fd.fd(), &kOnlyKey, &attachment, BPF_ANY))
    throw system_error("cannot write " + folder_ + "/attachment", errno);
}

void Pins::set_shared(const gw_shared& shared) const {
  const Descriptor fd(open("shared"));
  if (bpf_map_update_elem(fd.fd(), &kOnlyKey, &shared, BPF_ANY))
    throw system_error("cannot write " + folder_ + "/shared", errno);
}

bool Pins::may_change(const gw_config& before, const gw_config& after) const {
  return need_one_program(before, after) &&
         Descriptor(bpf_obj_get((folder_ + "/settings").c_str())).fd() >= 0;
}

void Pins::change_settings(const gw_config& after) const {
  change("settings", after);
  change_link(after);
}

void Pins::change_link(const gw_config& after) const {
  struct Head {  // of gw_shared
    gw_link link;
    pst_gateway_config config;
  };
  static_assert(offsetof(gw_shared, link) == 0);
  static_assert(offsetof(gw_shared, port.config) == offsetof(Head, config));
  Head head{.link = {}, .config = shared().port.config};
  gw_link_of(&after, &head.link, &head.config);
  change("shared", head);
}

// A program that runs meanwhile reads each word as it was or as it is to be.
template <typename Value>
void Pins::change(const char* map, const Value& after) const {
  const Descriptor fd(open(map));
  const Mapped mapped(fd.fd(), sizeof(after));
  if (!mapped) throw system_error("cannot write " + folder_ + "/" + map, errno);
  std::uint64_t words[sizeof(after) / sizeof(std::uint64_t)];
  static_assert(sizeof(words) == sizeof(after));
  std::memcpy(words, &after, sizeof(after));
  for (std::size_t i = 0; i < std::size(words); ++i)
    __atomic_store_n(mapped.words() + i, words[i], __ATOMIC_RELAXED);
}

void Pins::set_shape_count(std::uint64_t count) const {
  const Descriptor fd(open("shared"));
  const Mapped mapped(fd.fd(), sizeof(gw_shared));
  if (!mapped) throw system_error("cannot write " + folder_ + "/shared", errno);
  static_assert(offsetof(gw_shared, shape_count) % sizeof(std::uint64_t) == 0);
  __atomic_store_n(mapped.words() + offsetof(gw_shared, shape_count) / sizeof(std::uint64_t), count,
                   __ATOMIC_RELAXED);
}

void Pins::adopt(const std::vector<std::pair<gw_key, gw_flow>>& flows) const {
  auto known = attachment();
  if (!known) return;
  const Descriptor fd(open("flows"));
  for (const auto& [key, flow] : flows)
    known->adopted += !bpf_map_update_elem(fd.fd(), &key, &flow, BPF_NOEXIST);
  set_attachment(*known);
}

gw_shared Pins::shared() const {
  const Descriptor fd(open("shared"));
  gw_shared value{};
  if (bpf_map_lookup_elem(fd.fd(), &kOnlyKey, &value))
    throw system_error("cannot read " + folder_ + "/shared", errno);
  return value;
}

gw_counts Pins::counters() const {
  const Descriptor fd(open("counters"));
  std::vector<gw_counts> per_cpu(static_cast<std::size_t>(libbpf_num_possible_cpus()));
  if (bpf_map_lookup_elem(fd.fd(), &kOnlyKey, per_cpu.data()))
    throw system_error("cannot read " + folder_ + "/counters", errno);
  gw_counts sum{};
  for (const gw_counts& counts : per_cpu)
    for (int i = 0; i < GW_COUNTER_COUNT; ++i) sum.value[i] += counts.value[i];
  return sum;
}

std::vector<pst_spared> Pins::spared(std::uint64_t now_ns) const {
  const Descriptor fd(open("spared"));
  std::vector<pst_spared> per_cpu(static_cast<std::size_t>(libbpf_num_possible_cpus()));
  std::vector<pst_spared> all(PST_MAX_RULES);
  for (std::uint32_t rule = 0; rule < PST_MAX_RULES; ++rule) {
    if (bpf_map_lookup_elem(fd.fd(), &rule, per_cpu.data()))
      throw system_error("cannot read " + folder_ + "/spared", errno);
    pst_spared& sum = all[rule];
    sum.seen_ns = now_ns;
    for (const pst_spared& one : per_cpu) {
      sum.packets += one.packets;
      sum.bytes += one.bytes;
      sum.mean_bytes += pst_spared_mean_bytes(&one, now_ns);
      sum.beyond_packets += one.beyond_packets;
    }
  }
  return all;
}

std::vector<std::pair<gw_held_key, gw_spared>> Pins::spared_flows(std::uint64_t now_ns) const {
  const Descriptor fd(open("spared_flows"));
  std::vector<std::pair<gw_held_key, gw_spared>> all;
  each_key<gw_held_key>(fd.fd(), [&](const gw_held_key& key) {
    gw_spared flow{};
    if (!bpf_map_lookup_elem(fd.fd(), &key, &flow)) all.emplace_back(key, flow);
  });
  std::ranges::sort(all, std::greater{}, [now_ns](const auto& one) {
    return pst_spared_mean_bytes(&one.second.spared, now_ns);
  });
  return all;
}

void Pins::forget_spared(const gw_config& before, const gw_config& after) const {
  const auto is_other = [&](std::uint32_t rule) {
    return rule >= PST_MAX_RULES ||
           std::memcmp(before.rules + rule, after.rules + rule, sizeof(pst_rule)) != 0;
  };
  const Descriptor sums(open("spared"));
  const std::vector<pst_spared> none(static_cast<std::size_t>(libbpf_num_possible_cpus()));
  for (std::uint32_t rule = 0; rule < PST_MAX_RULES; ++rule)
    if (is_other(rule)) bpf_map_update_elem(sums.fd(), &rule, none.data(), BPF_ANY);
  const Descriptor fd(open("spared_flows"));
  for (const auto& [key, flow] : spared_flows(0))
    if (is_other(flow.rule)) bpf_map_delete_elem(fd.fd(), &key);
}

std::vector<std::pair<gw_key, gw_flow>> Pins::flows() const {
  auto all = known_flows();
  std::erase_if(all, [](const auto& each) { return each.second.ends.over; });
  return all;
}

std::vector<std::pair<gw_key, gw_flow>> Pins::known_flows() const {
  const Descriptor fd(open("flows"));
  std::vector<std::pair<gw_key, gw_flow>> all;
  each_key<gw_key>(fd.fd(), [&](const gw_key& key) {
    gw_flow flow{};
    if (!bpf_map_lookup_elem(fd.fd(), &key, &flow)) all.emplace_back(key, flow);
  });
  return all;
}

std::size_t Pins::count_half_open() const {
  const Descriptor fd(open("half_open"));
  std::size_t count = 0;
  each_key<gw_key>(fd.fd(), [&](const gw_key&) { ++count; });
  return count;
}

std::vector<std::pair<gw_held_key, gw_held>> Pins::held() const {
  const Descriptor fd(open("held"));
  std::vector<std::pair<gw_held_key, gw_held>> all;
  each_key<gw_held_key>(fd.fd(), [&](const gw_held_key& key) {
    gw_held held{};
    if (!bpf_map_lookup_elem(fd.fd(), &key, &held)) all.emplace_back(key, held);
  });
  std::ranges::sort(all, std::greater{},
                    [](const auto& one) { return one.second.drops + one.second.marks; });
  return all;
}

}  // namespace penstock::gw
