# SPDX-License-Identifier: GPL-2.0-only
"""The clamps of packet/ and rewrite/ without which a proof breaks, for tools/prove.py --mutants."""

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
_R1: Final = ("R1_a_window_is_only_ever_reduced",)
_SCAN: Final = ("a_step_of_the_scan_stays_inside_the_options_and_ends",)
_OLD: Final = ("R10_R11_what_the_sender_ignores_changes_no_state",)
_RECORDED: Final = ("an_ACK_is_recorded_as_its_contract_says",)
WINDOW_MUTANTS: Final = (
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
        "R26, what begins again",
        FLOW,
        "	f->ramp_bytes = 0;",
        "	f->ramp_bytes = 65535;",
        ("R26_no_other_event_raises_a_ramp",),
    ),
    Mutant(
        "R3 at a gateway",
        WINDOW,
        "u64 field = (bytes + (1ULL << f->scale) - 1) >> f->scale;",
        "u64 field = (bytes + (1ULL << f->scale)) >> f->scale;",
        ("a_window_is_rounded_up_as_its_contract_says",),
    ),
    Mutant(
        "R10 at a gateway",
        WINDOW,
        "	if (!h->syn && pst_is_ignored(f, h))\n		return;\n",
        "",
        _RECORDED,
    ),
    Mutant(
        "R26 at a gateway",
        WINDOW,
        "if (bytes > ramp_bytes) {",
        "if (false) {",
        ("a_window_grows_as_its_contract_says",),
    ),
    Mutant(
        "R26, the ramp that is recorded",
        WINDOW,
        "	if (ramp_bytes >> f->scale != field_out)\n",
        "	if (false)\n",
        _RECORDED,
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
)
