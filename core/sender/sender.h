/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A congestion control's view of its connection, and its outputs. Loss recovery (which
 * segment to retransmit, RFC 6582, RFC 6675) is the host's; a method decides the window
 * and its reduction.
 */
#ifndef PENSTOCK_CORE_SENDER_SENDER_H
#define PENSTOCK_CORE_SENDER_SENDER_H

#include "../base.h"
#include "../packet/feedback.h"

/* "No limit yet" (RFC 5681 section 3.1: arbitrarily high). */
#define PST_SSTHRESH_MAX PST_MAX_BYTES

struct pst_cwnd {
	u64 bytes;		/* cwnd; >= 1 mss */
	u64 ssthresh_bytes;
};

struct pst_sender_view {
	u64 now_ns;
	u64 acked_bytes;	/* newly acknowledged by this ACK */
	u64 delivered_bytes;	/* known to be delivered; on_sample only */
	u64 flight_bytes;	/* outstanding before this event (FlightSize) */
	u64 window_bytes;	/* the peer's, as last seen */
	u64 rtt_ns;		/* this ACK's sample, 0 if none */
	u64 srtt_ns;
	u64 min_rtt_ns;
	u64 una;		/* offset in the stream: first unacknowledged */
	u64 sent;		/* and one past the last ever sent */
	u32 mss_bytes;
	s32 feedback_bytes;	/* change of the window in this ACK's header */
	u32 feedback_label;	/* and its label */
	u32 secret;		/* of this connection; a receiver cannot guess it */
	bool cwnd_limited;	/* limited by the window, not the application */
	bool has_feedback;	/* ACKs carry the method's header */
};

/* Reason for a reduction of the window. */
enum pst_congestion {
	PST_LOSS,		/* fast retransmit */
	PST_ECN,		/* ECE, once per window (RFC 3168 section 6.1.2) */
	PST_TIMEOUT,		/* retransmission timer */
};

#endif
