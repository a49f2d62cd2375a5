// SPDX-License-Identifier: GPL-2.0-only
// The tables of core/tables/ for Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "core/tables/counters.h"
#include "core/tables/link_keys.h"
#include "core/tables/run_keys.h"
#include "core/tables/tcp_options.h"
#include "core/tables/traffic_keys.h"
#include "core/tables/udp_keys.h"
#include "sim/python/core_bindings.h"

namespace nb = nanobind;

namespace penstock::python {

namespace {

using Counter = pst_counter_row;
using Figure = pst_figure_row;
using Option = pst_option_row;
using Traffic = pst_traffic_row;

}  // namespace

void bind_tables(nb::module_& m) {
  nb::class_<Counter>(m, "Counter")
      .def_ro("name", &Counter::name)
      .def_ro("unit", &Counter::unit)
      .def_ro("column", &Counter::column)
      .def_ro("better", &Counter::better)
      .def_ro("help", &Counter::help)
      .def_ro("source", &Counter::source);
  nb::class_<Figure>(m, "Figure")
      .def_ro("name", &Figure::name)
      .def_ro("column", &Figure::column)
      .def_ro("unit", &Figure::unit)
      .def_ro("factor", &Figure::factor)
      .def_ro("better", &Figure::better)
      .def_ro("help", &Figure::help);
  nb::class_<Option>(m, "Option")
      .def_ro("sender", &Option::sender)
      .def_ro("receiver", &Option::receiver)
      .def_ro("name", &Option::name)
      .def_ro("unit", &Option::unit)
      .def_ro("initial", &Option::initial)
      .def_ro("ns3", &Option::ns3)
      .def_ro("ns3_lacks", &Option::ns3_lacks)
      .def_ro("sysctl", &Option::sysctl)
      .def_ro("route", &Option::route)
      .def_ro("none", &Option::none)
      .def_ro("key", &Option::key)
      .def_ro("low", &Option::low)
      .def_ro("high", &Option::high)
      .def_ro("help", &Option::help)
      .def_ro("source", &Option::source)
      .def_ro("kinds", &Option::kinds);
  nb::class_<Traffic>(m, "TrafficKey")
      .def_ro("drawn", &Traffic::drawn)
      .def_ro("name", &Traffic::name)
      .def_ro("unit", &Traffic::unit)
      .def_ro("initial", &Traffic::initial)
      .def_ro("key", &Traffic::key)
      .def_ro("help", &Traffic::help);
  m.def("sender_counters",
        [] { return std::vector<Counter>{PST_SENDER_COUNTERS(PST_COUNTER_ROW)}; });
  m.def("receiver_counters",
        [] { return std::vector<Counter>{PST_RECEIVER_COUNTERS(PST_COUNTER_ROW)}; });
  m.def("queue_counters", [] { return std::vector<Counter>{PST_QUEUE_COUNTERS(PST_COUNTER_ROW)}; });
  m.def("queue_figures", [] { return std::vector<Figure>{PST_QUEUE_FIGURES(PST_FIGURE_ROW)}; });
  m.def("link_figures", [] { return std::vector<Figure>{PST_LINK_FIGURES(PST_FIGURE_ROW)}; });
  m.def("tcp_options", [] { return std::vector<Option>{PST_TCP_OPTIONS(PST_OPTION_ROW)}; });
  m.def("freeze_options", [] { return std::vector<Option>{PST_FREEZE_OPTIONS(PST_OPTION_ROW)}; });
  m.def("link_keys", [] { return std::vector<Option>{PST_LINK_KEYS(PST_KEY_ROW)}; });
  m.def("udp_keys", [] { return std::vector<Option>{PST_UDP_KEYS(PST_KEY_ROW)}; });
  m.def("time_keys", [] { return std::vector<Option>{PST_TIME_KEYS(PST_KEY_ROW)}; });
  m.def("sample_keys", [] { return std::vector<Option>{PST_SAMPLE_KEYS(PST_KEY_ROW)}; });
  m.def("user_keys", [] { return std::vector<Option>{PST_USER_KEYS(PST_USER_ROW)}; });
  m.def("mobility_keys", [] { return std::vector<Traffic>{PST_MOBILITY_KEYS(PST_TRAFFIC_ROW)}; });
  m.def("web_keys", [] { return std::vector<Traffic>{PST_WEB_KEYS(PST_TRAFFIC_ROW)}; });
  m.def("on_off_keys", [] { return std::vector<Traffic>{PST_ON_OFF_KEYS(PST_TRAFFIC_ROW)}; });
}

}  // namespace penstock::python
