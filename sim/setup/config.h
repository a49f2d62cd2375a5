// SPDX-License-Identifier: GPL-2.0-only
// Settings of endpoints, links and gateways by field name, as Python and the browser's page give
// them. A name that does not exist is a std::invalid_argument.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/describe.h"
#include "sim/gateway/gateway.h"
#include "sim/net/specs.h"
#include "sim/tcp/config.h"

namespace penstock::setup {

using Value = std::variant<bool, std::uint64_t, double, std::string>;
using Settings = std::vector<std::pair<std::string, Value>>;

std::string text(const Value& value);

// `params` are those of the congestion control.
tcp::SenderConfig sender_config(const Settings& fields, const Settings& params);
tcp::ReceiverConfig receiver_config(const Settings& fields);
net::LinkSpec link_spec(const Settings& fields);
net::UdpSpec udp_spec(const Settings& fields);

// The parts and settings of a gateway, by their names in core/'s tables.
struct GatewayNames {
  std::string discipline;
  std::string law;
  std::string signal;
  std::string mode;
  std::string share_by = "flow";
  std::string beyond = "none";
  std::string rate = "link";  // or auto, passive, upstream
};

// The name of a row as users write it: with dashes, which C identifiers cannot have.
std::string written(const char* name);

// `params` are by field name, or by part and field ("red.max_p_q32"), which a name that
// both parts have needs.
pst_gateway_config gateway_config(const GatewayNames& names, const Settings& params,
                                  std::uint64_t buffer_bytes);

}  // namespace penstock::setup
