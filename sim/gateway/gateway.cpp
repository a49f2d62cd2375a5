// SPDX-License-Identifier: GPL-2.0-only
#include "sim/gateway/gateway.h"

#include "core/base.h"

namespace penstock::gateway {

Gateway::Gateway(const pst_gateway_config& config, const pst_queue& queue, std::size_t flows)
    : port_{.config = config, .state = {}, .pace = {}, .scone = {}},
      rewrites_(pst_gateway_rewrites(&config)),
      sees_packets_(pst_gateway_sees_packets(&config)),
      measures_(pst_gateway_measures(&config)),
      paces_(pst_gateway_paces(&config)),
      flows_(flows),
      names_(config.discipline) {
  pst_port_init(&port_, &queue);
}

}  // namespace penstock::gateway
