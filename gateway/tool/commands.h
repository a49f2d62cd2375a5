// SPDX-License-Identifier: GPL-2.0-only
// The commands: each returns the exit code, or throws Error.
#pragma once

#include <string>

#include "gateway/tool/settings.h"

namespace penstock::gw {

struct Options {
  std::string device;
  std::string netns;
  std::string config;
  Settings settings;
  bool json = false;
  bool verbose = false;
  int (*run)(const Options&) = nullptr;
};

int run_attach(const Options& o);
int run_set(const Options& o);
int run_detach(const Options& o);
int run_status(const Options& o);

}  // namespace penstock::gw
