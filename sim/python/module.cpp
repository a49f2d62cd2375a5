// SPDX-License-Identifier: GPL-2.0-only
#include <nanobind/nanobind.h>
#include <sources_digest.h>

#include "sim/python/bindings.h"

NB_MODULE(_native, m) {
  m.doc() = "The compiled part of Penstock: the methods of core/ and the packet simulator.";
  m.attr("SOURCES") = PENSTOCK_SOURCES;
  penstock::python::bind_core(m);
  penstock::python::bind_traffic(m);
  penstock::python::bind_network(m);
  penstock::python::bind_drill(m);
  penstock::python::bind_outcome(m);
  penstock::python::bind_steps(m);
}
