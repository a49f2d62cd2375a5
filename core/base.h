/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Integer types, arithmetic helpers and the parameter-row format of core/.
 *
 * Compiles as C11, as C++20 and for the BPF target; needs no libc. The integer
 * names are the kernel's, so that vmlinux.h may be included before this file.
 */
#ifndef PENSTOCK_CORE_BASE_H
#define PENSTOCK_CORE_BASE_H

#if !defined(__cplusplus) && !defined(__VMLINUX_H__)
#include <stdbool.h>
#endif

/* Proofs use symbolic integers, which represent all values: PST_INTEGERS is their header. */
#ifdef PST_INTEGERS
#include PST_INTEGERS
#else
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed int s32;
typedef signed long long s64;
#endif

/* @a or @b; proofs take both at once. Both are evaluated. */
#ifndef PST_CHOOSE
#define PST_CHOOSE(truth, a, b) ((truth) ? (a) : (b))
#endif

/*
 * Contracts: what a function requires of its caller, and what it ensures. tests/prove proves
 * them for all inputs, test builds check them (PST_CHECKED), and other builds leave them
 * out.
 */
#ifndef PST_REQUIRE
#ifdef PST_CHECKED
#define PST_REQUIRE(claim) ((claim) ? (void)0 : __builtin_trap())
#else
#define PST_REQUIRE(claim) ((void)0)
#endif
#define PST_ENSURE(claim) PST_REQUIRE(claim)
#endif

#if defined(__cplusplus)
#define PST_FN static inline
#elif defined(PST_COMPILED)
#define PST_FN static inline __attribute__((unused))
#else
#define PST_FN static inline __attribute__((always_inline, unused))
#endif

/*
 * A function that the kernel's verifier checks once and on its own, knowing no more of what it
 * returns than its type, as it has many branches. There its pointers may be null.
 */
#ifdef __bpf__
#define PST_APART(type) __attribute__((noinline)) type
#else
#define PST_APART(type) PST_FN type
#endif

/*
 * Functions and tables for hosts that leave the methods to core.c, which is compiled once:
 * these hosts define PST_LINKED and see declarations. In core.c itself they have external
 * linkage; elsewhere, as in BPF, all is inline.
 */
#if defined(PST_LINKED) && defined(__cplusplus)
#define PST_CALL extern "C"
#elif defined(PST_LINKED)
#define PST_CALL extern
#elif defined(PST_COMPILED)
/* The function that each segment passes through: inlined into one, with all that it calls. */
#define PST_FLAT __attribute__((flatten))
#define PST_CALL
#define PST_DATA
#else
#define PST_CALL PST_FN
#define PST_DATA static
#endif
#ifndef PST_FLAT
#define PST_FLAT
#endif

/* Where a branch costs nothing: in user space, except in proofs. */
#if !defined(__bpf__) && !defined(PST_INTEGERS)
#define PST_DIVIDES_ONCE
#endif

#define PST_NS_PER_S 1000000000ULL
#define PST_Q16_ONE 65536ULL
#define PST_Q15_ONE 32768ULL
#define PST_Q32_ONE 4294967296ULL

/*
 * 1 over the golden ratio: its multiples spread evenly over [0, 1), however many there
 * are. In 32 bits it is the nearest prime, which as a factor hashes (Knuth, vol. 3, 6.4).
 */
#define PST_GOLDEN_Q16 40503ULL
#define PST_GOLDEN_Q32 0x9e3779b1ULL

/* Bounds shared by all methods: they keep every 64-bit product below 2^64. */
#define PST_MAX_BYTES 1099511627776ULL /* 2^40: queue, window or buffer */
#define PST_MAX_PKTS 1073741824ULL     /* 2^30: packets in a queue */
#define PST_MAX_NS (1000ULL * PST_NS_PER_S)

/*
 * @v, opaque to clang's optimiser when it compiles for BPF: otherwise it turns bit
 * arithmetic into branches, and the verifier follows both sides of each.
 */
PST_FN u64 pst_opaque(u64 v)
{
#ifdef __bpf__
	__asm__ volatile("" : "+r"(v));
#endif
	return v;
}

/* What follows reads memory again: clang keeps no value in a register for BPF. */
PST_FN void pst_reread(void)
{
#ifdef __bpf__
	__asm__ volatile("" ::: "memory");
#endif
}

PST_FN u64 pst_min(u64 a, u64 b)
{
	return PST_CHOOSE(a < b, a, b);
}

PST_FN u64 pst_max(u64 a, u64 b)
{
	return PST_CHOOSE(a > b, a, b);
}

PST_FN u64 pst_clamp(u64 v, u64 low, u64 high)
{
	return pst_max(low, pst_min(v, high));
}

/* Modulo 2^64, of counts of which only the differences say something. */
PST_FN u64 pst_wrapping_add(u64 a, u64 b)
{
	return a + b;
}

PST_FN u64 pst_wrapping_sub(u64 a, u64 b)
{
	return a - b;
}

