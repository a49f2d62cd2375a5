// SPDX-License-Identifier: GPL-2.0-only
// Options of the commands that show an attachment over time.
#pragma once

#include <optional>
#include <string>

#include "gateway/common/http.h"

namespace penstock::gw {

struct ViewOptions {
  std::optional<Endpoint> listen;
  std::string token_file;
};

}  // namespace penstock::gw
