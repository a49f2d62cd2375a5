/* SPDX-License-Identifier: GPL-2.0-only */
/* A segment's timestamps option (RFC 7323 section 3.2), for hosts that see bytes. */
#ifndef PENSTOCK_CORE_PACKET_STAMP_H
#define PENSTOCK_CORE_PACKET_STAMP_H

#include "options.h"

/* Where all common hosts put it in segments without SYN: NOP, NOP, the option (appendix A). */
#define PST_STAMP_USUAL 0x0101080aU
#define PST_STAMP_BYTES 12U

struct pst_stamp_scan {
	u32 val;		/* TSval */
	u32 echo;		/* TSecr */
	u8 next;		/* where the next option begins, */
	u8 end;			/* and where all options end */
	bool found;
};

/* The first @length (<= 40) bytes of options are to be scanned. */
PST_FN void pst_stamp_begin(u32 length, struct pst_stamp_scan *s)
{
	s->val = 0;
	s->echo = 0;
	s->next = 0;
	s->end = (u8)length;
	s->found = false;
}

/* Byte @i of the scan, which has passed all before it: whether the scan goes on. */
PST_FN bool pst_stamp_step(const u8 *bytes, u32 i, struct pst_stamp_scan *s)
{
	u32 size;

	pst_reread();
	if (i >= s->end)
		return false;
	if (i != s->next)
		return true;
	size = pst_option_size(bytes + i, (u32)s->end - i);
	if (!size)
		return false;
	if (bytes[i] == PST_OPTION_TIMESTAMPS && size == 10) {
		s->val = (u32)bytes[i + 2] << 24 | (u32)bytes[i + 3] << 16 |
			 (u32)bytes[i + 4] << 8 | bytes[i + 5];
		s->echo = (u32)bytes[i + 6] << 24 | (u32)bytes[i + 7] << 16 |
			  (u32)bytes[i + 8] << 8 | bytes[i + 9];
		s->found = true;
		return false;
	}
	s->next = (u8)(i + size);
	return true;
}

/*
 * The first timestamp among the first @length (<= 40) of @bytes, of which PST_OPTION_ROOM are
 * readable. As pst_options_parse(), the scan advances byte by byte.
 */
PST_FN void pst_stamp_parse(const u8 *bytes, u32 length, struct pst_stamp_scan *s)
{
	u32 i;

	pst_stamp_begin(length, s);
	for (i = 0; i < PST_OPTION_BYTES; i++)
		if (!pst_stamp_step(bytes, i, s))
			return;
}

#endif
