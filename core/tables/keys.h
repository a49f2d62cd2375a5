/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tables of keys have in common: the row as data, types, and the words of a row.
 *
 *     type    FLAG; COUNT, of 32 bits, and LONG_COUNT; SIZE and LONG_SIZE, bytes in 32 and 64
 *             bits; TIME, ns; RATE, bit/s; RATIO, from 0 up to 1; PERCENT, which a scenario
 *             writes as a ratio; PPM, parts in a million, of either sign; SPAN, a TIME that a scenario may have drawn between two; GROWTH
 *             and RECOVERY_TIMER, one of the words of their unit
 *     hosts   who is told: ALL, or SIM if not ns-3
 *     key     PST_KEY(name, low, high) in a scenario, or PST_KEY_OR(word, name, low, high) if
 *             saying nothing is no value, which @word calls it: "required" if it must be said.
 *             PST_NO_KEY: it is derived. Rows may share a key, which the first one explains
 */
#ifndef PENSTOCK_CORE_TABLES_KEYS_H
#define PENSTOCK_CORE_TABLES_KEYS_H

#include "../base.h"

#define PST_SECOND_NS 1000000000ULL
#define PST_LONGEST_NS (1000000 * PST_SECOND_NS)

struct pst_option_row {
	bool sender; /* which end of a connection has it */
	bool receiver;
	const char *name;
	const char *unit; /* flag, count, bytes, ns, bps, ratio, percent, span, or words by "|" */
	u64 initial;
	bool ns3;
	const char *ns3_lacks;
	const char *sysctl;
	const char *route;
	const char *none;
	const char *key;
	u64 low;
	u64 high;
	const char *help;
	const char *source;
	const char *kinds; /* of users that have it, by blanks; "": it is no key of theirs */
};

#define PST_KEY(name, low, high) "", #name, low, high
#define PST_KEY_OR(word, name, low, high) word, #name, low, high
#define PST_NO_KEY "", "", 0, 0

#define PST_TYPE_FLAG bool
#define PST_TYPE_COUNT uint32_t
#define PST_TYPE_LONG_COUNT uint64_t
#define PST_TYPE_SIZE uint32_t
#define PST_TYPE_LONG_SIZE uint64_t
#define PST_TYPE_TIME uint64_t
#define PST_TYPE_SPAN uint64_t
#define PST_TYPE_RATE uint64_t
#define PST_TYPE_RATIO double
#define PST_TYPE_PERCENT uint32_t
#define PST_TYPE_PPM int32_t
#define PST_TYPE_GROWTH uint32_t
#define PST_TYPE_RECOVERY_TIMER uint32_t
#define PST_UNIT_FLAG "flag"
#define PST_UNIT_COUNT "count"
#define PST_UNIT_LONG_COUNT "count"
#define PST_UNIT_SIZE "bytes"
#define PST_UNIT_LONG_SIZE "bytes"
#define PST_UNIT_TIME "ns"
#define PST_UNIT_SPAN "span"
#define PST_UNIT_RATE "bps"
#define PST_UNIT_RATIO "ratio"
#define PST_UNIT_PERCENT "percent"
#define PST_UNIT_PPM "ppm"
#define PST_UNIT_GROWTH "bytes|acks|delivered"
#define PST_UNIT_RECOVERY_TIMER "standard|impatient"

/*
 * What an ACK adds to cwnd by: the bytes that it acknowledges; one segment; or, as in Linux, the
 * bytes of which no duplicate ACK has told before.
 */
enum pst_growth { PST_GROWTH_BYTES, PST_GROWTH_ACKS, PST_GROWTH_DELIVERED };

/*
 * Events that restart the retransmission timer in fast recovery. STANDARD: the fast retransmit,
 * as in Linux, and with SACK each ACK of new data, RFC 6298 (5.3); without SACK only the first
 * partial ACK, the "Impatient" variant of RFC 6582. IMPATIENT: only the first partial ACK, also
 * with SACK, as in ns-3 3.44.
 */
enum pst_recovery_timer { PST_RECOVERY_TIMER_STANDARD, PST_RECOVERY_TIMER_IMPATIENT };

/* A row of a table without ends, RFCs or live settings: L(type, name, initial, hosts, key, help) */
#define PST_KEY_ROW(type, name, initial, hosts, ...)                          \
	{ false, false, #name, PST_UNIT_##type, initial, PST_IN_NS3_##hosts, "", \
	  "", "", __VA_ARGS__, "", "" },

#define PST_IN_NS3_ALL true
#define PST_IN_NS3_SIM false
#define PST_NS3_HAS_ALL(...) __VA_ARGS__
#define PST_NS3_HAS_SIM(...)

#endif
