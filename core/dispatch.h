/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a registry calls its methods. The header of a method lists the functions and
 * properties that it has:
 *
 *   #define PST_EWT_HAS(H) H(on_ack)
 *
 * A registry expands a macro for each method, which asks for one word. It has a bit for
 * each word that it knows, so any other does not compile.
 */
#ifndef PENSTOCK_CORE_DISPATCH_H
#define PENSTOCK_CORE_DISPATCH_H

#include "base.h"

/* The text, if the method has the word. */
#define PST_WHERE(NAME, word, ...) \
	PST_EXPAND(PST_IF_, PST_ANSWER(PST_##NAME##_HAS(PST_ASK_##word)), __VA_ARGS__)
/* The text, if it lacks the word. */
#define PST_UNLESS(NAME, word, ...) \
	PST_EXPAND(PST_UNLESS_, PST_ANSWER(PST_##NAME##_HAS(PST_ASK_##word)), __VA_ARGS__)
#define PST_EXPAND(verb, answer, ...) PST_PASTE(verb, answer)(__VA_ARGS__)
#define PST_PASTE(a, b) a##b

/*
 * PST_ASK_word turns the words of a list into one argument, of no use, except the one that
 * is asked for: it adds HAS as the second, before NO.
 */
#define PST_ANSWER(...) PST_SECOND(__VA_ARGS__, NO, ~)
#define PST_SECOND(first, second, ...) second

/*
 * Switches over the methods of a registry by number: PST_DO calls pst_NAME_word() with its
 * parameters *p, its state *s and the rest, PST_RETURN also returns the result.
 */
#define PST_SWITCH(METHODS, METHOD, CASE, number, ...) \
	switch (number) {                              \
		METHODS(CASE, METHOD, __VA_ARGS__)     \
	default:                                       \
		break;                                 \
	}
#define PST_CASE_OF(NAME, METHOD, word, ...) \
	PST_WHERE(NAME, word, case METHOD##NAME: __VA_ARGS__)
#define PST_DO_CASE(name, NAME, METHOD, word, ...) \
	PST_CASE_OF(NAME, METHOD, word,            \
		    pst_##name##_##word(&p->name, &s->name, __VA_ARGS__); break;)
#define PST_RETURN_CASE(name, NAME, METHOD, word, ...) \
	PST_CASE_OF(NAME, METHOD, word,                \
		    return pst_##name##_##word(&p->name, &s->name, __VA_ARGS__);)
#define PST_DO(METHODS, METHOD, number, word, ...) \
	PST_SWITCH(METHODS, METHOD, PST_DO_CASE, number, word, __VA_ARGS__)
#define PST_RETURN(METHODS, METHOD, number, word, ...) \
	PST_SWITCH(METHODS, METHOD, PST_RETURN_CASE, number, word, __VA_ARGS__)

/* All words, of all registries. */
#define PST_ASK_ask(has) PST_IS_ask_##has
#define PST_IS_ask_ask ~, HAS,
#define PST_ASK_caches(has) PST_IS_caches_##has
#define PST_IS_caches_caches ~, HAS,
#define PST_ASK_divides(has) PST_IS_divides_##has
#define PST_IS_divides_divides ~, HAS,
#define PST_ASK_dual(has) PST_IS_dual_##has
#define PST_IS_dual_dual ~, HAS,
#define PST_ASK_ect1(has) PST_IS_ect1_##has
#define PST_IS_ect1_ect1 ~, HAS,
#define PST_ASK_exact_ecn(has) PST_IS_exact_ecn_##has
#define PST_IS_exact_ecn_exact_ecn ~, HAS,
#define PST_ASK_floor(has) PST_IS_floor_##has
#define PST_IS_floor_floor ~, HAS,
#define PST_ASK_flow(has) PST_IS_flow_##has
#define PST_IS_flow_flow ~, HAS,
#define PST_ASK_header(has) PST_IS_header_##has
#define PST_IS_header_header ~, HAS,
#define PST_ASK_init(has) PST_IS_init_##has
#define PST_IS_init_init ~, HAS,
#define PST_ASK_isolates(has) PST_IS_isolates_##has
#define PST_IS_isolates_isolates ~, HAS,
#define PST_ASK_kernel(has) PST_IS_kernel_##has
#define PST_IS_kernel_kernel ~, HAS,
#define PST_ASK_labels(has) PST_IS_labels_##has
#define PST_IS_labels_labels ~, HAS,
#define PST_ASK_measures(has) PST_IS_measures_##has
#define PST_IS_measures_measures ~, HAS,
#define PST_ASK_on_accepted(has) PST_IS_on_accepted_##has
#define PST_IS_on_accepted_on_accepted ~, HAS,
#define PST_ASK_on_ack(has) PST_IS_on_ack_##has
#define PST_IS_on_ack_on_ack ~, HAS,
#define PST_ASK_on_arrive(has) PST_IS_on_arrive_##has
#define PST_IS_on_arrive_on_arrive ~, HAS,
#define PST_ASK_on_data(has) PST_IS_on_data_##has
#define PST_IS_on_data_on_data ~, HAS,
#define PST_ASK_on_leave(has) PST_IS_on_leave_##has
#define PST_IS_on_leave_on_leave ~, HAS,
#define PST_ASK_on_left(has) PST_IS_on_left_##has
#define PST_IS_on_left_on_left ~, HAS,
#define PST_ASK_on_lost(has) PST_IS_on_lost_##has
#define PST_IS_on_lost_on_lost ~, HAS,
#define PST_ASK_on_overflow(has) PST_IS_on_overflow_##has
#define PST_IS_on_overflow_on_overflow ~, HAS,
#define PST_ASK_on_recovered(has) PST_IS_on_recovered_##has
#define PST_IS_on_recovered_on_recovered ~, HAS,
#define PST_ASK_on_restart(has) PST_IS_on_restart_##has
#define PST_IS_on_restart_on_restart ~, HAS,
#define PST_ASK_on_sample(has) PST_IS_on_sample_##has
#define PST_IS_on_sample_on_sample ~, HAS,
#define PST_ASK_on_tick(has) PST_IS_on_tick_##has
#define PST_IS_on_tick_on_tick ~, HAS,
#define PST_ASK_one_loss(has) PST_IS_one_loss_##has
#define PST_IS_one_loss_one_loss ~, HAS,
#define PST_ASK_opens(has) PST_IS_opens_##has
#define PST_IS_opens_opens ~, HAS,
#define PST_ASK_pace_ns(has) PST_IS_pace_ns_##has
#define PST_IS_pace_ns_pace_ns ~, HAS,
#define PST_ASK_paces(has) PST_IS_paces_##has
#define PST_IS_paces_paces ~, HAS,
#define PST_ASK_pacing(has) PST_IS_pacing_##has
#define PST_IS_pacing_pacing ~, HAS,
#define PST_ASK_pull(has) PST_IS_pull_##has
#define PST_IS_pull_pull ~, HAS,
#define PST_ASK_rejoins(has) PST_IS_rejoins_##has
#define PST_IS_rejoins_rejoins ~, HAS,
#define PST_ASK_schedules(has) PST_IS_schedules_##has
#define PST_IS_schedules_schedules ~, HAS,
#define PST_ASK_stamp(has) PST_IS_stamp_##has
#define PST_IS_stamp_stamp ~, HAS,
#define PST_ASK_tables(has) PST_IS_tables_##has
#define PST_IS_tables_tables ~, HAS,

#endif
