// SPDX-License-Identifier: GPL-2.0-only
#include "sim/gateway/gateway.h"

#include "core/base.h"
#include "sim/tcp/extension.h"

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

void pair(Gateway& away, Gateway& back) {
  away.paired_ = &back;
  back.paired_ = &away;
}

void tell_ack_waits(Gateway& paired, pst_queue& q) {
  q.acks_wait_ns = pst_gateway_ack_wait_ns(&paired.config(), &paired.state(), q.now_ns);
}

void Gateway::tell_window(std::uint32_t flow, tcp::Segment& s, pst_queue& q) {
  const bool syn = (s.flags & tcp::kSyn) != 0;
  if (flows_.empty() || !rewrites_ || exempt_.has(flow) || !(syn || s.payload_bytes)) return;
  pst_feedback header = tcp::feedback_of(s);
  pst_port_told(&port_, &flows_[flow], groups_.of(flow), &q, &header, s.seq + s.payload_bytes, syn);
  PST_ENSURE(header.label <= s.extension.label);
  tcp::set_feedback(s, header);
}

}  // namespace penstock::gateway
