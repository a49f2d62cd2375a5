// SPDX-License-Identifier: GPL-2.0-only
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "sim/net/network.h"
#include "sim/python/bindings.h"
#include "sim/python/config_from_dict.h"
#include "sim/python/result_to_numpy.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace penstock::python {

namespace {

using net::Network;

// at_ns, rate_bps, delay_ns, loss_ratio
using Change = std::tuple<std::uint64_t, std::optional<std::uint64_t>, std::optional<std::uint64_t>,
                          std::optional<double>>;

std::uint32_t add_link(Network& network, std::uint32_t src, std::uint32_t dst,
                       std::vector<std::uint64_t> drop_data_packets,
                       const std::vector<Change>& changes, std::vector<std::uint32_t> trace_ms,
                       const nb::kwargs& fields) {
  net::LinkSpec spec = link_spec(fields);
  spec.src = src;
  spec.dst = dst;
  spec.drop_data_packets = std::move(drop_data_packets);
  for (const auto& [at_ns, change_rate_bps, change_delay_ns, change_loss_ratio] : changes)
    spec.changes.push_back({at_ns, change_rate_bps, change_delay_ns, change_loss_ratio});
  if (!trace_ms.empty())
    spec.trace_ms = std::make_shared<const std::vector<std::uint32_t>>(std::move(trace_ms));
  return network.link(spec);
}

void add_gateway(Network& network, std::uint32_t link, const std::string& discipline,
                 const std::string& law, const std::string& signal, const std::string& mode,
                 const std::string& share_by, const std::string& beyond, const std::string& rate,
                 const nb::dict& params) {
  const auto limits = network.plan().limits.find(network.plan().queue_link(link));
  const std::uint64_t bytes =
      limits == network.plan().limits.end()
          ? 0
          : pst_queue_limit_bytes(limits->second.bytes, limits->second.packets,
                                  net::usual_mss_bytes(network.plan().links.at(link)));
  network.gateway(
      link, gateway_config({discipline, law, signal, mode, share_by, beyond, rate}, params, bytes));
}

std::uint32_t add_tcp(Network& network, std::uint32_t src, std::uint32_t dst,
                      std::uint64_t start_ns, std::uint64_t size_bytes, const nb::dict& sender,
                      const nb::dict& receiver, bool controlled, std::uint32_t mark) {
  net::TcpSpec spec;
  spec.src = src;
  spec.dst = dst;
  spec.start_ns = start_ns;
  spec.size_bytes = size_bytes;
  spec.controlled = controlled;
  spec.mark = mark;
  spec.sender = sender_config(sender);
  spec.receiver = receiver_config(receiver);
  return network.tcp(spec);
}

std::uint32_t add_udp(Network& network, std::uint32_t src, std::uint32_t dst,
                      std::uint64_t start_ns, const nb::kwargs& fields) {
  net::UdpSpec spec = udp_spec(fields);
  spec.src = src;
  spec.dst = dst;
  spec.start_ns = start_ns;
  return network.udp(spec);
}

std::uint32_t add_traffic(Network& network, const std::string& name,
                          const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ends,
                          std::vector<std::uint64_t> starts_ns, const traffic::SourceSpec& source,
                          const nb::dict& sender, const nb::dict& receiver, std::uint32_t mark) {
  net::TrafficSpec spec{.name = name,
                        .ends = {},
                        .starts_ns = std::move(starts_ns),
                        .source = source,
                        .mark = mark,
                        .sender = sender_config(sender),
                        .receiver = receiver_config(receiver)};
  for (const auto& [src, dst] : ends) spec.ends.push_back({src, dst});
  return network.traffic(std::move(spec));
}

// Keys of core/tables/run_keys.h after other parameters, arguments and all alone.
#define PENSTOCK_PARAM(type, name, ...) , PST_TYPE_##type name
#define PENSTOCK_NEEDED(type, name, ...) , nb::arg(#name)
#define PENSTOCK_OPTIONAL(type, name, initial, ...) \
  , nb::arg(#name) = PST_TYPE_##type { initial }
#define PENSTOCK_VALUE(type, name, ...) name,

void set_mobility(Network& network,
                  std::vector<std::uint32_t> cells PST_MOBILITY_KEYS(PENSTOCK_PARAM)) {
  network.mobility({std::move(cells), PST_MOBILITY_KEYS(PENSTOCK_VALUE)});
}

void set_sample(Network& network, std::vector<std::uint32_t> links,
                std::vector<std::uint32_t> flows PST_SAMPLE_KEYS(PENSTOCK_PARAM)) {
  network.sample({PST_SAMPLE_KEYS(PENSTOCK_VALUE) std::move(links), std::move(flows)});
}

net::Result run(const Network& network PST_TIME_KEYS(PENSTOCK_PARAM)) {
  return network.run(net::ClockSpec{PST_TIME_KEYS(PENSTOCK_VALUE)});
}

}  // namespace

void bind_network(nb::module_& m) {
  nb::class_<net::Result>(m, "Result")
      .def_ro("end_ns", &net::Result::end_ns)
      .def_ro("events", &net::Result::events)
      .def_ro("all_done", &net::Result::all_done)
      .def_prop_ro("flows", &flows_dict)
      .def_prop_ro("groups", &groups_list)
      .def("queue", &queue_dict, "link"_a)
      .def("delay_quantiles_ns", &delay_quantiles_list, "link"_a)
      .def("group_delays", &group_delays_list, "link"_a)
      .def_prop_ro("series", &series_dict);

  nb::class_<Network>(m, "Network")
      .def(nb::init<std::uint64_t>(), "seed"_a)
      .def("node", &Network::node, "name"_a)
      .def("link", &add_link, "src"_a, "dst"_a, nb::kw_only(),
           "drop_data_packets"_a = std::vector<std::uint64_t>{},
           "changes"_a = std::vector<Change>{}, "trace_ms"_a = std::vector<std::uint32_t>{},
           "fields"_a)
      .def("csma_cd", &Network::csma_cd, "links"_a)
      .def("gateway", &add_gateway, "link"_a, nb::kw_only(), "discipline"_a, "law"_a, "signal"_a,
           "mode"_a, "share_by"_a = "flow", "beyond"_a = "none", "rate"_a = "link",
           "params"_a = nb::dict())
      .def("tcp", &add_tcp, "src"_a, "dst"_a, nb::kw_only(), "start_ns"_a, "size_bytes"_a,
           "sender"_a, "receiver"_a, "controlled"_a = true, "mark"_a = 0)
      .def("udp", &add_udp, "src"_a, "dst"_a, nb::kw_only(), "start_ns"_a, "fields"_a)
      .def("traffic", &add_traffic, "name"_a, nb::kw_only(), "ends"_a, "starts_ns"_a, "source"_a,
           "sender"_a, "receiver"_a, "mark"_a = 0)
      .def("mobility", &set_mobility, "cells"_a PST_MOBILITY_KEYS(PENSTOCK_NEEDED))
      .def("sample", &set_sample, "links"_a, "flows"_a PST_SAMPLE_KEYS(PENSTOCK_OPTIONAL))
      .def("delay_groups", &Network::delay_groups, "links"_a, "of_flow"_a, "of_traffic"_a)
      .def("pcap", &Network::pcap, "link"_a, "path"_a)
      .def("run", &run PST_TIME_KEYS(PENSTOCK_OPTIONAL), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace penstock::python
