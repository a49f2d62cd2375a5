/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Size of a packet on a line that encapsulates it (R19), as in tc-cake(8): bytes added to
 * the IP packet, the minimum frame size, and the cells that carry it.
 */
#ifndef PENSTOCK_CORE_QUEUE_OVERHEAD_H
#define PENSTOCK_CORE_QUEUE_OVERHEAD_H

#include "../base.h"
#include "../sizes.h"

enum pst_cells {
	PST_CELLS_NONE,
	PST_CELLS_ATM,		/* 48 bytes in cells of 53, the last one padded */
	PST_CELLS_PTM,		/* one byte for each 64, or part of them */
};

struct pst_overhead {
	s32 packet_bytes;	/* added to each IP packet; below 0 for a shorter header */
	u32 least_bytes;	/* of a frame; 0 none */
	u32 cells;		/* enum pst_cells */
};

/* Bytes on the line for an IP packet of @ip_bytes, below 2^31. */
PST_FN u64 pst_line_bytes(const struct pst_overhead *o, u32 ip_bytes)
{
	s64 frame_bytes = (s64)ip_bytes + o->packet_bytes;
	u64 bytes = frame_bytes < 0 ? 0 : (u64)frame_bytes;

	bytes = pst_max(bytes, o->least_bytes);
	if (o->cells == PST_CELLS_ATM)
		bytes = (bytes + 47) / 48 * 53;
	else if (o->cells == PST_CELLS_PTM)
		bytes += (bytes + 63) / 64;
	return bytes;
}

/*
 * The rate of full packets of the device on a line of @line_bytes_per_s, in bytes as the
 * device counts them: @header_bytes more than IP.
 */
PST_FN u64 pst_device_rate(const struct pst_overhead *o, u64 line_bytes_per_s,
			   u32 header_bytes)
{
	return pst_mul_div(line_bytes_per_s, PST_FULL_PACKET_BYTES + header_bytes,
			   pst_line_bytes(o, PST_FULL_PACKET_BYTES));
}

#endif
