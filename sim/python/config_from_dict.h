// SPDX-License-Identifier: GPL-2.0-only
// Endpoint and gateway settings out of Python dictionaries, by field name.
#pragma once

#include <nanobind/nanobind.h>

#include "sim/setup/config.h"

namespace penstock::python {

using setup::GatewayNames;
using setup::written;

tcp::SenderConfig sender_config(const nanobind::dict& fields);
tcp::ReceiverConfig receiver_config(const nanobind::dict& fields);
net::LinkSpec link_spec(const nanobind::dict& fields);
net::UdpSpec udp_spec(const nanobind::dict& fields);
pst_gateway_config gateway_config(const GatewayNames& names, const nanobind::dict& params,
                                  std::uint64_t buffer_bytes);

}  // namespace penstock::python
