# SPDX-License-Identifier: GPL-2.0-only
"""The clamps of the queue before a gateway without which a proof breaks, for tools/prove.py."""

from typing import Final

from proof_mutants import Mutant

ROUTER: Final = "router"
_STAMP: Final = "queue/upstream_stamp.h"
_QUEUE: Final = "queue/upstream_queue.h"
UPSTREAM_MUTANTS: Final = (
    Mutant(
        "what a drain takes off the rate",
        "queue/drain.h",
        "			      PST_Q16_ONE / 4);\n",
        "			      PST_Q16_ONE);\n",
        (
            "a_drain_of_the_upstream_queue_leaves_three_quarters_of_the_rate",
            "a_drain_of_the_hidden_queue_leaves_three_quarters_of_the_rate",
        ),
        ROUTER,
    ),
    Mutant(
        "an upstream queue in doubt",
        _STAMP,
        "	u->rebased_ns = u->doubted_ns;\n	u->known_ns = 0;\n",
        "	u->rebased_ns = u->doubted_ns;\n",
        ("an_upstream_queue_that_is_in_doubt_again_is_not_known",),
        ROUTER,
    ),
    Mutant(
        "what came",
        _QUEUE,
        "pst_min(u->came_bytes + pst_min(bytes, PST_MAX_BYTES), PST_MAX_BYTES);",
        "u->came_bytes + pst_min(bytes, PST_MAX_BYTES);",
        ("what_comes_keeps_the_upstream_queue_in_its_ranges",),
        ROUTER,
    ),
    Mutant(
        "a flow that enters a round",
        _STAMP,
        "		o->base_ns = pst_min(o->base_ns + u->raise_us * 1000ULL, now_ns);\n",
        "		o->base_ns = o->base_ns + u->raise_us * 1000ULL;\n",
        ("a_flow_that_enters_a_round_has_come_by_now",),
        ROUTER,
    ),
)
