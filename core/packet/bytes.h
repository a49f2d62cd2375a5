/* SPDX-License-Identifier: GPL-2.0-only */
/* Loads from packet bytes, which have no alignment to rely on. */
#ifndef PENSTOCK_CORE_PACKET_BYTES_H
#define PENSTOCK_CORE_PACKET_BYTES_H

#include "../base.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PST_BE16(v) __builtin_bswap16(v)
#define PST_BE32(v) __builtin_bswap32(v)
#else
#define PST_BE16(v) (v)
#define PST_BE32(v) (v)
#endif

/*
 * As the bytes stand. For BPF memcpy() would become byte loads, as the compiler
 * cannot know that the machine loads unaligned words; the kernel's verifier
 * refuses this form where the machine does not.
 */
PST_FN u16 pst_load16(const u8 *p)
{
#ifdef __bpf__
	return *(const u16 *)p;
#else
	u16 v;

	__builtin_memcpy(&v, p, sizeof(v));
	return v;
#endif
}

PST_FN u32 pst_load32(const u8 *p)
{
#ifdef __bpf__
	return *(const u32 *)p;
#else
	u32 v;

	__builtin_memcpy(&v, p, sizeof(v));
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
