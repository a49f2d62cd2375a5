/* SPDX-License-Identifier: GPL-2.0-only */
/* A gateway at a queue: all that its host keeps for it. */
#ifndef PENSTOCK_CORE_GATEWAY_PORT_H
#define PENSTOCK_CORE_GATEWAY_PORT_H

#include "pace.h"
#include "scone.h"
#include "stage.h"
#include "state.h"

struct pst_port {
	/* Code reads it by PST_CONFIG(), except for the parameters, which may change. */
	struct pst_gateway_config config;
	struct pst_gateway_state state;
	struct pst_pace pace;	/* the clock of ACKs that wait */
	struct pst_scone scone;	/* what is advised to QUIC */
};

#endif
