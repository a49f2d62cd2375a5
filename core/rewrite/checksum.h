/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Internet checksum after one 16-bit word has changed, RFC 1624 eq. 3:
 *
 *   HC' = ~(~HC + ~m + m')
 *
 * in one's complement. Equation 4 of RFC 1141 is not used: it can give 0xffff
 * where a full computation gives 0. All three words in the same byte order.
 */
#ifndef PENSTOCK_CORE_REWRITE_CHECKSUM_H
#define PENSTOCK_CORE_REWRITE_CHECKSUM_H

#include "../base.h"

PST_FN u16 pst_checksum_update(u16 checksum, u16 old_word, u16 new_word)
{
	u32 sum = (checksum ^ 0xffffU) + (old_word ^ 0xffffU) + new_word;

	sum = (sum & 0xffffU) + (sum >> 16);
	sum = (sum & 0xffffU) + (sum >> 16);
	return (u16)(sum ^ 0xffffU);
}

#endif
