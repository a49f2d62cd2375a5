// SPDX-License-Identifier: GPL-2.0-only
#include "sim/python/config_from_dict.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace penstock::python {

namespace {

// What is neither a truth value nor a whole number stays the text that a message shows.
setup::Value value_of(nb::handle given) {
  if (nb::isinstance<nb::bool_>(given)) return nb::cast<bool>(given);
  std::uint64_t number = 0;
  if (nb::try_cast<std::uint64_t>(given, number)) return number;
  if (nb::isinstance<nb::float_>(given)) return nb::cast<double>(given);
  return nb::cast<std::string>(nb::str(given));
}

setup::Settings settings(const nb::dict& given) {
  setup::Settings found;
  for (const auto& [key, value] : given)
    found.emplace_back(nb::cast<std::string>(key), value_of(value));
  return found;
}

}  // namespace

tcp::SenderConfig sender_config(const nb::dict& fields) {
  setup::Settings own, params;
  for (const auto& [key, value] : fields) {
    auto name = nb::cast<std::string>(key);
    if (name == "params") {
      params = settings(nb::cast<nb::dict>(value));
    } else {
      own.emplace_back(std::move(name), value_of(value));
    }
  }
  return setup::sender_config(own, params);
}

net::LinkSpec link_spec(const nb::dict& fields) { return setup::link_spec(settings(fields)); }

net::UdpSpec udp_spec(const nb::dict& fields) { return setup::udp_spec(settings(fields)); }

tcp::ReceiverConfig receiver_config(const nb::dict& fields) {
  return setup::receiver_config(settings(fields));
}

pst_gateway_config gateway_config(const GatewayNames& names, const nb::dict& params,
                                  std::uint64_t buffer_bytes) {
  return setup::gateway_config(names, settings(params), buffer_bytes);
}

}  // namespace penstock::python
