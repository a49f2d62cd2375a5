/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A handshake at a gateway, some segments of which may be forged (R7, R35). A SYN counts
 * once a SYN-ACK acknowledges it, as only the other end knows its number: of two SYNs
 * with different numbers, both are kept until then. Either may be a new connection whose
 * predecessor on the same ports got no answer.
 */
#ifndef PENSTOCK_CORE_GATEWAY_HANDSHAKE_H
#define PENSTOCK_CORE_GATEWAY_HANDSHAKE_H

#include "flow_events.h"

/* How far beyond the SYN-ACK the final ACK may be: RFC 6928's ten segments, and more. */
#define PST_FIRST_FLIGHT_BYTES 131072

/* A SYN or SYN-ACK. */
struct pst_syn {
	u64 at_ns;
	u32 isn;
	u16 payload_bytes;	/* TCP Fast Open (RFC 7413) */
	bool forward;
	struct pst_options options;
};

struct pst_handshake {
	struct pst_syn opener;
	struct pst_syn rival;	/* newest SYN that does not repeat the opener's */
	struct pst_syn answer;	/* newest SYN-ACK of the opener's SYN */
	bool has_opener;
	bool has_rival;
	bool answered;
};

/* @c counts the connection as opening. */
PST_FN void pst_handshake_take(struct pst_gateway_flow *f, struct pst_flow_count *c,
			       const struct pst_syn *s)
{
	pst_gateway_opening(c, f, s->forward, s->at_ns);
	pst_gateway_syn(f, s->forward, s->isn, &s->options, s->at_ns);
}

/* True if the SYN-ACK @answer with the number @ack acknowledges @s. */
PST_FN bool pst_syn_is_answered(const struct pst_syn *s,
				const struct pst_syn *answer, u32 ack)
{
	return answer->forward != s->forward && ack - s->isn - 1 <= s->payload_bytes;
}

/* The rival SYN was the genuine one. The connection is not counted again. */
PST_FN void pst_handshake_replace(struct pst_handshake *h, struct pst_gateway_flow *f,
				  struct pst_flow_count *c)
{
	u32 opening_epoch = f->use.opening_epoch;

	PST_REQUIRE(h->has_rival);
	h->opener = h->rival;
	h->has_rival = false;
	pst_gateway_forget(f);
	f->use.opening_epoch = opening_epoch;
	f->flow.contested = true;
	pst_handshake_take(f, c, &h->opener);
	PST_ENSURE(f->flow.contested);
}

/* The SYN @s, without ACK, passes. False if it does not count yet. @c is the gateway's. */
PST_FN bool pst_handshake_on_syn(struct pst_handshake *h,
				 struct pst_gateway_flow *f,
				 struct pst_flow_count *c,
				 const struct pst_syn *s)
{
	u16 payload_bytes = s->payload_bytes;

	if (h->has_opener && (s->forward != h->opener.forward ||
			      s->isn != h->opener.isn)) {
		h->rival = *s;
		h->has_rival = true;
		f->flow.contested = true;
		return false;
	}
	if (h->has_opener && h->opener.payload_bytes > payload_bytes)
		payload_bytes = h->opener.payload_bytes;
	h->opener = *s;
	h->opener.payload_bytes = payload_bytes;
	h->has_opener = true;
	pst_handshake_take(f, c, s);
	PST_ENSURE(h->opener.payload_bytes >= s->payload_bytes);
	return true;
}

/*
 * The SYN-ACK @s with the number @ack passes. False if it acknowledges no SYN that was
 * seen, or if it is the second one of a simultaneous open (RFC 9293 section 3.5).
 */
PST_FN bool pst_handshake_on_answer(struct pst_handshake *h,
				    struct pst_gateway_flow *f,
				    struct pst_flow_count *c,
				    const struct pst_syn *s, u32 ack)
{
	if (!h->has_opener)
		return false;
	if (!pst_syn_is_answered(&h->opener, s, ack)) {
		if (!h->has_rival || !pst_syn_is_answered(&h->rival, s, ack))
			return false;
		if (h->answered && s->forward == h->opener.forward &&
		    s->isn == h->opener.isn)
			return false;
		pst_handshake_replace(h, f, c);
	}
	h->answer = *s;
	h->answered = true;
	pst_handshake_take(f, c, s);
	PST_ENSURE(h->answer.forward != h->opener.forward);
	return true;
}

/* True if a segment with the number @ack is the initiator's and acknowledges the SYN-ACK. */
PST_FN bool pst_handshake_completes(const struct pst_handshake *h, bool forward,
				    u32 ack)
{
	return h->answered && forward == h->opener.forward &&
	       ack - h->answer.isn - 1 < PST_FIRST_FLIGHT_BYTES;
}

#endif
