// SPDX-License-Identifier: GPL-2.0-only
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "sim/engine/draws.h"
#include "sim/python/bindings.h"
#include "sim/traffic/distribution.h"
#include "sim/traffic/portable_math.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace penstock::python {

namespace {

using engine::Draws;
using engine::Purpose;
using traffic::Distribution;

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

}  // namespace

void bind_traffic(nb::module_& m) {
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
