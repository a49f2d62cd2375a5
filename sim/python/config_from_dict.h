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
gateway::Spec gateway_spec(const std::string& method, const std::string& mode,
                           const nanobind::dict& params, std::uint64_t buffer_bytes);

}  // namespace penstock::python
