// SPDX-License-Identifier: GPL-2.0-only
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <stdexcept>
#include <utility>

#include "sim/engine/draws.h"
#include "sim/python/bindings.h"
#include "sim/traffic/distribution.h"
#include "sim/traffic/portable_math.h"
#include "sim/traffic/source.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace penstock::python {

namespace {

using engine::Draws;
using engine::Purpose;
using traffic::Distribution;
using traffic::SourceSpec;

// The first draw of each of `count` turns.
std::vector<double> draw(const Distribution& distribution, std::uint64_t seed, std::uint64_t user,
                         std::uint64_t count) {
  std::vector<double> values;
  values.reserve(count);
  for (std::uint64_t turn = 0; turn < count; ++turn) {
    Draws draws(seed, Purpose::kTraffic, user, turn);
    values.push_back(distribution.draw(draws));
  }
  return values;
}

SourceSpec web(const Distribution& session_ns, const Distribution& pages,
               const Distribution& reading_ns, const Distribution& objects,
               const Distribution& object_bytes, std::uint64_t transfers) {
  return {traffic::Web{session_ns, pages, reading_ns, objects, object_bytes}, transfers};
}

SourceSpec on_off(const Distribution& on_ns, const Distribution& off_ns, std::uint64_t interval_ns,
                  std::uint64_t write_bytes, std::uint64_t transfers) {
  return {traffic::OnOff{on_ns, off_ns, interval_ns, write_bytes}, transfers};
}

SourceSpec trace(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& transfers) {
  auto held = std::make_shared<std::vector<traffic::Transfer>>();
  for (const auto& [at_ns, size_bytes] : transfers) {
    if (size_bytes < 1 || (!held->empty() && at_ns < held->back().at_ns))
      throw std::invalid_argument("a trace needs sizes of at least 1, and times in their order");
    held->push_back({at_ns, size_bytes});
  }
  return {traffic::Trace{std::move(held)}};
}

}  // namespace

void bind_traffic(nb::module_& m) {
  nb::class_<SourceSpec>(m, "Source")
      .def_static("web", &web, nb::kw_only(), "session_ns"_a, "pages"_a, "reading_ns"_a,
                  "objects"_a, "object_bytes"_a, "transfers"_a = 0)
      .def_static("on_off", &on_off, nb::kw_only(), "on_ns"_a, "off_ns"_a, "interval_ns"_a,
                  "write_bytes"_a, "transfers"_a = 0)
      .def_static("trace", &trace, "transfers"_a);
  nb::class_<Distribution>(m, "Distribution")
      .def_static("constant", &Distribution::constant, "value"_a)
      .def_static("uniform", &Distribution::uniform, "low"_a, "high"_a)
      .def_static("exponential", &Distribution::exponential, "mean"_a)
      .def_static("lognormal", &Distribution::lognormal, "mean"_a, "deviation"_a)
      .def_static("gamma", &Distribution::gamma, "mean"_a, "deviation"_a)
      .def_static("pareto", &Distribution::pareto, "shape"_a, "scale"_a,
                  "limit"_a = std::numeric_limits<double>::infinity())
      .def_static("weibull", &Distribution::weibull, "shape"_a, "scale"_a)
      .def("draw", &draw, "seed"_a, "user"_a, "count"_a);
  m.def("philox", &engine::Philox::block, "counter"_a, "key"_a);
  m.def("natural_log", &traffic::natural_log, "x"_a);
  m.def("exponential", &traffic::exponential, "x"_a);
  m.def("normal_quantile", &traffic::normal_quantile, "share"_a);
}

}  // namespace penstock::python
