/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Proportional Rate Reduction, RFC 6937 section 3, with the Slow Start Reduction Bound:
 * spreads the reduction over the recovery, for any sender with SACK. On each ACK that
 * newly delivers DeliveredData bytes:
 *
 *   pipe > ssthresh   sndcnt = ceil(prr_delivered ssthresh / RecoverFS) - prr_out
 *   else              sndcnt = min(ssthresh - pipe,
 *                                  max(prr_delivered - prr_out, DeliveredData)
 *                                  + MSS)
 *   cwnd = pipe + sndcnt
 */
#ifndef PENSTOCK_CORE_SENDER_PRR_H
#define PENSTOCK_CORE_SENDER_PRR_H

#include "../base.h"

/* Bytes; a flight is below 2^30 (RFC 7323 section 2.3). */
struct pst_prr {
	u32 recover_fs; /* flight when the recovery began */
	u32 delivered;  /* arrived since */
	u32 out;        /* sent since */
};

PST_FN void pst_prr_begin(struct pst_prr *p, u64 flight_bytes)
{
	p->recover_fs = (u32)pst_clamp(flight_bytes, 1, 0xffffffffU);
	p->delivered = 0;
	p->out = 0;
}

PST_FN void pst_prr_on_send(struct pst_prr *p, u32 bytes)
{
	p->out += bytes;
}

/* Returns sndcnt. */
PST_FN u64 pst_prr_on_ack(struct pst_prr *p, u64 delivered, u64 pipe,
			  u64 ssthresh, u32 mss)
{
	u64 limit;

	p->delivered += (u32)delivered;
	if (pipe > ssthresh) {
		u64 due = ((u64)p->delivered * pst_min(ssthresh, 0xffffffffU) +
			   p->recover_fs - 1) / p->recover_fs;

		return pst_sub_floor(due, p->out);
	}
	limit = pst_max(pst_sub_floor(p->delivered, p->out), delivered) + mss;
	return pst_min(ssthresh - pipe, limit);
}

#endif
