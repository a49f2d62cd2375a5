// SPDX-License-Identifier: GPL-2.0-only
// The tables of core/ for Python: which methods there are and what they take.
#include "sim/python/core_bindings.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/describe.h"
#include "core/sender/control.h"
#include "sim/python/bindings.h"
#include "sim/python/checked.h"
#include "sim/python/config_from_dict.h"

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
  std::vector<Param> params;
  std::vector<State> states;
  bool rewrites = false;
  bool paces = false;
  bool schedules = false;
  bool header = false;
  bool rate = false;
  bool exact_ecn = false;
  bool labels = false;
};

struct Variant {
  std::string name, discipline, law, signal, sender, sharing;
  bool ecn;
  std::string label, colour;
};

Method described(const pst_method_row& row) {
  Method m{row.name, row.title, row.source, row.formula, {}, {}};
  for (std::uint32_t i = 0; i < row.param_count; ++i) {
    const pst_param_row& p = row.params[i];
    m.params.push_back({p.name, pst_unit_name(p.unit), p.def.value, p.def.buffer_num,
                        p.def.buffer_den, p.min, p.max, p.help, p.source});
  }
  for (std::uint32_t i = 0; i < row.state_count; ++i)
    m.states.push_back({row.states[i].name, pst_unit_name(row.states[i].unit), row.states[i].help});
  return m;
}

std::vector<Method> disciplines() {
  std::vector<Method> all;
  for (std::uint32_t i = 0; i < PST_DISCIPLINE_COUNT; ++i) {
    Method& m = all.emplace_back(described(pst_discipline_rows[i]));
    m.schedules = pst_discipline_schedules(i);
    m.labels = pst_discipline_labels(i);
    m.header = pst_discipline_feedback(i) != PST_FEEDBACK_NONE;
  }
  return all;
}

std::vector<Method> laws() {
  std::vector<Method> all;
  for (std::uint32_t i = 0; i < PST_LAW_COUNT; ++i) {
    Method& m = all.emplace_back(described(pst_law_rows[i]));
    m.rewrites = pst_law_is(i, PST_TRAIT_LIMITS);
    m.paces = pst_law_is(i, PST_TRAIT_PACES);
  }
  return all;
}

std::vector<Method> senders() {
  std::vector<Method> all;
  for (std::uint32_t i = 0; i < PST_SENDER_COUNT; ++i) {
    Method& sender = all.emplace_back(described(pst_sender_rows[i]));
    sender.header = pst_sender_feedback(i) != PST_FEEDBACK_NONE;
    sender.rate = pst_sender_has_rate(i);
    sender.exact_ecn = pst_sender_hears_marks(i);
  }
  return all;
}

std::vector<Method> sharings() {
  std::vector<Method> all;
  for (const pst_method_row& row : pst_sharing_rows) all.push_back(described(row));
  return all;
}

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const pst_variant_row& v : pst_variant_rows)
    all.push_back({v.name, pst_discipline_rows[v.discipline].name, pst_law_rows[v.law].name,
                   pst_signal_rows[v.signal].name, v.sender, v.sharing, v.ecn, v.label, v.colour});
  return all;
}

std::vector<std::pair<std::string, std::string>> names(std::span<const pst_name_row> rows) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const pst_name_row& row : rows) all.emplace_back(written(row.name), row.help);
  return all;
}

Param renamed(const Param& param, const std::string& name) {
  Param copy = param;
  copy.name = name;
  return copy;
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
      .def_ro("source", &Param::source)
      .def("renamed", &renamed, "name"_a);
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
      .def_ro("paces", &Method::paces)
      .def_ro("schedules", &Method::schedules)
      .def_ro("header", &Method::header)
      .def_ro("rate", &Method::rate)
      .def_ro("exact_ecn", &Method::exact_ecn)
      .def_ro("labels", &Method::labels)
      .def_ro("params", &Method::params)
      .def_ro("states", &Method::states);
  nb::class_<Variant>(m, "Variant")
      .def_ro("name", &Variant::name)
      .def_ro("discipline", &Variant::discipline)
      .def_ro("law", &Variant::law)
      .def_ro("signal", &Variant::signal)
      .def_ro("sender", &Variant::sender)
      .def_ro("sharing", &Variant::sharing)
      .def_ro("ecn", &Variant::ecn)
      .def_ro("label", &Variant::label)
      .def_ro("colour", &Variant::colour);
  m.def("disciplines", &disciplines, "The queue disciplines, in the registry's order.");
  m.def("laws", &laws, "The window laws, in the registry's order.");
  m.def("senders", &senders, "The congestion controls of senders.");
  m.def("sharings", &sharings, "What connections of one host may share.");
  m.def("variants", &variants, "The built-in variants, in their table's order.");
  m.def("limits", [] { return names(pst_limit_rows); });
  m.def("signals", [] { return names(pst_signal_rows); });
  m.def("modes", [] { return names(pst_mode_rows); });
  m.def("share_bys", [] {
    auto all = names(pst_share_by_rows);
    all.erase(all.begin() + PST_SHARE_BY_PREFIX);
    return all;
  });
  m.def("beyonds", [] { return names(pst_beyond_rows); });
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
  bind_sender_control(m);
  bind_window(m);
  bind_tables(m);
}

}  // namespace penstock::python
