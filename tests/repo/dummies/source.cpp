// SPDX-License-Identifier: GPL-2.0-only
// A packet passes out by a gateway whose queue is known as the dummy source knows it: looked at
// first, seen as it is by the discipline, and entered last.
#include <cstdio>

#include "core/describe.h"

namespace {

struct Host {
  pst_port* port;
  u64 looked = 0, seen_bytes = 0;
};

pst_verdict flow(void* host, pst_queue*, pst_packet* k) {
  Host& h = *static_cast<Host*>(host);
  h.looked = h.port->state.dummy.looked;
  k->kind = pst_kind_of(PST_CONTENT_OTHER, false);
  return PST_PASS;
}

pst_verdict judge(void* host, pst_queue* q, pst_packet* k) {
  Host& h = *static_cast<Host*>(host);
  h.seen_bytes = q->bytes;
  return pst_port_arrive(h.port, q, k);
}

// What is wrong, or null.
const char* wrong() {
  static pst_port port;
  pst_queue q{};
  q.limit_bytes = 60'000;
  q.flows = 1;
  q.mss_bytes = 1448;
  pst_variant_config(&port.config, PST_VARIANT_RED, q.limit_bytes);
  port.config.auto_rate = port.config.dummy = true;
  pst_port_init(&port, &q);
  Host host{&port};
  for (u64 n = 0; n < 3; ++n) {
    pst_packet k{};
    k.queued_ns = q.now_ns = 1 + n;
    k.bytes = 1500;
    if (pst_port_out(&port, &q, &k, true, &host, flow, judge) != PST_PASS) return "a drop";
    if (host.looked != n + 1) return "the look comes before the flow";
    if (host.seen_bytes != n * 1500) return "the discipline sees the queue as the source does";
    pst_port_queued(&port, &q, &k);
    if (port.state.dummy.bytes != (n + 1) * 1500) return "what went in is counted";
  }
  return nullptr;
}

}  // namespace

int main() {
  const char* what = wrong();
  if (what) std::fprintf(stderr, "%s\n", what);
  return what ? 1 : 0;
}
