// SPDX-License-Identifier: GPL-2.0-only
// Parameters by name, as no source here knows a method's struct.
#pragma once

#include <gtest/gtest.h>

#include "core/describe.h"

namespace penstock {

// Sets a parameter of the method in `row`, of which `params` is the union.
inline void set_param(const pst_method_row& row, void* params, const char* name, u64 value) {
  const u32 index = pst_param_find(row.params, row.param_count, name);
  ASSERT_NE(index, PST_NO_ROW) << name;
  pst_field_set(params, index, value);
}

}  // namespace penstock
