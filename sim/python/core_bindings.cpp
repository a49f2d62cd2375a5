// SPDX-License-Identifier: GPL-2.0-only
// The tables of core/ for Python: which methods there are and what they take.
#include "sim/python/core_bindings.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "core/control/describe.h"
#include "core/queue/queue.h"
#include "core/sender/describe.h"
#include "sim/python/bindings.h"
#include "sim/python/checked.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace penstock::python {

namespace {

struct Param {
  std::string name, unit;
  std::uint64_t default_value, buffer_num, buffer_den, min, max;
  std::string help, source;
};

struct State {
  std::string name, unit, help;
};

struct Method {
  std::string name, title, source, formula;
  bool rewrites;
  std::vector<Param> params;
  std::vector<State> states;
};

template <class Row>
Method described(const Row& row, const char* formula, bool rewrites) {
  Method m{row.name, row.title, row.source, formula, rewrites, {}, {}};
  for (std::uint32_t i = 0; i < row.param_count; ++i) {
    const pst_param_row& p = row.params[i];
    m.params.push_back({p.name, pst_unit_name(p.unit), p.def.value, p.def.buffer_num,
                        p.def.buffer_den, p.min, p.max, p.help, p.source});
  }
  for (std::uint32_t i = 0; i < row.state_count; ++i)
    m.states.push_back({row.states[i].name, pst_unit_name(row.states[i].unit), row.states[i].help});
  return m;
}

std::vector<Method> methods() {
  std::vector<Method> all;
  for (std::uint32_t i = 0; i < PST_METHOD_COUNT; ++i)
    all.push_back(
        described(pst_method_rows[i], pst_method_rows[i].formula, pst_control_has_ack(i)));
  return all;
}

std::vector<Method> senders() {
  std::vector<Method> all;
  for (const pst_sender_row& row : pst_sender_rows) all.push_back(described(row, "", false));
  return all;
}

void bind_rows(nb::module_& m) {
  nb::class_<Param>(m, "Param")
      .def_ro("name", &Param::name)
      .def_ro("unit", &Param::unit)
      .def_ro("default", &Param::default_value)
      .def_ro("buffer_num", &Param::buffer_num)
      .def_ro("buffer_den", &Param::buffer_den)
      .def_ro("min", &Param::min)
      .def_ro("max", &Param::max)
      .def_ro("help", &Param::help)
      .def_ro("source", &Param::source);
  nb::class_<State>(m, "State")
      .def_ro("name", &State::name)
      .def_ro("unit", &State::unit)
      .def_ro("help", &State::help);
  nb::class_<Method>(m, "Method")
      .def_ro("name", &Method::name)
      .def_ro("title", &Method::title)
      .def_ro("source", &Method::source)
      .def_ro("formula", &Method::formula)
      .def_ro("rewrites", &Method::rewrites)
      .def_ro("params", &Method::params)
      .def_ro("states", &Method::states);
  m.def("methods", &methods, "The gateway methods, in the registry's order.");
  m.def("senders", &senders, "The congestion-control methods of senders.");
  m.def(
      "queue_limit_bytes",
      [](std::int64_t bytes, std::int64_t packets, std::int64_t mtu_bytes) {
        const std::uint32_t mtu = checked32("mtu_bytes", mtu_bytes, PST_HEADERS_BYTES + 1, 65535);
        return pst_queue_limit_bytes(checked("bytes", bytes, 0, PST_MAX_BYTES),
                                     checked("packets", packets, 0, PST_MAX_PKTS),
                                     mtu - PST_HEADERS_BYTES);
      },
      "queue_bytes"_a, "queue_packets"_a, "mtu_bytes"_a,
      "The limit in bytes of a queue limited in bytes, packets or both; 0: unlimited.");
}

}  // namespace

void bind_core(nb::module_& m) {
  // What a caller still holds when the interpreter ends is no leak worth a page of stderr.
  nb::set_leak_warnings(false);
  bind_rows(m);
  bind_control(m);
  bind_window(m);
}

}  // namespace penstock::python