/* a - b, or 0 where that would be negative. */
PST_FN u64 pst_sub_floor(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

/*
 * The bit length of @v, at most 64: all bits below the highest are set and then counted.
 * Branch-free, and without clz, which clang 14 lacks for BPF.
 */
PST_FN u32 pst_bit_length(u64 v)
{
	v |= v >> 1;
	v |= v >> 2;
	v |= v >> 4;
	v |= v >> 8;
	v |= v >> 16;
	v |= v >> 32;
	v -= (v >> 1) & 0x5555555555555555ULL;
	v = (v & 0x3333333333333333ULL) + ((v >> 2) & 0x3333333333333333ULL);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	v += v >> 8;
	v += v >> 16;
	v += v >> 32;
	return (u32)(v & 0x7f);
}

/* v rounded up to a multiple of @step (step >= 1). */
PST_FN u64 pst_round_up(u64 v, u64 step)
{
	return (v + step - 1) / step * step;
}

/* Sequence-space order of RFC 9293 section 3.4: a < b modulo 2^32. */
PST_FN bool pst_seq_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

PST_FN bool pst_seq_after(u32 a, u32 b)
{
	return pst_seq_before(b, a);
}

/* 1 if @v is 0, else 0; without a branch, for pst_mul_div(). */
PST_FN u64 pst_is_zero(u64 v)
{
	u64 some = v >> 1 | (v & 1);

	return (pst_opaque(some + 0x7fffffffffffffffULL) >> 63) ^ 1;
}

/*
 * floor(a * b / c) for c <= 2^42, and a <= 2^40 and b <= 2^41, or a < 2^44 and b <= 2^40, by
 * splitting a at bit 20. A quotient above 2^63 is 2^64 - 1. c == 0 gives 0, as in BPF.
 */
PST_FN u64 pst_mul_div(u64 a, u64 b, u64 c)
{
	u64 no_c = pst_is_zero(c);
	u64 high, low, whole, fits;

#ifdef PST_DIVIDES_ONCE
	if (!__builtin_mul_overflow(a, b, &whole) && !(whole >> 63))
		return c ? whole / c : 0;
#endif
	c += no_c;
	/* a = ah * 2^20 + al; (ah*b) < 2^60; carry the remainder down. */
	high = (a >> 20) * b;
	whole = high / c;
	low = ((high - whole * c) << 20) + (a & 0xfffff) * b;
	fits = pst_is_zero(whole >> 43);
	return ((((whole * fits) << 20) + low / c) | (fits ^ 1) * ~0ULL) *
	       (no_c ^ 1);
}

/*
 * floor(v / 10^9), without a division: BPF, which has no product of 128 bits, would need
 * one even though the divisor is constant. It is the high half of (v / 2^9) times
 * ceil(2^75 / 5^9), both below 2^55, divided by 2^11.
 */
PST_FN u64 pst_div_ns_per_s(u64 v)
{
	const u64 factor_high = 0x44b82fU, factor_low = 0xa09b5a53U;
	u64 high = v >> 41;
	u64 low = v >> 9 & 0xffffffffU;
	u64 middle = high * factor_low + low * factor_high + (low * factor_low >> 32);

	return (high * factor_high + (middle >> 32)) >> 11;
}

/* floor(bytes_per_s * ns / 10^9), both factors <= 2^40; as pst_mul_div(). */
PST_FN u64 pst_bytes_in(u64 bytes_per_s, u64 ns)
{
	u64 high = (bytes_per_s >> 20) * ns;
	u64 whole = pst_div_ns_per_s(high);
	u64 low = ((high - whole * PST_NS_PER_S) << 20) + (bytes_per_s & 0xfffff) * ns;

	return (whole << 20) + pst_div_ns_per_s(low);
}

/*
 * A parameter table is a macro of rows P(...), one per parameter:
 *
 *   P(name, unit, default, min, max, help, source)
 *
 * name    the struct field; ends in its unit (_bytes, _ns, _pkts, _bps) or, for
 *         a ratio, in its fixed-point format (_q16, _q32), which users omit:
 *         the key of weight_q32 is "weight" and its value a decimal.
 * default PST_IS(v), or PST_OF_BUFFER(a, b) for a/b of the queue's byte limit.
 *
 * Structs, option parsing, ns-3 attributes and the docs are expanded from it.
 */
enum pst_unit {
	PST_BYTES,
	PST_PKTS,
	PST_NS,
	PST_BPS,
	PST_COUNT,
	PST_FLAG,
	PST_RATIO_Q16,
	PST_RATIO_Q32,
	PST_TIME,	/* a point of time, in ns; of state alone */
};

struct pst_default {
	u64 value;
	u64 buffer_num;
	u64 buffer_den; /* 0: use @value; else buffer_bytes * num / den */
};

#define PST_IS(v) { (v), 0, 0 }
#define PST_OF_BUFFER(num, den) { 0, (num), (den) }

struct pst_param_row {
	const char *name;
	enum pst_unit unit;
	struct pst_default def;
	u64 min;
	u64 max;
	const char *help;
	const char *source;
};

/*
 * A state table S(name, unit, help) lists a method's state. A name that ends in _q16 or
 * _q32 holds its unit times 2^16 or 2^32. A flow table F(type, name, unit, help) lists
 * its state per flow, with the types of the fields to save space.
 */
struct pst_state_row {
	const char *name;
	enum pst_unit unit;
	const char *help;
};

#define PST_PARAM_FIELD(name, unit, def, min, max, help, source) u64 name;
#define PST_PARAM_ROW(name, unit, def, min, max, help, source) \
	{ #name, unit, def, min, max, help, source },
#define PST_STATE_FIELD(name, unit, help) u64 name;
#define PST_FLOW_FIELD(type, name, unit, help) type name;
#define PST_STATE_ROW(name, unit, help) { #name, unit, help },

#endif
