/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The TCP options of a SYN that determine the treatment of its flow: window scale and MSS
 * (RFC 7323, RFC 9293 section 3.7.1), timestamps, which all later segments carry as well,
 * and options that forbid rewriting or make it useless: MD5 (RFC 2385) and TCP-AO (RFC
 * 5925) sign the window (R16), MPTCP (RFC 8684) shares it between subflows (R17).
 */
#ifndef PENSTOCK_CORE_PACKET_OPTIONS_H
#define PENSTOCK_CORE_PACKET_OPTIONS_H

#include "../sizes.h"
#include "flow.h"
#include "protocol.h"

#define PST_OPTION_BYTES 40		/* the most that fit into a TCP header */
#define PST_OPTION_ROOM 44		/* an option may claim to extend beyond */

struct pst_options {
	u16 mss_bytes;		/* 0 without the option */
	u8 scale;		/* PST_NO_SCALE without the option */
	bool timestamps;
	bool authenticated;	/* MD5 or TCP-AO */
	bool multipath;
	u8 next;		/* of the scan: where the next option begins, */
	u8 end;			/* and where all options end */
};

PST_FN void pst_options_take(const u8 *bytes, u32 kind, u32 length,
			     struct pst_options *o)
{
	if (kind == PST_OPTION_MSS && length == 4) {
		/* One of 0 is none, and undoes no earlier one. */
		u16 mss_bytes = (u16)((bytes[2] << 8) | bytes[3]);

		o->mss_bytes = mss_bytes ? mss_bytes : o->mss_bytes;
	} else if (kind == PST_OPTION_SCALE && length == 3) {
		/* RFC 7323 section 2.3; 255 is our marker, not a shift. */
		o->scale = (u8)pst_min(bytes[2], PST_MAX_SCALE);
	} else if (kind == PST_OPTION_TIMESTAMPS && length == 10) {
		o->timestamps = true;
	} else if ((kind == PST_OPTION_MD5 && length == PST_OPTION_MD5_BYTES) ||
		   (kind == PST_OPTION_AO && length > PST_OPTION_AO_HEAD_BYTES)) {
		o->authenticated = true;
	} else if (kind == PST_OPTION_MPTCP) {
		o->multipath = true;
	}
}

/* The size of the option at @bytes; 0 if the scan ends here, or it needs more than @left_bytes. */
PST_FN u32 pst_option_size(const u8 *bytes, u32 left_bytes)
{
	u32 kind = bytes[0];
	u32 size = kind == PST_OPTION_NOP ? 1 : bytes[1];

	if (kind == PST_OPTION_END)
		return 0;
	if ((kind != PST_OPTION_NOP && size < 2) || size > left_bytes)
		return 0;
	return size;
}

PST_FN void pst_options_begin(u32 length, struct pst_options *o)
{
	o->mss_bytes = 0;
	o->scale = PST_NO_SCALE;
	o->timestamps = false;
	o->authenticated = false;
	o->multipath = false;
	o->next = 0;
	o->end = (u8)length;
}

/* Byte @i of the scan, which has passed all before it: whether the scan goes on. */
PST_FN bool pst_options_step(const u8 *bytes, u32 i, struct pst_options *o)
{
	u32 size;

	pst_reread();
	if (i >= o->end)
		return false;
	if (i != o->next)
		return true;
	size = pst_option_size(bytes + i, (u32)o->end - i);
	if (!size)
		return false;
	pst_options_take(bytes + i, *(bytes + i), size, o);
	o->next = (u8)(o->next + size);
	return true;
}

/*
 * The first @length (<= 40) of @bytes are options; PST_OPTION_ROOM are readable. As hosts
 * do, Linux' tcp_parse_options() for one: of an option that comes twice the last counts, one
 * of another length than its own is skipped, and one with an impossible length ends the
 * scan, but what came before it counts. A stricter reading would leave a flow uncontrolled
 * that its hosts have opened.
 *
 * The scan advances byte by byte, not by option, so that the loop is bounded and the kernel's
 * programs can take one step a call. Where the next option begins, and all end, lies in @o,
 * which the BPF verifier does not track: it follows one step, whatever came before it.
 */
PST_FN void pst_options_parse(const u8 *bytes, u32 length,
			      struct pst_options *o)
{
	u32 i;

	pst_options_begin(length, o);
	for (i = 0; i < PST_OPTION_BYTES; i++)
		if (!pst_options_step(bytes, i, o))
			return;
}

/* The payload of full segments of a sender that has received this SYN. */
PST_FN u32 pst_options_payload(const struct pst_options *o)
{
	u32 mss = o->mss_bytes ? o->mss_bytes : PST_LEAST_MSS_BYTES;

	return o->timestamps && mss > PST_TIMESTAMPS_BYTES ?
		       mss - PST_TIMESTAMPS_BYTES : mss;
}

#endif
