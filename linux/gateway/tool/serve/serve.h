// SPDX-License-Identifier: GPL-2.0-only
// The live page: HTML, script and style from this binary, and a stream of JSON lines for it.
#pragma once

#include <string>

#include "linux/common/http.h"

namespace penstock::gw {

struct ServeOptions {
  Endpoint endpoint;
  std::string token_file;  // empty: a token is made where one is required
};

// Until a signal. While no page is open, it sleeps.
int run_serve(const std::string& device, const ServeOptions& options);

}  // namespace penstock::gw
