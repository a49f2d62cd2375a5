// SPDX-License-Identifier: GPL-2.0-only
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <stdexcept>
#include <string>
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

// The fields of a source: those of its kind, which must all be given, and those of several kinds.
class Fields {
 public:
  explicit Fields(const nb::kwargs& given) : given_(given) {}

  template <class T>
  T take(const char* name) {
    if (!given_.contains(name)) throw std::invalid_argument(std::string(name) + " is missing");
    ++taken_;
    return nb::cast<T>(given_[name]);
  }
  template <class T>
  T take(const char* name, T otherwise) {
    return given_.contains(name) ? take<T>(name) : otherwise;
  }
  void finish() const {
    if (taken_ != given_.size()) throw std::invalid_argument("unknown field of a source");
  }

 private:
  const nb::kwargs& given_;
  std::size_t taken_ = 0;
};

#define PENSTOCK_NEEDED(type, name, ...) fields.take<PST_TYPE_##type>(#name),
#define PENSTOCK_OPTIONAL(type, name, initial, ...) fields.take<PST_TYPE_##type>(#name, initial),

template <class Model>
SourceSpec source_of(Model model, Fields& fields) {
  SourceSpec spec{std::move(model), PST_USER_KEYS(PENSTOCK_OPTIONAL)};
  fields.finish();
  return spec;
}

SourceSpec web(const nb::kwargs& given) {
  Fields fields(given);
  return source_of(traffic::Web{PST_WEB_KEYS(PENSTOCK_NEEDED)}, fields);
}

SourceSpec on_off(const nb::kwargs& given) {
  Fields fields(given);
  return source_of(traffic::OnOff{PST_ON_OFF_KEYS(PENSTOCK_NEEDED)}, fields);
}

SourceSpec trace(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& entries,
                 const nb::kwargs& given) {
  auto held = std::make_shared<std::vector<traffic::Transfer>>();
  for (const auto& [at_ns, size_bytes] : entries) {
    if (size_bytes < 1 || (!held->empty() && at_ns < held->back().at_ns))
      throw std::invalid_argument("a trace needs sizes of at least 1, and times in their order");
    held->push_back({at_ns, size_bytes});
  }
  Fields fields(given);
  return source_of(traffic::Trace{std::move(held)}, fields);
}

}  // namespace

void bind_traffic(nb::module_& m) {
  nb::class_<SourceSpec>(m, "Source")
      .def_static("web", &web, "fields"_a)
      .def_static("on_off", &on_off, "fields"_a)
      .def_static("trace", &trace, "entries"_a, "fields"_a);
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
