# SPDX-License-Identifier: GPL-2.0-only
"""The clamps of the hidden queue without which a proof breaks, for tools/prove.py --mutants."""

from typing import Final

from proof_mutants import Mutant

ROUTER: Final = "router"
_PARTS: Final = "queue/hidden_parts.h"
_CORRECTS: Final = ("a_correction_of_the_hidden_queue_counts_for_what_waits_too",)
_RATE: Final = ("a_trip_keeps_the_rate_of_the_hidden_queue_in_its_range",)
HIDDEN_MUTANTS: Final = (
    Mutant(
        "what a segment met, after corrections",
        _PARTS,
        "	return bytes > PST_MAX_BYTES ? 0 : bytes;",
        "	return bytes;",
        ("what_a_segment_met_is_read_back_from_counts_that_go_round",),
        ROUTER,
    ),
    Mutant(
        "corrections upwards",
        _PARTS,
        "	h->corrected_bytes = pst_wrapping_add(h->corrected_bytes, change_bytes);\n	h->ex",
        "	h->ex",
        _CORRECTS,
        ROUTER,
    ),
    Mutant(
        "corrections downwards",
        _PARTS,
        "		h->corrected_bytes = pst_wrapping_sub(h->corrected_bytes, change_bytes);\n",
        "",
        _CORRECTS,
        ROUTER,
    ),
    Mutant(
        "a queue that is learned",
        _PARTS,
        "pst_min(pst_bytes_in(r->bytes_per_s, delay_ns), PST_MAX_BYTES);",
        "pst_bytes_in(r->bytes_per_s, delay_ns);",
        ("what_is_learned_keeps_the_hidden_queue_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "a queue that grows",
        "queue/hidden_queue.h",
        "pst_min(h->bytes + pst_min(bytes, PST_MAX_BYTES), PST_MAX_BYTES);",
        "h->bytes + pst_min(bytes, PST_MAX_BYTES);",
        ("what_passes_keeps_the_hidden_queue_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "others that count twice",
        _PARTS,
        "	h->told_bytes = others_bytes;\n",
        "",
        ("others_count_once_and_no_more_than_passed",),
        ROUTER,
    ),
    Mutant(
        "the least trip",
        _PARTS,
        "pst_max(pst_min(least_ns, t->ns), 1);",
        "pst_max(least_ns, 1);",
        ("a_delay_of_the_hidden_queue_is_a_part_of_the_trip",),
        ROUTER,
    ),
    Mutant(
        "how fast C is lowered",
        _PARTS,
        "pst_min(excess, r->bytes_per_s / 16),",
        "pst_min(excess, r->bytes_per_s / 8),",
        _RATE,
        ROUTER,
    ),
    Mutant(
        "how far C is raised",
        _PARTS,
        "pst_min(r->sent_bytes_per_s / 4 * 5, PST_MAX_BYTES);",
        "PST_MAX_BYTES;",
        _RATE,
        ROUTER,
    ),
    Mutant(
        "the measured rate",
        "queue/departure_rate.h",
        "	r->bytes_per_s = pst_clamp(pst_max(busy, least),\n"
        "				   PST_DEPARTURE_MIN_BYTES_PER_S, PST_MAX_BYTES);",
        "	r->bytes_per_s = pst_max(busy, least);",
        ("a_step_keeps_a_measured_rate_in_its_range",),
        ROUTER,
    ),
    Mutant(
        "longer and longer doubts",
        _PARTS,
        "pst_min(h->doubt_shift + 1, PST_HIDDEN_DOUBT_SHIFT);",
        "h->doubt_shift + 1;",
        ("a_hidden_queue_in_doubt_is_not_known",),
        ROUTER,
    ),
    Mutant(
        "doubts while observing",
        "queue/hidden_trip.h",
        "		h->drain.until_ns = 0;\n		return;\n",
        "		h->drain.until_ns = 0;\n",
        ("a_trip_keeps_the_hidden_queue_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "a trip of a clock that leapt",
        "gateway/round_trip.h",
        "pst_min(trip_ns, PST_MAX_NS);",
        "trip_ns;",
        ("an_ACK_is_timed_without_a_change_of_its_flow",),
        "gateway",
    ),
)
