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

/* What each event finds and leaves. */
PST_FN bool pst_cwnd_invariant(const struct pst_cwnd *w)
{
	return w->bytes > 0 && w->bytes <= PST_MAX_BYTES && w->ssthresh_bytes > 0;
}

/* Where the host's loss recovery is. */
enum pst_recovery {
	PST_RECOVERY_NONE,
	PST_RECOVERY_FAST,
	PST_RECOVERY_TIMEOUT,
};

/*
 * A delivery rate sample of one ACK (draft-cheng-iccrg-delivery-rate-estimation-00), for
 * methods that send at a rate. The newest segment is the one sent last of those that this
 * ACK delivers.
 */
struct pst_delivery {
	u64 total_bytes;	/* delivered since the connection began */
	u64 prior_bytes;	/* of these, when the newest segment left */
	u64 interval_ns;	/* in which the difference arrived; 0: no sample */
	u64 rtt_ns;		/* of the newest segment, 0 if it was sent twice */
	u64 at_ns;		/* when data was last delivered */
	u64 acked_bytes;	/* newly delivered by this ACK */
	u64 lost_bytes;		/* newly found lost by it */
	u64 total_lost_bytes;	/* found lost since the connection began */
	u64 before_bytes;	/* in the network before this ACK */
	u64 in_flight_bytes;	/* and after it */
	u64 wait_ns;		/* until pacing lets the next segment leave */
	u64 newest_in_flight_bytes;	/* when the newest left, with it; for on_lost */
	u64 newest_lost_bytes;	/* found lost since then; for on_lost */
	enum pst_recovery recovery;
	bool app_limited;	/* the application had too little to send */
	bool cwnd_limited;	/* cwnd ended the last window of data */
	bool selective;		/* ACKs report several losses in a round trip */
};

/* A segment found lost, for methods with on_lost. */
struct pst_lost_segment {
	u64 bytes;
	u64 sent_in_flight_bytes;	/* when it left, with it */
	u64 lost_bytes;		/* found lost since it left, with it */
	bool app_limited;	/* when it left */
	bool begins_range;	/* the one lost before it is not its neighbour */
};

/* How the segments of a method that sends at a rate are spaced. */
struct pst_pacing {
	u64 bytes_per_s;
	u64 burst_bytes;	/* may leave at once, before the gap for all of it */
	bool restrained;	/* it sends less than the path could carry */
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
	const struct pst_delivery *delivery;	/* on_ack of methods with a rate */
	u32 mss_bytes;
	s32 feedback_bytes;	/* change of the window in this ACK's header */
	u32 feedback_label;	/* and its label */
	u32 secret;		/* of this connection; a receiver cannot guess it */
	bool cwnd_limited;	/* limited by the window, not the application */
	bool has_feedback;	/* ACKs carry the method's header */
	bool echoes;		/* this ACK echoes congestion; on_sample only */
};

/* What a host keeps to. */
PST_FN bool pst_sender_view_invariant(const struct pst_sender_view *v)
{
	return v->mss_bytes > 0 && v->una <= v->sent && v->flight_bytes <= PST_MAX_BYTES &&
	       v->acked_bytes <= PST_MAX_BYTES;
}

/* Reason for a reduction of the window. */
enum pst_congestion {
	PST_LOSS,		/* fast retransmit */
	PST_ECN,		/* ECE, once per window (RFC 3168 section 6.1.2) */
	PST_TIMEOUT,		/* retransmission timer */
};

#endif
