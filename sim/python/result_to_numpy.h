// SPDX-License-Identifier: GPL-2.0-only
// A run's result as dictionaries of numbers and arrays.
#pragma once

#include <nanobind/nanobind.h>

#include "sim/net/result.h"

namespace penstock::python {

nanobind::dict flows_dict(const net::Result& result);
nanobind::list groups_list(const net::Result& result);
nanobind::dict queue_dict(const net::Result& result, std::uint32_t link);
nanobind::list delay_quantiles_list(const net::Result& result, std::uint32_t link);
nanobind::list group_delays_list(const net::Result& result, std::uint32_t link);
nanobind::dict series_dict(const net::Result& result);

}  // namespace penstock::python
