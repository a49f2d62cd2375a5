// SPDX-License-Identifier: GPL-2.0-only
// What users notice of a path (core/outcome.h).
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "core/outcome.h"
#include "sim/python/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace penstock::python {
namespace {

const double* percentiles(const std::vector<double>& values) {
  if (values.size() != PST_PERCENTILES)
    throw std::invalid_argument(std::to_string(values.size()) + " percentiles, not " +
                                std::to_string(PST_PERCENTILES));
  return values.data();
}

}  // namespace

void bind_outcome(nb::module_& m) {
  m.def(
      "rpm",
      [](double trip_ms, const std::vector<double>& waits_ms) {
        return pst_rpm(trip_ms, percentiles(waits_ms));
      },
      "trip_ms"_a, "wait_percentiles_ms"_a);
  m.def(
      "qoo_percent",
      [](double trip_ms, const std::vector<double>& waits_ms, double loss_percent) {
        return pst_qoo_percent(trip_ms, percentiles(waits_ms), loss_percent);
      },
      "trip_ms"_a, "wait_percentiles_ms"_a, "loss_percent"_a);
  m.def(
      "need_met",
      [](double best, double useless, double measured) {
        return pst_need_met({best, useless}, measured);
      },
      "best"_a, "useless"_a, "measured"_a);
}

}  // namespace penstock::python
