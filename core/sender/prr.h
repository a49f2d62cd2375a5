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
 *
 * RFC 9937, which obsoletes it, adds that MSS only on a safe ACK: one that advances SND.UNA
 * and shows no further loss. It sends at least one segment at the beginning.
 */
#ifndef PENSTOCK_CORE_SENDER_PRR_H
#define PENSTOCK_CORE_SENDER_PRR_H

#include "../base.h"

/* Bytes; a flight is below 2^30 (RFC 7323 section 2.3). */
struct pst_prr {
	u32 recover_fs; /* flight when the recovery began */
	u32 delivered;  /* arrived since */
	u32 out;        /* sent since */
	u32 una;        /* SND.UNA at the last ACK, */
	u32 lost;       /* and what was found lost by then, ever; modulo 2^32 */
};

PST_FN void pst_prr_begin(struct pst_prr *p, u64 flight_bytes)
{
	PST_REQUIRE(flight_bytes > 0);
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

	PST_REQUIRE(mss > 0 && p->recover_fs);
	p->delivered += (u32)delivered;
	if (pipe > ssthresh) {
		u64 due = ((u64)p->delivered * pst_min(ssthresh, 0xffffffffU) +
			   p->recover_fs - 1) / p->recover_fs;

		return pst_sub_floor(due, p->out);
	}
	limit = pst_max(pst_sub_floor(p->delivered, p->out), delivered) + mss;
	return pst_min(ssthresh - pipe, limit);
}

/* The ACK is safe; @una and @lost after it. */
PST_FN bool pst_prr_safe(struct pst_prr *p, u64 una, u64 lost)
{
	bool safe = p->una != (u32)una && p->lost == (u32)lost;

	p->una = (u32)una;
	p->lost = (u32)lost;
	return safe;
}

/* sndcnt of RFC 9937 section 6. */
PST_FN u64 pst_prr_on_ack_safely(struct pst_prr *p, u64 delivered, u64 pipe,
				 u64 ssthresh, u32 mss, bool safe)
{
	u64 count;

	if (pipe > ssthresh) {
		count = pst_prr_on_ack(p, delivered, pipe, ssthresh, mss);
	} else {
		p->delivered += (u32)delivered;
		count = pst_max(pst_sub_floor(p->delivered, p->out), delivered);
		count = pst_min(count + (safe ? mss : 0), ssthresh - pipe);
	}
	return p->out || count ? count : mss;
}

#endif
