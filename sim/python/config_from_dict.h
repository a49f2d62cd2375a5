// SPDX-License-Identifier: GPL-2.0-only
// Endpoint and gateway settings out of Python dictionaries, by field name.
// A name that does not exist is a std::invalid_argument.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "sim/gateway/gateway.h"
#include "sim/tcp/config.h"

namespace penstock::python {

tcp::SenderConfig sender_config(const nanobind::dict& fields);
tcp::ReceiverConfig receiver_config(const nanobind::dict& fields);

// What a gateway is made of, by the names in core/'s registries.
struct GatewayNames {
  std::string discipline;
  std::string law;
  std::string signal;  // drop, ecn or window
  std::string mode;    // safe, strict or literal
  std::string share_by = "flow";  // or host
  std::string beyond = "none";    // or pace-acks
  std::string rate = "link";      // or auto
};

// `params` are by field name, or by part and field ("red.max_p_q32"), which a name that
// both parts have needs.
pst_gateway_config gateway_config(const GatewayNames& names, const nanobind::dict& params,
                                  std::uint64_t buffer_bytes);

}  // namespace penstock::python
