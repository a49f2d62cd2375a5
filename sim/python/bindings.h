// SPDX-License-Identifier: GPL-2.0-only
// The parts of the Python module; penstock/_native.pyi documents what they make.
#pragma once

#include <nanobind/nanobind.h>

namespace penstock::python {

void bind_core(nanobind::module_& m);
void bind_traffic(nanobind::module_& m);
void bind_network(nanobind::module_& m);
void bind_drill(nanobind::module_& m);
void bind_outcome(nanobind::module_& m);
void bind_steps(nanobind::module_& m);

}  // namespace penstock::python
