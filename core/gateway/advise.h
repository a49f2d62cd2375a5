/* SPDX-License-Identifier: GPL-2.0-only */
/* What a gateway advises to QUIC, of the queue that it is at: scone.h. */
#ifndef PENSTOCK_CORE_GATEWAY_ADVISE_H
#define PENSTOCK_CORE_GATEWAY_ADVISE_H

#include "port.h"

/* N at @now_ns, at least 1: as `fair` counts it, or else the law. */
PST_FN u64 pst_port_flows_q16(struct pst_port *port, u64 now_ns)
{
	const struct pst_fair_state *f = &port->state.discipline.fair;

	if (PST_CONFIG(port)->discipline != PST_DISCIPLINE_FAIR) {
		pst_flow_count_get(&port->state.count, now_ns);
		return pst_max(pst_flow_count_q16(&port->state.count), PST_Q16_ONE);
	}
	if (now_ns >= f->end_ns + port->config.discipline_params.fair.average_ns)
		return PST_Q16_ONE;
	return pst_fair_flows_q16(f);
}

/* A flow's share of the queue, which is advised to QUIC: read once per second. */
PST_STAGE(int, pst_stage_advise)(struct pst_port *port, u64 rate_bytes_per_s, u64 now_ns)
{
	PST_GIVEN(port, 0);
	if (!pst_scone_is_due(&port->scone, now_ns))
		return 0;
	pst_scone_look(&port->scone,
		       pst_scone_share(rate_bytes_per_s, pst_port_flows_q16(port, now_ns)),
		       now_ns);
	return 0;
}

#endif
