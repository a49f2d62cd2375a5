# SPDX-License-Identifier: GPL-2.0-only
"""The clamps of core/ without which a proof breaks, for tools/prove.py --mutants."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Mutant:
    """One clamp of a header, and the proofs of which at least one breaks without it."""

    rule: str
    path: str
    text: str
    replacement: str
    proofs: tuple[str, ...]
    suite: str = "window"  # of tools/prove.py


WINDOW: Final = "rewrite/window.h"
FLOW: Final = "packet/flow.h"
PARSE: Final = "packet/parse.h"
OPTIONS: Final = "packet/options.h"
IDENTITY: Final = "packet/identity.h"
LAW: Final = "law"
_R1: Final = ("R1_a_window_is_only_ever_reduced",)
_SCAN: Final = ("a_step_of_the_scan_stays_inside_the_options_and_ends",)
_ACK: Final = ("an_ACK_keeps_penstock_in_its_ranges",)
_TICK: Final = ("a_step_of_penstock_keeps_it_in_its_ranges",)
_PACE: Final = ("a_delayed_ACK_keeps_penstock_in_its_ranges",)
_OLD: Final = ("R10_R11_what_the_sender_ignores_changes_no_state",)
MUTANTS: Final = (
    Mutant("R1", WINDOW, "(u16)pst_min(field, offered_field)", "(u16)field", _R1),
    Mutant(
        "R9",
        WINDOW,
        "(u16)pst_min(f->field_out, h->field)",
        "h->field",
        ("R9_a_duplicate_carries_the_field_last_sent",),
    ),
    Mutant(
        "R2",
        WINDOW,
        "if (bytes < edge_bytes) {",
        "if (false) {",
        ("R2_the_edge_stays_right_of_seen_data",),
    ),
    Mutant(
        "R4",
        WINDOW,
        "if (bytes < floor_bytes) {",
        "if (false) {",
        ("R4_never_less_than_a_segment",),
    ),
    Mutant(
        "R26",
        WINDOW,
        "if (bytes > ramp_bytes) {",
        "if (false) {",
        ("R26_a_reduced_window_grows_by_what_is_acknowledged",),
    ),
    Mutant(
        "R3",
        WINDOW,
        "u64 field = (bytes + (1ULL << f->scale) - 1) >> f->scale;",
        "u64 field = bytes >> f->scale;",
        ("R3_a_field_is_rounded_up_to_the_granule",),
    ),
    Mutant(
        "R6",
        WINDOW,
        "2 * pst_max(f->mss_bytes, 1);",
        "pst_max(f->mss_bytes, 1);",
        ("R1_first_flight_is_only_ever_reduced",),
    ),
    Mutant(
        "R11",
        WINDOW,
        "	if (f->has_ack && pst_seq_before(h->ack, f->ack))\n		return;\n	edge",
        "	edge",
        _OLD,
    ),
    Mutant(
        "R35",
        WINDOW,
        "		if (f->unseen_acks < PST_UNSEEN_ACKS)\n			f->unseen_acks++;\n		return;",
        "		f->ack = h->ack;",
        ("R35_an_ACK_of_unseen_data_changes_nothing",),
    ),
    Mutant(
        "R35",
        FLOW,
        "	if (pst_flow_believes(f, seq, seq + payload_bytes))\n		pst_flow_take_data",
        "	pst_flow_take_data",
        ("R35_data_beyond_every_grant_is_not_believed",),
    ),
    Mutant(
        "R26",
        WINDOW,
        "	if (h->syn && f->has_ack)\n		return;\n	f->ramp_bytes",
        "	f->ramp_bytes",
        ("an_ACK_keeps_the_invariant",),
    ),
    Mutant(
        "link",
        PARSE,
        "pst_peek(c, ethernet ? PST_ETHERNET_BYTES : 1)",
        "pst_peek(c, 1)",
        ("headers_of_links_are_read_inside_the_packet",),
    ),
    Mutant(
        "IPv4",
        PARSE,
        "	    header_bytes > total_bytes || c->at + total_bytes > c->wire_bytes)",
        "	    header_bytes > total_bytes)",
        ("a_header_of_IPv4_is_read_inside_the_packet",),
    ),
    Mutant(
        "IPv6",
        PARSE,
        "		p = pst_peek(c, 2);\n		if (!p)",
        "		p = pst_peek(c, 1);\n		if (!p)",
        ("headers_of_IPv6_are_read_inside_the_packet",),
    ),
    Mutant(
        "TCP",
        PARSE,
        "	if (s->header_bytes < PST_TCP_BYTES || c->at + s->header_bytes > c->limit)",
        "	if (s->header_bytes < PST_TCP_BYTES)",
        ("a_header_of_TCP_is_read_inside_the_packet",),
    ),
    Mutant(
        "options",
        OPTIONS,
        "size < 2) || size > left_bytes)",
        "size < 2))",
        _SCAN,
    ),
    Mutant("the scan's end", OPTIONS, "	if (i >= o->end)", "	if (i > o->end)", _SCAN),
    Mutant(
        "an option's inside", OPTIONS, "	if (i != o->next)\n		return true;\n", "", _SCAN
    ),
    Mutant(
        "an impossible length",
        OPTIONS,
        "	if (!size)\n		return false;\n",
        "",
        _SCAN,
    ),
    Mutant(
        "identity",
        IDENTITY,
        "		p = pst_peek(c, 8);",
        "		p = pst_peek(c, 1);",
        ("who_sends_IPv6_is_read_inside_the_packet",),
    ),
    Mutant(
        "a segment",
        "law/penstock_window.h",
        "	return pst_max(window_bytes, a->mss_bytes);",
        "	return window_bytes;",
        ("a_window_of_penstock_grows_to_a_segment_at_least",),
        LAW,
    ),
    Mutant(
        "the queue to come",
        "law/penstock_window.h",
        "	s->coming_bytes = pst_min(s->coming_bytes + bytes, PST_MAX_BYTES - 1);",
        "	s->coming_bytes = s->coming_bytes + bytes;",
        ("a_window_of_penstock_grows_to_a_segment_at_least",),
        LAW,
    ),
    Mutant(
        "the queue's error",
        "law/penstock_step.h",
        "		return pst_min(q->bytes - s->target_bytes, pipe_bytes);",
        "		return q->bytes - s->target_bytes;",
        ("penstock_corrects_without_overflow",),
        LAW,
    ),
    Mutant(
        "what has left the queue",
        "law/penstock_window.h",
        "			       PST_PENSTOCK_MOST_DRAIN_Q32);",
        "			       ~0ULL);",
        ("penstock_foresees_in_its_ranges",),
        LAW,
    ),
    Mutant(
        "a large share",
        "law/penstock_plan.h",
        "	return pst_min(each_q16, PST_MAX_BYTES) * (s->factor_q32 >> 16) >> 16;",
        "	return pst_mul_q32(each_q16, s->factor_q32);",
        ("penstock_says_whether_it_is_at_its_floor_without_overflow",),
        LAW,
    ),
    Mutant(
        "the receiver's window",
        "law/penstock.h",
        "	return pst_min(a->window_bytes, window_bytes);",
        "	return window_bytes;",
        _ACK,
        LAW,
    ),
    Mutant(
        "promises that expire",
        "law/penstock.h",
        "pst_max(PST_PENSTOCK_LIFE_TRIPS * pst_penstock_rtt_ns(p, s, 0), p->interval_ns);",
        "PST_PENSTOCK_LIFE_TRIPS * pst_penstock_rtt_ns(p, s, 0);",
        _TICK,
        LAW,
    ),
    Mutant(
        "the correction's range",
        "law/penstock.h",
        "pst_clamp(pst_penstock_step_q32(p, s, q),\n"
        "					  PST_PENSTOCK_LEAST_Q32,\n"
        "					  PST_PENSTOCK_MOST_Q32);",
        "pst_max(pst_penstock_step_q32(p, s, q), PST_PENSTOCK_LEAST_Q32);",
        _TICK,
        LAW,
    ),
    Mutant(
        "an eighth more or less",
        "law/penstock_window.h",
        "pst_clamp(pst_pipe_bytes(q, rtt_ns, s->booked_bytes),\n"
        "			       whole_bytes - whole_bytes / 8,\n"
        "			       whole_bytes + whole_bytes / 8);",
        "pst_pipe_bytes(q, rtt_ns, s->booked_bytes);",
        _PACE,
        LAW,
    ),
    Mutant(
        "a part of a round",
        "law/penstock_window.h",
        "pst_max(pst_min(booked_ns, PST_MAX_NS) + rtt_ns, ns));",
        "pst_min(booked_ns, PST_MAX_NS) + rtt_ns);",
        _PACE,
        LAW,
    ),
    Mutant(
        "what is booked",
        "law/penstock_window.h",
        "pst_max(pst_min(booked_ns, PST_MAX_NS) + rtt_ns, ns));",
        "pst_max(booked_ns + rtt_ns, ns));",
        _PACE,
        LAW,
    ),
    Mutant(
        "EWT's segment",
        "law/ewt.h",
        "pst_max(share, mss_bytes));",
        "share);",
        ("a_window_of_EWT_is_a_segment_at_least",),
        LAW,
    ),
    Mutant(
        "EWA's alpha",
        "law/ewa.h",
        "		s->alpha_q16 = pst_min(s->alpha_q16 + p->up_q16,\n"
        "				       p->max_alpha_q16);",
        "		s->alpha_q16 = s->alpha_q16 + p->up_q16;",
        ("a_measurement_keeps_EWA_in_its_ranges",),
        LAW,
    ),
    Mutant(
        "FEWA's segment",
        "law/fewa.h",
        "pst_max(s->segments, 1) * a->mss_bytes;",
        "s->segments * a->mss_bytes;",
        ("a_window_of_FEWA_is_a_segment_at_least",),
        LAW,
    ),
    Mutant(
        "RWNDQ's sum",
        "law/rwndq.h",
        "	s->sum_bytes = pst_clamp(s->sum_bytes, flows * p->least_bytes,\n"
        "				 flows * p->most_bytes);\n",
        "",
        ("a_step_keeps_RWNDQ_in_its_ranges",),
        LAW,
    ),
    Mutant(
        "AWM's cap",
        "law/awm.h",
        "				      (u64)q->mss_bytes << 16,\n"
        "				      p->cap_bytes << 16);",
        "				      (u64)q->mss_bytes << 16, ~0ULL);",
        ("packets_keep_AWM_in_its_ranges",),
        LAW,
    ),
    Mutant(
        "the correction of integral",
        "law/integral.h",
        "pst_clamp(pst_integral_step_q32(p, s, q), least_q32,\n"
        "				  pst_max(least_q32, most_q32));",
        "pst_integral_step_q32(p, s, q);",
        ("a_step_keeps_integral_in_its_ranges",),
        LAW,
    ),
)
