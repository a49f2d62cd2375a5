// SPDX-License-Identifier: GPL-2.0-only
// Endpoint and gateway settings out of Python dictionaries, by field name.
// A name that does not exist is a std::invalid_argument.
#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <string>

#include "core/describe.h"
#include "sim/gateway/gateway.h"
#include "sim/tcp/config.h"

namespace penstock::python {

tcp::SenderConfig sender_config(const nanobind::dict& fields);
tcp::ReceiverConfig receiver_config(const nanobind::dict& fields);

// The parts and settings of a gateway, by their names in core/'s tables.
struct GatewayNames {
  std::string discipline;
  std::string law;
  std::string signal;
  std::string mode;
  std::string share_by = "flow";
  std::string beyond = "none";
  std::string rate = "link";      // or auto
};

// The name of a row as users write it: with dashes, which C identifiers cannot have.
std::string written(const char* name);

// `params` are by field name, or by part and field ("red.max_p_q32"), which a name that
// both parts have needs.
pst_gateway_config gateway_config(const GatewayNames& names, const nanobind::dict& params,
                                  std::uint64_t buffer_bytes);

}  // namespace penstock::python
