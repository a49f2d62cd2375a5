/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tables of keys have in common: the row as data, types, and the words of a row.
 *
 *     type    FLAG; COUNT, of 32 bits, and LONG_COUNT; SIZE and LONG_SIZE, bytes in 32 and 64
 *             bits; TIME, ns; RATE, bit/s; RATIO, from 0 up to 1; SPAN, a TIME that a scenario
 *             may have drawn between two
 *     hosts   who is told: ALL, or SIM if not ns-3
 *     key     PST_KEY(name, low, high) in a scenario, or PST_KEY_OR(word, name, low, high) if
 *             saying nothing is no value, which @word calls it. PST_NO_KEY: it is derived
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
	const char *unit; /* flag, count, bytes, ns, bps, ratio or span */
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
#define PST_UNIT_FLAG "flag"
#define PST_UNIT_COUNT "count"
#define PST_UNIT_LONG_COUNT "count"
#define PST_UNIT_SIZE "bytes"
#define PST_UNIT_LONG_SIZE "bytes"
#define PST_UNIT_TIME "ns"
#define PST_UNIT_SPAN "span"
#define PST_UNIT_RATE "bps"
#define PST_UNIT_RATIO "ratio"

#define PST_IN_NS3_ALL true
#define PST_IN_NS3_SIM false
#define PST_NS3_HAS_ALL(...) __VA_ARGS__
#define PST_NS3_HAS_SIM(...)

#endif
