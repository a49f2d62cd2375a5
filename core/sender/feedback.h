/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kinds of header between routers and end hosts (core/packet/feedback.h), as end
 * hosts treat them. One line each,
 *
 *   F(name, NAME, option, answer, syn, forge, grants)
 *
 * option  identifier of its TCP option for experiments (RFC 6994), two letters; 0 if it
 *         has options of its own
 * answer  the field of struct pst_feedback that ACKs return
 * syn     HAS or NO: only SYNs carry it, and the SYN-ACK answers
 * forge   HAS or NO: pst_NAME_forge, what a receiver returns to get more than its share
 * grants  HAS or NO: pst_NAME_granted_bytes, to which the receiver limits its window
 */
#ifndef PENSTOCK_CORE_SENDER_FEEDBACK_H
#define PENSTOCK_CORE_SENDER_FEEDBACK_H

#include "../packet/feedback.h"

#define PST_FEEDBACKS(F)                                         \
	F(xcp, XCP, 'X' << 8 | 'C', delta_bytes, NO, HAS, NO)    \
	F(fba, FBA, 'F' << 8 | 'B', label, NO, NO, HAS)          \
	F(antiecn, ANTIECN, 'A' << 8 | 'E', label, NO, HAS, NO)  \
	F(quick_start, QUICK_START, 0, label, HAS, HAS, NO)

/* A segment per ACK, as in slow start: more would gain less, as the burst is lost. */
PST_FN void pst_xcp_forge(struct pst_feedback *f, u32 mss_bytes)
{
	f->delta_bytes = (s32)mss_bytes;
}

PST_FN void pst_antiecn_forge(struct pst_feedback *f, u32 mss_bytes)
{
	(void)mss_bytes;
	f->label = 1;
}

/* One step more than was approved; its two nonce bits have to be guessed. */
PST_FN void pst_quick_start_forge(struct pst_feedback *f, u32 mss_bytes)
{
	(void)mss_bytes;
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

/* The identifier of the option that carries a header of @kind, or 0. */
PST_FN u32 pst_feedback_option(u32 kind)
{
	switch (kind) {
#define PST_CASE(name, NAME, option, ...) \
	case PST_FEEDBACK_##NAME:         \
		return option;
		PST_FEEDBACKS(PST_CASE)
#undef PST_CASE
	default:
		return 0;
	}
}

/* The word of @f that ACKs return. */
PST_FN u32 pst_feedback_answer(u32 kind, const struct pst_feedback *f)
{
	switch (kind) {
#define PST_CASE(name, NAME, option, answer, ...) \
	case PST_FEEDBACK_##NAME:                 \
		return (u32)f->answer;
		PST_FEEDBACKS(PST_CASE)
#undef PST_CASE
	default:
		return 0;
	}
}

/* True if only SYNs carry a header of @kind. */
PST_FN bool pst_feedback_of_syn(u32 kind)
{
#define PST_BIT(name, NAME, option, answer, syn, ...) \
	PST_IF_##syn(| 1U << PST_FEEDBACK_##NAME)
	return (0U PST_FEEDBACKS(PST_BIT)) >> kind & 1;
#undef PST_BIT
}

/* Changes @f, which an ACK will return, to the receiver's advantage. */
PST_FN void pst_feedback_forge(u32 kind, struct pst_feedback *f, u32 mss_bytes)
{
	switch (kind) {
#define PST_CASE(name, NAME, option, answer, syn, forge, grants)   \
	case PST_FEEDBACK_##NAME:                                  \
		PST_IF_##forge(pst_##name##_forge(f, mss_bytes);)  \
		break;
		PST_FEEDBACKS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
}

/* The largest window that @f permits, where full segments have @segment_bytes. */
PST_FN u64 pst_feedback_granted_bytes(u32 kind, const struct pst_feedback *f,
				      u32 segment_bytes)
{
	(void)f;
	(void)segment_bytes;
	switch (kind) {
#define PST_CASE(name, NAME, option, answer, syn, forge, grants)               \
	case PST_FEEDBACK_##NAME:                                              \
		PST_IF_##grants(return pst_##name##_granted_bytes(f, segment_bytes);) \
		break;
		PST_FEEDBACKS(PST_CASE)
#undef PST_CASE
	default:
		break;
	}
	return PST_MAX_BYTES;
}

#endif
