/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kinds of header between routers and end hosts (core/packet/feedback.h), as end
 * hosts treat them.
 */
#ifndef PENSTOCK_CORE_SENDER_FEEDBACK_H
#define PENSTOCK_CORE_SENDER_FEEDBACK_H

#include "../packet/feedback.h"

/* A segment per ACK, as in slow start: more would gain less, as the burst is lost. */
PST_FN void pst_xcp_forge(struct pst_feedback *f, u32 mss_bytes)
{
	f->delta_bytes = (s32)mss_bytes;
}

PST_FN void pst_antiecn_forge(struct pst_feedback *f)
{
	f->label = 1;
}

/* One step more than was approved; its two nonce bits have to be guessed. */
PST_FN void pst_quick_start_forge(struct pst_feedback *f)
{
	if (f->label < PST_QUICK_START_LARGEST)
		f->label++;
}

/*
 * nis-2004 (12.29): the sender's RTT times the rate that the routers allow. At least two
 * segments, because the ACK of a lone one is delayed.
 */
PST_FN u64 pst_fba_granted_bytes(const struct pst_feedback *f, u32 segment_bytes)
{
	u64 rate_bytes_per_s = (u64)f->label * PST_FBA_UNIT_BYTES_PER_S;

	if (!f->rtt_us || f->label == PST_FBA_UNLIMITED)
		return PST_MAX_BYTES;
	return pst_max(pst_mul_div(rate_bytes_per_s, f->rtt_us, 1000000),
		       2ULL * segment_bytes);
}

/*
 * The identifier of the TCP option for experiments (RFC 6994) that carries a header of @kind,
 * two letters; 0 if it has options of its own, or there is none.
 */
PST_FN u32 pst_feedback_option(u32 kind)
{
	switch (kind) {
	case PST_FEEDBACK_XCP:
		return 'X' << 8 | 'C';
	case PST_FEEDBACK_FBA:
		return 'F' << 8 | 'B';
	case PST_FEEDBACK_ANTIECN:
		return 'A' << 8 | 'E';
	case PST_FEEDBACK_WINDOW:
		return 'W' << 8 | 'I';
	default:
		return 0;
	}
}

/* The word of @f that ACKs return. */
PST_FN u32 pst_feedback_answer(u32 kind, const struct pst_feedback *f)
{
	switch (kind) {
	case PST_FEEDBACK_XCP:
		return (u32)f->delta_bytes;
	case PST_FEEDBACK_FBA:
	case PST_FEEDBACK_ANTIECN:
	case PST_FEEDBACK_QUICK_START:
	case PST_FEEDBACK_WINDOW:
		return f->label;
	default:
		return 0;
	}
}

/* True if only SYNs carry a header of @kind, and the SYN-ACK answers. */
PST_FN bool pst_feedback_of_syn(u32 kind)
{
	return kind == PST_FEEDBACK_QUICK_START;
}

/* Changes @f, which an ACK will return, to the receiver's advantage. */
PST_FN void pst_feedback_forge(u32 kind, struct pst_feedback *f, u32 mss_bytes)
{
	switch (kind) {
	case PST_FEEDBACK_XCP:
		pst_xcp_forge(f, mss_bytes);
		break;
	case PST_FEEDBACK_ANTIECN:
		pst_antiecn_forge(f);
		break;
	case PST_FEEDBACK_QUICK_START:
		pst_quick_start_forge(f);
		break;
	default:
		break;
	}
}

/* A window of @bytes as a header has it. */
PST_FN u32 pst_feedback_window(u64 bytes)
{
	return (u32)pst_min(bytes, PST_WINDOW_UNLIMITED);
}

/* The largest window that @f permits, where full segments have @segment_bytes. */
PST_FN u64 pst_feedback_granted_bytes(u32 kind, const struct pst_feedback *f,
				      u32 segment_bytes)
{
	if (kind == PST_FEEDBACK_FBA)
		return pst_fba_granted_bytes(f, segment_bytes);
	if (kind == PST_FEEDBACK_WINDOW && f->label < PST_WINDOW_UNLIMITED)
		return pst_max(f->label, segment_bytes);
	return PST_MAX_BYTES;
}

#endif
