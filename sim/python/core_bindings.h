// SPDX-License-Identifier: GPL-2.0-only
// The parts of bind_core().
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "core/params.h"

namespace penstock::python {

void bind_control(nanobind::module_& m);         // Control
void bind_sender_control(nanobind::module_& m);  // SenderControl
void bind_window(nanobind::module_& m);          // Window
void bind_tables(nanobind::module_& m);          // rows of core/tables/

// Fields of a parameter or state union by the names in its rows.
template <class Row>
nanobind::dict named_fields(const Row* rows, std::uint32_t count, const void* fields) {
  nanobind::dict d;
  for (std::uint32_t i = 0; i < count; ++i) d[rows[i].name] = pst_field_get(fields, i);
  return d;
}

}  // namespace penstock::python
