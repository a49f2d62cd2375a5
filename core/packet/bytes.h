/* SPDX-License-Identifier: GPL-2.0-only */
/* Loads from packet bytes, which may be unaligned. */
#ifndef PENSTOCK_CORE_PACKET_BYTES_H
#define PENSTOCK_CORE_PACKET_BYTES_H

#include "../base.h"

#ifdef PST_BE16
/* Proofs have their own of this, and of PST_LOAD(). */
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PST_BE16(v) __builtin_bswap16(v)
#define PST_BE32(v) __builtin_bswap32(v)
#else
#define PST_BE16(v) (v)
#define PST_BE32(v) (v)
#endif

#ifndef PST_LOAD
#define PST_LOAD(v, p) __builtin_memcpy(&(v), p, sizeof(v))
#endif

/*
 * In wire order. In BPF memcpy() would become byte loads, as the compiler cannot assume
 * unaligned word loads; the kernel's verifier rejects this form on machines without them.
 */
PST_FN u16 pst_load16(const u8 *p)
{
#ifdef __bpf__
	return *(const u16 *)p;
#else
	u16 v;

	PST_LOAD(v, p);
	return v;
#endif
}

PST_FN u32 pst_load32(const u8 *p)
{
#ifdef __bpf__
	return *(const u32 *)p;
#else
	u32 v;

	PST_LOAD(v, p);
	return v;
#endif
}

/* From network to host byte order. */
PST_FN u16 pst_load_be16(const u8 *p)
{
	return PST_BE16(pst_load16(p));
}

PST_FN u32 pst_load_be32(const u8 *p)
{
	return PST_BE32(pst_load32(p));
}

#endif
