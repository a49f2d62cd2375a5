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

void tell_stamps(pst_port& port, pst_gateway_flow& f, const tcp::Segment& s, const pst_queue& q) {
  if (!(s.options & tcp::kTimestamps) || !(s.payload_bytes || s.flags & tcp::kSyn)) return;
  const pst_stamps stamps = {s.seq + s.payload_bytes, s.ts_val, s.ts_ecr};
  pst_gateway_stamp(&port.config, &port.state, &f, &stamps, q.mss_bytes + PST_HEADERS_BYTES,
                    q.now_ns);
}

}  // namespace penstock::gateway
