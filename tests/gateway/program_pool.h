// SPDX-License-Identifier: GPL-2.0-only
// Loaded programs that one test uses after the other: the kernel takes a quarter of a second to
// verify one.
#pragma once

#include <memory>
#include <string>

#include "linux/gateway/tool/attach/program.h"

namespace penstock::test {

// Keeps a program for the next test that has the same configuration.
struct Keep {
  std::string config;
  void operator()(gw::Program* program) const;
};
using Borrowed = std::unique_ptr<gw::Program, Keep>;

// Started, with maps as those of a new one.
Borrowed borrow_program(const gw_config& config);

}  // namespace penstock::test
